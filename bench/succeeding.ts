/** What a request that succeeds at once costs: time, and bytes beyond its session. Needs `--expose-gc`. */

import type { RequestFacts, Retrier, Session } from '../src/index.js';
import { createRetrier } from '../src/index.js';
import { bytes, measure, median } from './measure.js';
import type { Row } from './row.js';

const turns = 100_000;
/** Enough that rare events do not count, and few enough for the young generation. */
const counted = 1_000_000;
const request: RequestFacts = {
  method: 'GET',
  origin: 'https://api.example.com',
  path: '/things/1',
  keyed: false,
};

export function benchSucceeding(): Row[] {
  const plain = createRetrier();
  const drained = createRetrier();
  drained.open(request).next({ kind: 'response', status: 503, headers: {} }, { replayable: true });
  for (const retrier of [plain, drained]) succeed(retrier, 10 * turns);
  const [ns = []] = measure([{ name: '', work: (count) => succeed(plain, count) }], turns);
  const opened = leastBytes((count) => open(plain, count));
  return [
    { name: 'open, admit, accept', value: median(ns), unit: 'ns' },
    { name: 'the session', value: opened, unit: 'bytes' },
    beyond('beyond the session, full budget', plain, opened),
    beyond('beyond the session, after a retry', drained, opened),
  ];
}

function beyond(name: string, retrier: Retrier, opened: number): Row {
  const all = leastBytes((count) => succeed(retrier, count));
  // One byte is for what the measurement itself leaves behind.
  return { name, value: Math.max(0, all - opened), unit: 'bytes', atMost: 1 };
}

/** The least of the rounds: other allocations can only add to it. */
function leastBytes(work: (count: number) => number): number {
  const [found = []] = measure([{ name: '', work }], counted, bytes, 9);
  return Math.min(...found);
}

/** Kept, because the optimiser would not create them otherwise. */
const kept: Session[] = [];

function open(retrier: Retrier, count: number): number {
  for (let turn = 0; turn < count; turn += 1) kept[turn % 64] = retrier.open(request);
  return kept.length;
}

function succeed(retrier: Retrier, count: number): number {
  let accepted = 0;
  for (let turn = 0; turn < count; turn += 1) {
    const session = retrier.open(request);
    kept[turn % 64] = session;
    if (session.admit().kind === 'go' && session.acceptAtOnce(200)) accepted += 1;
  }
  return accepted;
}
