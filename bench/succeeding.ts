/** What a request costs that succeeds at once: time, and bytes beyond its session. Needs `--expose-gc`. */

import type { RequestFacts } from '../src/core/types.js';
import type { Retrier } from '../src/runtime/retrier.js';
import { createRetrier } from '../src/runtime/retrier.js';
import type { Session } from '../src/runtime/session.js';
import type { Row } from './measure.js';
import { bytesPerTurn, measure } from './measure.js';

const turns = 100_000;
/** So many that what happens once in a while does not count, and few enough for the young generation. */
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
  drained.open(request).next({ kind: 'response', status: 503, headers: {} }, true);
  for (const retrier of [plain, drained]) succeed(retrier, 10 * turns);
  const [time] = measure([{ name: '', work: (count) => succeed(plain, count) }], turns);
  const opened = bytesPerTurn(() => open(plain, counted), counted);
  return [
    {
      name: 'success path: time',
      value: `${Math.round(time?.ns ?? Number.NaN)} ns`,
      note: 'open, admit, accept',
    },
    { name: 'success path: the session', value: `${opened.toFixed(0)} bytes`, note: 'the object itself' },
    extra('success path: beyond it, full budget', plain, opened),
    extra('success path: beyond it, after a retry', drained, opened),
  ];
}

function extra(name: string, retrier: Retrier, opened: number): Row {
  const all = bytesPerTurn(() => succeed(retrier, counted), counted);
  return { name, value: `${Math.max(0, all - opened).toFixed(1)} bytes`, note: 'to be 0 once warm' };
}

/** Kept, or the optimiser would not even make them. */
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
    if (session.admit().kind === 'go' && session.accepts(200)) accepted += 1;
  }
  return accepted;
}
