import { describe, expect, test } from 'vitest';
import type { AnswerKind, Sample } from '../../../src/core/limits/hold/sample.js';
import {
  afterAnswer,
  afterOthers,
  afterSent,
  afterSuccesses,
  msPerSuccess,
  noSample,
  sampleAfter,
  sampleFrom,
} from '../../../src/core/limits/hold/sample.js';

function answered(kinds: readonly AnswerKind[], eachMs: number, from: Sample = sampleFrom(0)): Sample {
  return kinds.reduce((sample, kind, index) => {
    return afterAnswer(sample, true, kind, undefined, from.since + (index + 1) * eachMs);
  }, from);
}

describe('a sample', () => {
  test('counts successes together as it counts one after the other', () => {
    const refused = afterAnswer(noSample, true, 'refusal', undefined, 70);
    let one = refused;
    for (const [index, isCounted] of [true, false, true].entries())
      one = afterAnswer(one, isCounted, 'success', undefined, 80 + index);
    expect(afterSuccesses(refused, 2, 3, 82)).toEqual(one);
  });

  test('begins with the first answer', () => {
    expect(afterAnswer(noSample, true, 'success', undefined, 70)).toMatchObject({
      since: 70,
      at: 70,
      firsts: 1,
    });
  });

  test('counts answers, the refused among them, and those since the last success', () => {
    const sample = answered(['refusal', 'success', 'other', 'refusal', 'refusal'], 10);
    expect(sample).toMatchObject({ firsts: 5, refusals: 3, successes: 1, inARow: 2, at: 50 });
  });

  test('counts what is not about the pace only if it succeeds', () => {
    const late = afterAnswer(sampleFrom(0), false, 'refusal', undefined, 5);
    expect(late).toMatchObject({ firsts: 0, refusals: 0, inARow: 0 });
    expect(afterAnswer(late, false, 'success', undefined, 6)).toMatchObject({ firsts: 0, successes: 1 });
  });

  test('measures a rate by the time in which answers came, of at least a second', () => {
    expect(msPerSuccess(answered(['success', 'success'], 1_000))).toBe(1_000);
    expect(msPerSuccess(answered(['success', 'success'], 10))).toBe(500);
    expect(msPerSuccess(answered(['refusal'], 10))).toBeUndefined();
  });

  test('is followed by another one that knows it, and the row goes on', () => {
    const next = sampleAfter(answered(['success', 'refusal'], 1_000), 9_000);
    expect(next).toMatchObject({ since: 9_000, firsts: 0, inARow: 1 });
    expect(next.before).toEqual({ firsts: 2, refusals: 1, successes: 1, forMs: 2_000 });
  });

  test('has what other processes were answered added to it', () => {
    const own = afterSent(answered(['refusal'], 10), 2);
    const both = afterOthers(own, { firsts: 3, refusals: 2, successes: 0, sent: 4 }, 100);
    expect(both).toMatchObject({ firsts: 4, refusals: 3, sent: 6, inARow: 3, at: 100 });
    expect(afterOthers(both, { firsts: 1, refusals: 0, successes: 1, sent: 0 }, 200).inARow).toBe(0);
    expect(afterOthers(own, { firsts: 0, refusals: 0, successes: 0, sent: 0 }, 300)).toBe(own);
  });
});
