/** An explanation for people. */

import type { Decision } from '../../../index.js';
import { explain } from '../../../index.js';
import { summaryOf, takesKey } from '../../../internal.js';
import { countText, waitText } from '../../pages/numbers.js';
import type { Printer } from '../printer.js';
import { table, wrap } from '../table.js';
import type { Flip } from './flips.js';
import { countBefore, mismatchText, passedOver } from './passed-over.js';
import type { Answer, Question } from './question.js';

/** Of many rules, the first ones are enough to see what they are like; `--json` has all. */
const mostRules = 8;

export function printRule(
  out: Printer,
  question: Pick<Question, 'policy' | 'request'>,
  rule: Answer['rule'],
): void {
  const { method, url } = summaryOf(question.request);
  out.line(out.paint('bold', `${method} ${url}`));
  out.line();
  out.line(
    rule.index < 0
      ? 'No rule matches: the settings for all requests apply.'
      : `rules[${rule.index}] "${rule.name}" applies.`,
  );
  const rows = passedOver(question, rule, mostRules).map(({ index, match, mismatch }) => [
    `rules[${index}]`,
    typeof match === 'string' ? match : JSON.stringify(match),
    mismatchText(mismatch),
  ]);
  printIndented(out, table([{}, {}, {}], rows, out.width - indent.length), 'dim');
  const others = countBefore(question, rule) - mostRules;
  if (others > 0) out.line(`${indent}and ${countText(others)} more that do not match`);
  out.line();
}

const indent = '  ';

function printIndented(out: Printer, lines: readonly string[], style?: 'dim'): void {
  for (const line of lines) out.line(`${indent}${style === undefined ? line : out.paint(style, line)}`);
}

// ---------------------------------------------------------------- one outcome

export interface Explained {
  readonly given: Answer;
  /** With the best luck and with the worst. */
  readonly shortest: Decision;
  readonly longest: Decision;
  readonly flips: readonly Flip[];
}

export function printDecision(out: Printer, question: Question, { given, ...explained }: Explained): void {
  const { decision } = given;
  out.line(paintDecision(out, decision, explain(decision)));
  const remarks = [hintRemark(question, decision), luckRemark(explained.shortest, explained.longest)];
  for (const remark of remarks) if (remark !== undefined) out.line(remark);
  out.line();
  printFlips(out, decision, explained.flips);
  out.line();
  for (const line of wrap(assumptions(question, given), out.width)) out.line(out.paint('dim', line));
}

export function paintDecision(out: Printer, { action }: Decision, text: string): string {
  return out.paint(action === 'retry' ? 'green' : 'yellow', text);
}

/** Whoever gives headers wants to know what became of them. */
function hintRemark({ outcome }: Question, { finding }: Decision): string | undefined {
  const hasHeaders = outcome.kind === 'response' && Object.keys(outcome.headers ?? {}).length > 0;
  if (!hasHeaders || finding.kind === 'error') return undefined;
  if (finding.hint === undefined) return 'None of its headers is read as a hint here.';
  const { delayMs, retry, reason } = finding.hint;
  return delayMs === null && retry === undefined ? `Its hint tells no time to wait (${reason}).` : undefined;
}

/** What the jitter leaves open. */
function luckRemark(shortest: Decision, longest: Decision): string | undefined {
  if (shortest.action === 'stop') return undefined;
  const [from, to] = [waitText(shortest.delayMs), waitText(longest.delayMs ?? 0)];
  if (longest.action === 'stop') {
    return `That depends on the jitter: the wait is anything from ${from} to ${to}, and not all of it fits.`;
  }
  return from === to ? undefined : `The wait is anything from ${from} to ${to}.`;
}

function printFlips(out: Printer, { action }: Decision, flips: readonly Flip[]): void {
  if (flips.length === 0) {
    out.line('Nothing that was tried would change that.');
    return;
  }
  const opposite = action === 'retry' ? 'It would not be retried' : 'It would be retried';
  const isDouble = flips.some(({ changes }) => changes.length > 1);
  out.line(isDouble ? `${opposite}, but no single change is enough:` : `${opposite}:`);
  printIndented(
    out,
    flips.map(({ changes }) => changes.map(({ text }) => text).join(', and ')),
  );
}

function assumptions({ attempt, replayable, request }: Question, { elapsedMs, rule }: Answer): string {
  const { settings } = rule;
  const parts = [
    'a wait from the middle of its range',
    ...(settings.budget === false ? [] : ['a full budget']),
    ...(settings.gate === false ? [] : ['an open gate']),
    ...(replayable && takesKey(request.method) ? ['a body that can be sent again'] : []),
    ...(attempt > 1 ? ['earlier attempts that failed in the same way'] : []),
    ...(settings.deadlineMs === undefined ? [] : [`${waitText(elapsedMs)} since the request began`]),
  ];
  return `Taken for granted: ${parts.join(', ')}.`;
}

// ---------------------------------------------------------------- the usual outcomes

export interface Usual {
  readonly name: string;
  readonly decision: Decision;
}

export function printUsual(out: Printer, rows: readonly Usual[]): void {
  const cells = rows.map(({ name, decision }) => [
    name,
    paintDecision(out, decision, decision.action),
    explain(decision),
  ]);
  for (const line of table([{}, {}, {}], cells, out.width)) out.line(line);
}
