/** Prints an explanation. */

import type { Decision } from '../../../index.js';
import { explain } from '../../../index.js';
import { summaryOf, takesKey } from '../../../internal.js';
import { countText, waitText } from '../../pages/numbers.js';
import type { Printer, Style } from '../printer.js';
import { fits, table } from '../table.js';
import type { Flip } from './flips.js';
import { countBefore, mismatchText, passedOver } from './passed-over.js';
import type { Answer, Question } from './question.js';
import type { TailPlan } from './tail.js';
import { unreadText } from './unread-headers.js';

/** Of many rules, only the first ones are printed; `--json` has all. */
const mostRules = 8;

export function printRule(
  out: Printer,
  question: Pick<Question, 'policy' | 'request'>,
  rule: Answer['rule'],
): void {
  const { method, url } = summaryOf(question.request);
  out.text(`${method} ${url}`, 'bold');
  out.line();
  out.text(
    rule.index < 0
      ? 'No rule matches: the settings for all requests apply.'
      : `rules[${rule.index}] "${rule.name}" applies.`,
  );
  const rows = passedOver(question, rule, mostRules).map(({ index, match, mismatch }) => [
    `rules[${index}]`,
    typeof match === 'string' ? match : JSON.stringify(match),
    mismatchText(mismatch),
  ]);
  printRows(out, rows);
  const others = countBefore(question, rule) - mostRules;
  if (others > 0) out.line(`${indent}and ${countText(others)} more that do not match`);
  out.line();
}

export function printTailPlan(out: Printer, { hedge, attemptTimeout }: TailPlan): void {
  const plans = [hedge, attemptTimeout].filter((plan) => plan !== undefined);
  for (const { sentence } of plans) out.text(sentence);
  if (plans.length > 0) out.line();
}

const indent = '  ';

/** As a table, or where it has no room as sentences. */
function printRows(out: Printer, rows: readonly (readonly string[])[]): void {
  const width = out.width - indent.length;
  const lines = table([{}, {}, {}], rows, width);
  if (fits(lines, width)) for (const line of lines) out.line(`${indent}${out.paint('dim', line)}`);
  else for (const [rule, match, why] of rows) out.text(`${indent}- ${rule} ${match}: ${why}`, 'dim');
}

// ---------------------------------------------------------------- one outcome

interface Explained {
  readonly given: Answer;
  /** With the smallest and the largest draw. */
  readonly shortest: Decision;
  readonly longest: Decision;
  readonly flips: readonly Flip[];
}

export function printDecision(out: Printer, question: Question, { given, ...explained }: Explained): void {
  const { decision } = given;
  out.text(explain(decision), styleOf(decision));
  const remarks = [hintRemark(question, decision), luckRemark(explained.shortest, explained.longest)];
  for (const remark of remarks) if (remark !== undefined) out.text(remark);
  out.line();
  printFlips(out, decision, explained.flips);
  out.line();
  out.text(assumptions(question, given), 'dim');
}

function styleOf({ action, reason }: Decision): Style {
  return action === 'retry' || reason === 'success' ? 'green' : 'yellow';
}

/** Headers were given, so what became of them is of interest. */
function hintRemark(question: Question, { finding }: Decision): string | undefined {
  const { outcome } = question;
  if (outcome.kind === 'error' || finding.kind === 'error') return undefined;
  if (Object.keys(outcome.headers ?? {}).length === 0) return undefined;
  if (finding.hint === undefined) return unreadText(question, outcome);
  const { delayMs, retry, reason } = finding.hint;
  return delayMs === null && retry === undefined
    ? `Its hint does not say how long to wait (${reason}).`
    : undefined;
}

/** What depends on the jitter. */
function luckRemark(shortest: Decision, longest: Decision): string | undefined {
  if (shortest.action === 'stop') return undefined;
  const [from, to] = [waitText(shortest.delayMs), waitText(longest.delayMs ?? 0)];
  if (longest.action === 'stop') {
    return `That depends on the jitter: the wait is between ${from} and ${to}, and the longest waits do not fit.`;
  }
  return from === to ? undefined : `With jitter, the wait is between ${from} and ${to}.`;
}

function printFlips(out: Printer, { action }: Decision, flips: readonly Flip[]): void {
  if (flips.length === 0) {
    out.text('Nothing that was tried would change that.');
    return;
  }
  const opposite = action === 'retry' ? 'It would not be retried' : 'It would be retried';
  const isDouble = flips.some(({ changes }) => changes.length > 1);
  out.text(isDouble ? `${opposite}, but only with two changes:` : `${opposite}:`);
  for (const { changes } of flips) out.text(`${indent}- ${changes.map(({ text }) => text).join(', and ')}`);
}

function assumptions({ attempt, replayable, request }: Question, { elapsedMs, rule }: Answer): string {
  const { settings } = rule;
  const parts = [
    'a wait in the middle of its range',
    ...(settings.budget === false ? [] : ['a full budget']),
    ...(settings.gate === false ? [] : ['an open gate']),
    ...(replayable && takesKey(request.method) ? ['a body that can be sent again'] : []),
    ...(attempt > 1 ? ['earlier attempts that failed in the same way'] : []),
    ...(settings.deadlineMs === undefined ? [] : [`${waitText(elapsedMs)} since the request began`]),
  ];
  return `Assumptions: ${parts.join(', ')}.`;
}

// ---------------------------------------------------------------- the usual outcomes

export interface Usual {
  readonly name: string;
  readonly decision: Decision;
}

export function printUsual(out: Printer, rows: readonly Usual[]): void {
  const cells = rows.map(({ name, decision }) => [
    name,
    out.paint(styleOf(decision), decision.reason === 'success' ? 'done' : decision.action),
    explain(decision),
  ]);
  for (const line of table([{}, {}, {}], cells, out.width)) out.line(line);
}
