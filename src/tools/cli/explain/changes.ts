/**
 * What could be different: the request, the answer, the time, the policy. These are only proposals: whether one turns a
 * decision around is found by deciding again.
 */

import type { Decision, ResponseOutcome, SettingsOptions, StatusOption } from '../../../index.js';
import { defaults, takesKey } from '../../../internal.js';
import type { Answer, Question } from './question.js';
import { levelOf, withLevel } from './question.js';
import { readError } from './written.js';

export interface Change {
  readonly where: Where;
  /** After "It would be retried": `with an idempotency key`. */
  readonly text: string;
  readonly question: Question;
}

export type Where = 'request' | 'answer' | 'time' | 'policy';

/** Changes of one thing, from the smallest to the largest: the first that turns the decision around is enough. */
export type Ladder = readonly Change[];

export function laddersFor(question: Question, answer: Answer): Ladder[] {
  return [
    ...requestChanges(question, answer).map((change) => [change]),
    ...answerChanges(question, answer),
    ...timeLadders(question, answer),
    ...policyLadders(question, answer),
  ];
}

// ---------------------------------------------------------------- the request

function requestChanges(question: Question, { keyed, decision }: Answer): Change[] {
  const { request, replayable } = question;
  const change = (text: string, changed: Partial<Question>): Change => ({
    where: 'request',
    text,
    question: { ...question, ...changed },
  });
  const other = decision.action === 'retry' ? 'POST' : 'PUT';
  const body = replayable ? 'a stream that was already sent' : 'one that can be sent again';
  return [
    keyed
      ? change('without its idempotency key', { request: { ...request, keyed: false } })
      : change('with an idempotency key', { request: { ...request, keyed: true } }),
    change(`as ${other}`, { request: { ...request, method: other } }),
    ...(takesKey(request.method) ? [change(`with another body: ${body}`, { replayable: !replayable })] : []),
  ];
}

// ---------------------------------------------------------------- the answer

const hopeful = [503, 429, 408, 425, 500, 502, 504];
const hopeless = [404, 400, 401, 403, 409, 422, 501];

function answerChanges(question: Question, answer: Answer): Ladder[] {
  const { outcome } = question;
  return outcome.kind === 'response'
    ? responseLadders({ ...question, outcome }, answer)
    : [errorChanges(question, answer)];
}

function responseLadders(question: Question<ResponseOutcome>, { decision, rule }: Answer): Ladder[] {
  const { outcome } = question;
  const change = (text: string, changed: Partial<ResponseOutcome>): Change => ({
    where: 'answer',
    text,
    question: { ...question, outcome: { ...outcome, ...changed } },
  });
  const statuses = decision.action === 'retry' ? hopeless : hopeful;
  const headers = Object.entries(outcome.headers ?? {});
  const seconds = Math.floor(rule.settings.maxHintMs / 1_000) + (decision.action === 'retry' ? 1 : 0);
  const only = headers.length === 0 ? '' : ' and no other header';
  const hints = [seconds, 1].map((wait) =>
    change(`with "retry-after: ${wait}"${only}`, { headers: { 'retry-after': String(wait) } }),
  );
  return [
    statuses.map((status) => change(`with status ${status}`, { status })),
    headers.map(([name]) =>
      change(`without the header ${name}`, {
        headers: Object.fromEntries(headers.filter(([other]) => other !== name)) as Record<string, string[]>,
      }),
    ),
    hints,
  ];
}

function errorChanges(question: Question, { decision }: Answer): Ladder {
  const codes =
    decision.action === 'retry' ? ['ECONNRESET', 'CERT_HAS_EXPIRED'] : ['ECONNREFUSED', 'ECONNRESET'];
  return codes.map((code) => ({
    where: 'answer',
    text: `with the error ${code}`,
    question: { ...question, outcome: readError(code) },
  }));
}

// ---------------------------------------------------------------- the time

/** Further ones are of no interest. */
const mostAttempts = 20;

function timeLadders(question: Question, answer: Answer): Ladder[] {
  const { attempt } = question;
  const { maxRetries } = answer.rule.settings;
  const at = (number: number): Change => ({
    where: 'time',
    text: `after attempt ${number}`,
    question: { ...question, attempt: number },
  });
  const before = Array.from({ length: Math.min(mostAttempts, attempt - 1) }, (_, index) =>
    at(attempt - 1 - index),
  );
  const after = Array.from({ length: mostAttempts }, (_, index) => at(attempt + 1 + index));
  const beforeLimit = maxRetries > 0 && maxRetries < attempt ? [at(maxRetries)] : [];
  const atLimit = maxRetries < 1_000 && maxRetries >= attempt ? [at(maxRetries + 1)] : [];
  return [[...before, ...beforeLimit], [...after, ...atLimit], elapsedChanges(question, answer)];
}

function elapsedChanges(question: Question, { decision, rule }: Answer): Ladder {
  const { deadlineMs } = rule.settings;
  const waitMs = neededWait(decision);
  if (deadlineMs === undefined || waitMs === undefined) return [];
  const lastMs = Math.ceil(deadlineMs - waitMs);
  const elapsedMs = decision.action === 'retry' ? lastMs : lastMs - 1;
  if (elapsedMs < 0) return [];
  // Not rounded: a millisecond more or less makes the difference.
  const elapsed = elapsedMs < 1_000 ? `${elapsedMs} ms` : `${elapsedMs / 1_000} s`;
  const text = `${elapsed} after the request began`;
  return [{ where: 'time', text, question: { ...question, elapsedMs } }];
}

/** Before jitter, where the server asks for it: that is what limits are compared with. */
function neededWait({ finding, delayMs }: Decision): number | undefined {
  const hintMs = finding.hint?.delayMs ?? 0;
  return hintMs > 0 ? hintMs : delayMs;
}

// ---------------------------------------------------------------- the policy

function policyLadders(question: Question, answer: Answer): Ladder[] {
  const { decision, rule, elapsedMs } = answer;
  const { attempt } = question;
  const isRetry = decision.action === 'retry';
  const say = (setting: SettingsOptions): Change => withSetting(question, rule.index, setting);
  const waitMs = neededWait(decision);
  // A shorter deadline says something only beside a wait that is not up to the jitter.
  const isFixed = !isRetry || decision.waitFrom === 'hint' || decision.waitFrom === 'none';
  const deadlineMs = waitMs === undefined || !isFixed ? undefined : waitMs + elapsedMs;
  const limits = [
    round(waitMs, isRetry).map((maxHintMs) => say({ maxHintMs })),
    round(deadlineMs, isRetry).map((limit) => say({ deadlineMs: limit })),
    [say({ hints: false })],
  ];
  if (isRetry) {
    return [
      [say({ idempotencyKey: false })],
      [say({ idempotent: false })],
      [say({ unsafeMethods: 'unsent' }), say({ unsafeMethods: 'never' })],
      statusChanges(question, answer),
      ...limits,
      [say(attempt === 1 ? { retry: false } : { maxRetries: attempt - 1 })],
    ];
  }
  return [
    [say({ idempotencyKey: true })],
    [say({ idempotent: true })],
    [say({ unsafeMethods: 'unsent' }), say({ unsafeMethods: 'refused' })],
    statusChanges(question, answer),
    withoutRetryFalse(question, rule.index),
    [say({ maxRetries: attempt })],
    ...limits,
  ];
}

/** Just above or below a limit: with two digits, and where that is too far away, exactly. */
function round(limit: number | undefined, isBelow: boolean): number[] {
  if (limit === undefined || limit <= 0) return [];
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(limit)) - 1);
  return [unit, 1]
    .map((length) => (isBelow ? Math.ceil(limit / length) - 1 : Math.floor(limit / length) + 1) * length)
    .filter((value) => value > 0);
}

function statusChanges(question: Question, { decision, rule }: Answer): Change[] {
  if (decision.finding.kind === 'error') return [];
  const { status } = decision.finding;
  const listed =
    levelOf(question, rule.index).statuses ?? levelOf(question, -1).statuses ?? defaults.statuses;
  const entry: StatusOption = decision.action === 'retry' ? `!${status}` : status;
  const others = listed.filter((other) => ![`${status}`, `!${status}`].includes(`${other}`));
  const change = withSetting(question, rule.index, { statuses: [...others, entry] });
  return [{ ...change, text: `with ${JSON.stringify(entry)} among the "statuses" ${placeOf(rule.index)}` }];
}

/** It stands where the rule says it, or else at the top. */
function withoutRetryFalse(question: Question, index: number): Change[] {
  const place = levelOf(question, index).retry === false ? index : -1;
  const { retry, ...others } = levelOf(question, place);
  return [
    {
      where: 'policy',
      text: `without "retry": false ${placeOf(place)}`,
      question: withLevel(question, place, others),
    },
  ];
}

function withSetting(question: Question, index: number, setting: SettingsOptions): Change {
  const level = { ...levelOf(question, index), ...setting };
  const written = Object.entries(setting).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  return {
    where: 'policy',
    text: `with ${written} ${placeOf(index)}`,
    question: withLevel(question, index, level),
  };
}

export function placeOf(index: number): string {
  return index < 0 ? 'for all requests' : `in rules[${index}]`;
}
