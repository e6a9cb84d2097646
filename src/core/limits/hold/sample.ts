/** What the server answers, in samples: short ones where there are many requests, longer ones where there are few. */

import type { ResponseFinding } from '../../types.js';

/** First attempts that were answered, the refused among them, and everything that succeeded. */
export interface Counts {
  readonly firsts: number;
  readonly refusals: number;
  readonly successes: number;
}

export interface Sample extends Counts {
  readonly since: number;
  /** When the last answer came. */
  readonly at: number;
  /** First attempts that were sent; only counted while requests queue. */
  readonly sent: number;
  /** First attempts that were refused since the last success. */
  readonly inARow: number;
  /** The last refusal. */
  readonly finding: ResponseFinding | undefined;
  /** The sample before this one, if it is about the same pace. */
  readonly before: (Counts & { readonly forMs: number }) | undefined;
}

export const noSample: Sample = /* @__PURE__ */ (() => ({
  since: -Infinity,
  at: -Infinity,
  sent: 0,
  firsts: 0,
  refusals: 0,
  successes: 0,
  inARow: 0,
  finding: undefined,
  before: undefined,
}))();

export type AnswerKind = 'success' | 'refusal' | 'other';

/** `isCounted`: it is the answer to a first attempt that was sent at the current pace. Every success counts. */
export function afterAnswer(
  sample: Sample,
  isCounted: boolean,
  kind: AnswerKind,
  finding: ResponseFinding | undefined,
  now: number,
): Sample {
  const isRefusal = isCounted && kind === 'refusal';
  const isSuccess = kind === 'success';
  // The fields are written out, because this runs for every answer and a spread takes ten times as long.
  return {
    since: sample.since === noSample.since ? now : sample.since,
    at: now,
    sent: sample.sent,
    firsts: sample.firsts + (isCounted ? 1 : 0),
    refusals: sample.refusals + (isRefusal ? 1 : 0),
    successes: sample.successes + (isSuccess ? 1 : 0),
    inARow: isSuccess ? 0 : sample.inARow + (isRefusal ? 1 : 0),
    finding: finding ?? sample.finding,
    before: sample.before,
  };
}

/** The same as `afterAnswer` for each of them, if it is not the first answer. `firsts`: how many of them are counted. */
export function afterSuccesses(sample: Sample, firsts: number, successes: number, now: number): Sample {
  return {
    ...sample,
    at: now,
    firsts: sample.firsts + firsts,
    successes: sample.successes + successes,
    inARow: 0,
  };
}

export function afterSent(sample: Sample, count: number): Sample {
  return { ...sample, sent: sample.sent + count };
}

/** Adds what other processes of the fleet were answered since this one last heard of them. */
export function afterOthers(sample: Sample, others: Counts & { readonly sent: number }, now: number): Sample {
  const { firsts, refusals, successes, sent } = others;
  if (firsts === 0 && successes === 0 && sent === 0) return sample;
  return {
    ...sample,
    since: sample.since === noSample.since ? now : sample.since,
    at: now,
    sent: sample.sent + sent,
    firsts: sample.firsts + firsts,
    refusals: sample.refusals + refusals,
    successes: sample.successes + successes,
    inARow: successes > 0 ? 0 : sample.inARow + refusals,
  };
}

/** A sample about another pace than the one before. */
export function sampleFrom(now: number): Sample {
  return { ...noSample, since: now, at: now };
}

/** The next sample about the same pace. */
export function sampleAfter(sample: Sample, now: number): Sample {
  const { firsts, refusals, successes, inARow, finding } = sample;
  const before = { firsts, refusals, successes, forMs: spanOf(sample) };
  return { ...sampleFrom(now), inARow, finding, before };
}

/** A sample lasts so long at least. */
export const shortestMs = 1_000;

/** How long answers came. After them, there may have been a pause. */
function spanOf({ since, at }: Sample): number {
  return Math.max(shortestMs, at - since);
}

/** The time between two successes at the rate of the sample; undefined if nothing succeeded. */
export function msPerSuccess(sample: Sample): number | undefined {
  return sample.successes === 0 ? undefined : spanOf(sample) / sample.successes;
}
