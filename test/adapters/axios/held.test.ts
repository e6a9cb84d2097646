/** What is held while a retry waits: nothing of the answer, which would keep its connection's buffers. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AxiosAdapter } from 'axios';
import { expect, test } from 'vitest';
import { createRetrier, type PolicyOptions, type Sleep } from '../../../src/index.js';
import { comesTrue } from '../kit.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What was made or looked at in this turn is not collected in it. */
function aliveOf(references: readonly WeakRef<object>[]): number {
  collectGarbage();
  return references.filter((reference) => reference.deref() !== undefined).length;
}

const waitMs = 7_000;

const policies: [name: string, policy: PolicyOptions, held: 'error' | 'nothing'][] = [
  ['nothing', {}, 'nothing'],
  ['an attempt timeout', { attemptTimeoutMs: 1_000 }, 'nothing'],
  // It would be the cause of a DeadlineError, or of a GateShutError.
  ['a deadline', { deadlineMs: 60_000 }, 'error'],
  ['a gate', { gate: true }, 'error'],
];

test.each(policies)('with %s', async (_, policy, held) => {
  const waiting: (() => void)[] = [];
  const sleep: Sleep = (delayMs, wake) => {
    if (delayMs === waitMs) waiting.push(wake);
    // Whatever else there is time for: it takes no time here.
    return () => undefined;
  };
  const failures: WeakRef<object>[] = [];
  const adapter: AxiosAdapter = async (config) => {
    const response = { data: '', status: 200, statusText: '', headers: {}, config };
    if (failures.length === 3) return response;
    const failure = new axios.AxiosError('no', 'ECONNRESET', config, undefined);
    failures.push(new WeakRef(failure));
    throw failure;
  };
  const retrier = createRetrier(
    { schedule: { kind: 'fixed', waitMs, jitter: 'none' }, ...policy },
    { now: () => 0, sleep },
  );
  const asked = retryingInstance(retrier, { adapter }).get('http://a.example/');
  for (const count of [1, 2, 3]) {
    await comesTrue(() => waiting.length === 1);
    const expected = held === 'error' ? 1 : 0;
    await comesTrue(() => aliveOf(failures) === expected);
    expect([failures.length, aliveOf(failures)]).toEqual([count, expected]);
    waiting.pop()?.();
  }
  expect((await asked).status).toBe(200);
});
