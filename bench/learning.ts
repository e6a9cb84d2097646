/** What it costs to learn from the answers of a rule that hedges: time for each answer, and memory. Needs `--expose-gc`. */

import type { Settings } from '../src/index.js';
import { definePolicy } from '../src/index.js';
import type { LatencyState } from '../src/internal.js';
import { afterAttempt, afterSuccess, hedgeAfterMs, learntTimeoutMs, newLatency } from '../src/internal.js';
import { measure, median, spreadOf } from './measure.js';
import type { Row } from './row.js';

type Tail = NonNullable<Settings['tail']>;

const turns = 200_000;
const mostNs = 200;
const mostBytes = 10_000;

const { tail } = definePolicy({ hedge: true, attemptTimeoutMs: { maxMs: 5_000 } }).fallback.settings;

export function benchLearning(): Row[] {
  if (tail === undefined) throw new Error('The policy of this benchmark has to ask for hedges');
  const subjects = [
    { name: 'a request that succeeds', work: learning(tail) },
    { name: 'asking for the hedge and the timeout', work: asking(tail) },
  ];
  const rows = measure(subjects, turns).map(
    (ns, index): Row => ({
      name: subjects[index]?.name ?? '',
      value: median(ns),
      unit: 'ns',
      note: `±${(spreadOf(ns) * 100).toFixed(0)} %`,
      ...(index === 0 && { atMost: mostNs }),
    }),
  );
  return [...rows, { name: 'a rule in a scope', value: bytesOfOne(tail), unit: 'bytes', atMost: mostBytes }];
}

/** Usual times in milliseconds, from 10 to 90, and one of a hundred that takes 2 s. */
function usualMs(turn: number): number {
  return turn % 100 === 0 ? 2_000 : 10 + ((turn * 37) % 81);
}

function learning(tail: Tail): (count: number) => number {
  let state = newLatency;
  let now = 0;
  return (count) => {
    for (let turn = 0; turn < count; turn += 1) {
      now += 1;
      state = afterSuccess(tail, afterAttempt(tail, state, usualMs(turn), true, now));
    }
    return now;
  };
}

function asking(tail: Tail): (count: number) => number {
  const state = taught(tail);
  return (count) => {
    let sum = 0;
    for (let turn = 0; turn < count; turn += 1) {
      sum += (hedgeAfterMs(tail, state, lastAt) ?? 0) + (learntTimeoutMs(tail, state, lastAt) ?? 0);
    }
    return sum;
  };
}

/** Twenty minutes of answers and cuts, so that everything is kept that ever is; the last batch is nearly full. */
const attempts = 1_524;
const everyMs = 800;
const lastAt = attempts * everyMs;

function taught(tail: Tail): LatencyState {
  let state = newLatency;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const isWhole = attempt % 5 > 0;
    state = afterSuccess(tail, afterAttempt(tail, state, usualMs(attempt), isWhole, attempt * everyMs));
  }
  return state;
}

function bytesOfOne(tail: Tail): number {
  const kept = [taught(tail)];
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let one = 0; one < 1_000; one += 1) kept.push(taught(tail));
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / (kept.length - 1);
}
