/** Time limits begin to count at the end of the turn in which a request is made. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { unhandled } from '../../unhandled.js';
import { undici } from './client.js';
import { record } from './recorder.js';

const origin = 'http://a.example';
/** Of lengths that no other test has. */
const short: PolicyOptions = { retry: false, deadlineMs: 67 };
const long: PolicyOptions = { deadlineMs: 10_061, attemptTimeoutMs: 10_051 };

/** Its requests are never answered. */
class Silent extends undici.Dispatcher {
  override dispatch(): boolean {
    return true;
  }
}

/** Its requests are answered as soon as they are sent. */
class Immediate extends undici.Dispatcher {
  override dispatch(_options: unknown, handler: Handler): boolean {
    const controller = { abort: () => undefined, pause: () => undefined, resume: () => undefined };
    handler.onRequestStart(controller, null);
    handler.onResponseStart(controller, 200, {}, 'OK');
    handler.onResponseEnd(controller, {});
    return true;
  }
}

type Handler = Readonly<
  Record<'onRequestStart' | 'onResponseStart' | 'onResponseEnd', (...given: unknown[]) => void>
>;

test('a clock that throws leaves no request without its deadline', async () => {
  const errors = unhandled();
  let isBroken = false;
  const now = (): number => {
    if (!isBroken) return performance.now();
    isBroken = false;
    throw new Error('no clock');
  };
  const strange = new Silent().compose(retry(createRetrier(short, { now })));
  const usual = new Silent().compose(retry(short));
  const all = [strange, usual, usual].map((dispatcher) => record(dispatcher, { origin }));
  isBroken = true;
  await Promise.all(all.map((recorder) => recorder.end()));
  expect(all.map((recorder) => recorder.errors)).toMatchObject(
    all.map(() => [{ code: 'ERR_UNDAUNTED_DEADLINE' }]),
  );
  expect(errors).toEqual([new Error('no clock')]);
});

test('what is answered in that turn sets no timer and reads no clock', async () => {
  const agent = new Immediate().compose(retry(long));
  // The scope's first request.
  record(agent, { origin });
  await Promise.resolve();
  const timed = vi.spyOn(performance, 'now');
  onTestFinished(() => timed.mockRestore());
  const real = setTimeout;
  let timers = 0;
  vi.stubGlobal('setTimeout', (...given: Parameters<typeof setTimeout>) => {
    timers += 1;
    return real(...given);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const all = Array.from({ length: 10 }, () => record(agent, { origin }));
  await Promise.resolve();
  expect([timers, timed.mock.calls.length]).toEqual([0, 0]);
  for (const recorder of all) expect(recorder.errors).toEqual([]);
});
