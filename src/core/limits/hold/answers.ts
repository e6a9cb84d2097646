/**
 * What the servers of a scope answered lately: how many successes, and which share of first attempts was refused.
 * Counted in seconds, this one and the one before; and for where little is asked, the last ones of half a minute.
 */

/** What was answered lately. */
export interface Answers {
  /** Of the second that began then, and of the one before: successes; first attempts, and those that were refused. */
  readonly since: number;
  readonly successes: number;
  readonly successesBefore: number;
  readonly firsts: number;
  readonly firstsBefore: number;
  readonly refusals: number;
  readonly refusalsBefore: number;
  /** Of the last first attempts, a bit each: whether it was refused. How many there were, of late and before. */
  readonly last: number;
  readonly spanSince: number;
  readonly inSpan: number;
  readonly inSpanBefore: number;
}

export const noAnswers: Answers = {
  since: Number.NEGATIVE_INFINITY,
  successes: 0,
  successesBefore: 0,
  firsts: 0,
  firstsBefore: 0,
  refusals: 0,
  refusalsBefore: 0,
  last: 0,
  spanSince: Number.NEGATIVE_INFINITY,
  inSpan: 0,
  inSpanBefore: 0,
};

const sliceMs = 1_000;
const spanMs = 15_000;

/** Fewer say nothing about everybody. */
const enough = 30;
const lastBits = 2 ** enough - 1;

/** `isFirst`: of a request's first attempt; what it got for trying again says nothing about others. */
export function afterAnswer(
  answers: Answers,
  isFirst: boolean,
  kind: 'success' | 'refusal' | 'other',
  now: number,
): Answers {
  const slices = Math.floor((now - answers.since) / sliceMs);
  const spans = Math.floor((now - answers.spanSince) / spanMs);
  const first = isFirst ? 1 : 0;
  const refusal = isFirst && kind === 'refusal' ? 1 : 0;
  // Written out: this happens at every answer, and a spread takes ten times as long.
  return {
    since: slices === 0 ? answers.since : now,
    successes: kept(answers.successes, slices) + (kind === 'success' ? 1 : 0),
    successesBefore: before(answers.successes, answers.successesBefore, slices),
    firsts: kept(answers.firsts, slices) + first,
    firstsBefore: before(answers.firsts, answers.firstsBefore, slices),
    refusals: kept(answers.refusals, slices) + refusal,
    refusalsBefore: before(answers.refusals, answers.refusalsBefore, slices),
    last: isFirst ? ((answers.last << 1) | refusal) & lastBits : answers.last,
    spanSince: spans === 0 ? answers.spanSince : now,
    inSpan: kept(answers.inSpan, spans) + first,
    inSpanBefore: before(answers.inSpan, answers.inSpanBefore, spans),
  };
}

function kept(count: number, passed: number): number {
  return passed === 0 ? count : 0;
}

function before(count: number, countBefore: number, passed: number): number {
  if (passed === 0) return countBefore;
  return passed === 1 ? count : 0;
}

/** Of the first answers of the last two seconds; where they are too few, of the last ones. 0 where these are too few. */
export function refusedShare(answers: Answers, now: number): number {
  const slices = Math.floor((now - answers.since) / sliceMs);
  const firsts = recent(answers.firsts, answers.firstsBefore, slices);
  if (firsts >= enough) return recent(answers.refusals, answers.refusalsBefore, slices) / firsts;
  const spans = Math.floor((now - answers.spanSince) / spanMs);
  return recent(answers.inSpan, answers.inSpanBefore, spans) >= enough ? bitsIn(answers.last) / enough : 0;
}

/** Per millisecond; undefined where nothing succeeded lately. `usual`: what too short a look does not refute. */
export function successRate(answers: Answers, usual: number, now: number): number | undefined {
  const elapsed = now - answers.since;
  const successes = elapsed < 2 * sliceMs ? answers.successes + answers.successesBefore : 0;
  if (successes === 0) return undefined;
  if (answers.successesBefore > 0) return successes / (elapsed + sliceMs);
  return elapsed < sliceMs ? Math.max(successes / sliceMs, usual) : successes / elapsed;
}

function recent(count: number, countBefore: number, slices: number): number {
  if (slices === 0) return count + countBefore;
  return slices === 1 ? count : 0;
}

function bitsIn(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** What was answered to other processes of a fleet, as if it had been answered here. */
export function afterOthers(
  answers: Answers,
  { firsts, refusals, successes }: Pick<Answers, 'firsts' | 'refusals' | 'successes'>,
  now: number,
): Answers {
  if (firsts === 0 && successes === 0) return answers;
  // One that is none of them: only time passes.
  const at = afterAnswer(answers, false, 'other', now);
  let { last } = at;
  // Of the latest, refusals and others by turns.
  const latest = Math.min(firsts, enough);
  for (let one = 1; one <= latest; one += 1) {
    const isRefusal = Math.floor((one * refusals) / firsts) > Math.floor(((one - 1) * refusals) / firsts);
    last = ((last << 1) | (isRefusal ? 1 : 0)) & lastBits;
  }
  return {
    ...at,
    successes: at.successes + successes,
    firsts: at.firsts + firsts,
    refusals: at.refusals + refusals,
    inSpan: at.inSpan + firsts,
    last,
  };
}
