/** What undici is told when an attempt is given up: over HTTP/2, other requests may hear of it. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { HandTime } from '../hand-time.js';
import { hedgeMs, type Warmed, warmedUp } from '../suites/hedged.js';
import { record } from './recorder.js';

const timeMs = 50;

/** A request whose attempts no undici sends: the test itself calls their handlers, and hears why they are aborted. */
function byHand({ retrier }: Pick<Warmed, 'retrier'>) {
  const sent: Dispatcher.DispatchHandler[] = [];
  const reasons: unknown[] = [];
  const dispatch = retry(retrier)((_, handler) => sent.push(handler) > 0);
  const recorder = record({ dispatch } as unknown as Dispatcher, { origin: 'http://by-hand.example' });
  const nothing = (): void => undefined;
  const controller = { abort: (reason: unknown) => reasons.push(reason), pause: nothing, resume: nothing };
  const start = (index: number): void => sent[index]?.onRequestStart?.(controller as never, {});
  const head = (index: number): void => sent[index]?.onResponseStart?.(controller as never, 200, {}, '');
  return { recorder, reasons, start, head };
}

// After a GOAWAY, undici 8 may end every request that waits for the next session with the error of an attempt that is
// aborted on the old one, unless it has the code UND_ERR_INFO.
describe('the reason of an abort is no error for other requests', () => {
  test('of an attempt that has lost', async () => {
    const warmed = warmedUp();
    const { reasons, start, head } = byHand(warmed);
    start(0);
    await warmed.time.fire(hedgeMs);
    start(1);
    head(1);
    expect(reasons).toMatchObject([{ code: 'UND_ERR_INFO' }]);
  });

  test.each<[string, PolicyOptions]>([
    ['after its timeout', { attemptTimeoutMs: timeMs, maxRetries: 0 }],
    ['at the deadline', { deadlineMs: timeMs }],
  ])('of an attempt that ends %s; the caller gets that error', async (_, policy) => {
    const time = new HandTime();
    const { recorder, reasons, start } = byHand({ retrier: createRetrier(policy, time.ports) });
    start(0);
    await time.fire(timeMs);
    const [error] = (await recorder.end()).errors;
    expect(error).toMatchObject({ code: expect.stringMatching('ERR_UNDAUNTED') });
    expect(reasons).toMatchObject([{ code: 'UND_ERR_INFO', cause: error }]);
  });
});
