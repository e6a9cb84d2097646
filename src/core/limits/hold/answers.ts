/**
 * What the server has answered lately: how many successes, and which share of first attempts was refused. Answers are
 * counted in seconds, the current one and the one before. For scopes with few requests, the last answers of half a
 * minute are kept, too.
 */

/** Recent answers. */
export interface Answers {
  /**
   * The current second, which began at `since`, and the one before: successes, first attempts, and first attempts that
   * were refused.
   */
  readonly since: number;
  readonly successes: number;
  readonly successesBefore: number;
  readonly firsts: number;
  readonly firstsBefore: number;
  readonly refusals: number;
  readonly refusalsBefore: number;
  /**
   * One bit for each of the last first attempts: whether it was refused. And how many there were, in this span and in
   * the one before.
   */
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

/** Fewer answers than this say nothing about the whole scope. */
const enough = 30;
const lastBits = 2 ** enough - 1;

/** `isFirst`: the answer is to a first attempt. Answers to retries say nothing about other requests. */
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
  // The fields are written out, because this runs for every answer and a spread takes ten times as long.
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

/**
 * The share of first attempts that were refused in the last two seconds. If there are too few attempts, the share among
 * the last ones of half a minute; 0 if these are too few as well.
 */
export function refusedShare(answers: Answers, now: number): number {
  const slices = Math.floor((now - answers.since) / sliceMs);
  const firsts = recent(answers.firsts, answers.firstsBefore, slices);
  if (firsts >= enough) return recent(answers.refusals, answers.refusalsBefore, slices) / firsts;
  const spans = Math.floor((now - answers.spanSince) / spanMs);
  return recent(answers.inSpan, answers.inSpanBefore, spans) >= enough ? bitsIn(answers.last) / enough : 0;
}

/**
 * Successes per millisecond; undefined if nothing succeeded lately. `usual` is the rate to assume while the time is too
 * short to measure one.
 */
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

/** What others were answered, in the last `forMs`. */
export interface OthersAnswers extends Pick<Answers, 'firsts' | 'refusals' | 'successes'> {
  readonly forMs: number;
}

/**
 * Adds the answers that other processes of the fleet got, as if they had come here. They are taken to have come evenly
 * in the time in which they were gathered, so each second gets its part of them.
 */
export function afterOthers(answers: Answers, others: OthersAnswers, now: number): Answers {
  const { firsts, refusals, successes } = others;
  if (firsts === 0 && successes === 0) return answers;
  const at = upTo(answers, others.forMs, now);
  const { part, before: inBefore } = partsOf(others, at, now);
  return {
    ...at,
    successes: at.successes + part * successes,
    successesBefore: inBefore(at.successesBefore, successes),
    firsts: at.firsts + part * firsts,
    firstsBefore: inBefore(at.firstsBefore, firsts),
    refusals: at.refusals + part * refusals,
    refusalsBefore: inBefore(at.refusalsBefore, refusals),
    inSpan: at.inSpan + firsts * Math.min(1, spanMs / Math.max(1, others.forMs)),
    last: withSpread(at.last, firsts, refusals),
  };
}

interface Parts {
  /** Which part of what others were answered belongs to the current second. */
  readonly part: number;
  /** What is counted of the second before, with what others were answered then. */
  readonly before: (count: number, others: number) => number;
}

function partsOf(
  { forMs }: OthersAnswers,
  { since, successesBefore, firstsBefore }: Answers,
  now: number,
): Parts {
  const elapsed = now - since;
  const partIn = (fromMs: number, toMs: number): number =>
    Math.max(0, Math.min(toMs, forMs) - fromMs) / Math.max(1, forMs);
  const partBefore = partIn(elapsed, elapsed + sliceMs);
  const aSecond = sliceMs / Math.max(1, forMs);
  const part = forMs < 1 ? 1 : partIn(0, elapsed);
  // The second before was not counted. If at least half of it is known now, the rest is taken to be like it.
  if (successesBefore === 0 && firstsBefore === 0) {
    return { part, before: (_, others) => (partBefore < aSecond / 2 ? 0 : aSecond * others) };
  }
  // The second before may have lasted longer than a second, so that it has some of these answers already.
  return {
    part,
    before: (count, others) => Math.max(count, Math.min(count + partBefore * others, aSecond * others)),
  };
}

/** The same answers with the seconds as of `now`. One second follows the other without a pause. */
function upTo(answers: Answers, forMs: number, now: number): Answers {
  const slices = Math.floor((now - answers.since) / sliceMs);
  const spans = Math.floor((now - answers.spanSince) / spanMs);
  return {
    since: slices < 2 ? answers.since + slices * sliceMs : now - Math.min(forMs, sliceMs),
    successes: kept(answers.successes, slices),
    successesBefore: before(answers.successes, answers.successesBefore, slices),
    firsts: kept(answers.firsts, slices),
    firstsBefore: before(answers.firsts, answers.firstsBefore, slices),
    refusals: kept(answers.refusals, slices),
    refusalsBefore: before(answers.refusals, answers.refusalsBefore, slices),
    last: answers.last,
    spanSince: spans === 0 ? answers.spanSince : now,
    inSpan: kept(answers.inSpan, spans),
    inSpanBefore: before(answers.inSpan, answers.inSpanBefore, spans),
  };
}

/** Spreads the refusals evenly over the latest bits. */
function withSpread(bits: number, firsts: number, refusals: number): number {
  let last = bits;
  const latest = Math.min(Math.round(firsts), enough);
  for (let one = 1; one <= latest; one += 1) {
    const isRefusal = Math.floor((one * refusals) / firsts) > Math.floor(((one - 1) * refusals) / firsts);
    last = ((last << 1) | (isRefusal ? 1 : 0)) & lastBits;
  }
  return last;
}
