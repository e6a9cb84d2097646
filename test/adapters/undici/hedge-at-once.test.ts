/**
 * An attempt is timed from the end of the turn in which it was sent. What a cache or a mock answers within that turn says
 * nothing about how long the server takes.
 */

import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions, type Retrier } from '../../../src/index.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';

const slowMs = 20;
const policy: PolicyOptions = {
  hedge: { factor: 1 },
  attemptTimeoutMs: { factor: 1, minMs: 1, maxMs: 10_000 },
};

interface Told {
  onRequestStart(controller: object, context: object): void;
  onResponseStart(controller: object, status: number, headers: object, text: string): void;
  onResponseEnd(controller: object, trailers: object): void;
}

const calls = { late: 0 };

/** Answers at once, unless the path is `/slow`. Of `/late`, only the second attempt is answered. */
function answering({ path }: Dispatcher.DispatchOptions, to: Told): boolean {
  const controller = { paused: false, aborted: false, reason: null, pause() {}, resume() {}, abort() {} };
  to.onRequestStart(controller, {});
  const answer = (): void => {
    to.onResponseStart(controller, 200, {}, 'OK');
    to.onResponseEnd(controller, {});
  };
  if (path === '/slow') setTimeout(answer, slowMs);
  else if (path !== '/late' || ++calls.late > 1) answer();
  return true;
}

function asking(retrier: Retrier): (path: string, times: number) => Promise<unknown> {
  const beneath = (() => answering) as never as Dispatcher.DispatcherComposeInterceptor;
  const dispatcher = openAgent().compose(beneath, retry(retrier));
  const ask = async (path: string): Promise<void> => {
    await (await undici.request(`http://a.example${path}`, { dispatcher })).body.dump();
  };
  return (path, times) => Promise.all(Array.from({ length: times }, () => ask(path)));
}

function learntBy(retrier: Retrier) {
  return retrier.snapshot().scopes[0]?.learnt?.[0];
}

test('what is answered in the turn in which it was sent teaches nothing', async () => {
  const retrier = createRetrier(policy);
  const ask = asking(retrier);
  await ask('/kept', 300);
  expect(learntBy(retrier)).toEqual({ rule: 'default' });
  await ask('/slow', 75);
  const { hedgeAfterMs = 0, attemptTimeoutMs = 0 } = learntBy(retrier) ?? {};
  // A timer may be early by a millisecond, and a bucket of times is 9 % wide.
  expect(hedgeAfterMs).toBeGreaterThan(0.9 * (slowMs - 1));
  expect(attemptTimeoutMs).toBeGreaterThan(0.9 * (slowMs - 1));
  await ask('/kept', 300);
  expect(learntBy(retrier)?.hedgeAfterMs).toBe(hedgeAfterMs);
});

test('it adds to the hedges that may be sent all the same', async () => {
  const ask = asking(createRetrier({ hedge: { afterMs: 1, share: 1 } }));
  await ask('/kept', 1);
  await ask('/late', 1);
  expect(calls.late).toBe(2);
});
