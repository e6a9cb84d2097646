/** Requests that end before their answer: the caller aborts, or a time limit is over. */

import { describe, expect, test } from 'vitest';
import { type Play, silence, startLab } from '../faults/lab.js';
import { allowing, readable, readableHead } from './answers.js';
import { adapters, soon, tabForAll } from './scene.js';

const tab = tabForAll();

function waiting(waitMs: number) {
  return { schedule: { kind: 'fixed', waitMs, jitter: 'none' } } as const;
}

describe.each(adapters)('over %s', (adapter) => {
  describe.each(['signal', 'token'] as const)('a caller that aborts by %s during the wait', (giveUpBy) => {
    test('gets the CanceledError of this axios, however long the wait would have been', async () => {
      await using api = await startLab(allowing(readable(503)));
      const report = await tab().perform({
        request: { adapter, url: api.origin },
        retry: waiting(600_000),
        giveUpBy,
      });
      expect(report.error).toMatchObject({
        name: 'CanceledError',
        code: 'ERR_CANCELED',
        isCanceledError: true,
      });
      expect(report.decisions.map(({ reason }) => reason)).toEqual(['transient-status']);
    });

    test('sends nothing more after the wait', async () => {
      const script = allowing(readable(503), readable(503), readable(200));
      await using api = await startLab(script);
      const retry = waiting(300);
      await tab().perform({ request: { adapter, url: `${api.origin}/given-up` }, retry, giveUpBy });
      // Its wait begins after the other one and is as long.
      await tab().perform({ request: { adapter, url: `${api.origin}/later` }, retry });
      expect(api.requests.map(({ path }) => path)).toEqual(['/given-up', '/later', '/later']);
    });
  });

  test.each<[string, Play]>([
    ['never answers', silence()],
    ['stalls after the head', readableHead(200)],
  ])('the deadline ends an attempt that %s', async (_, stall) => {
    await using api = await startLab(allowing(stall));
    const report = await tab().perform({ request: { adapter, url: api.origin }, retry: { deadlineMs: 300 } });
    expect(report.error).toMatchObject({
      name: 'DeadlineError',
      code: 'ERR_UNDAUNTED_DEADLINE',
      isAxiosError: true,
      isCanceledError: false,
      adapter,
    });
    expect(api.requests.length).toBe(1);
    await api.until(({ connections, openSockets }) => openSockets < connections);
  });

  test.each<[string, Play]>([
    ['never answers', silence()],
    ['stalls after the head', readableHead(200)],
  ])('an attempt that %s is given up for the next one', async (_, stall) => {
    await using api = await startLab(allowing(stall, readable(200, 'tea')));
    const report = await tab().perform({
      request: { adapter, url: api.origin },
      retry: { schedule: soon, attemptTimeoutMs: 1_000 },
    });
    expect(report.response).toEqual({ status: 200, data: 'tea' });
    expect(report.reasons?.[0]).toBe('attempt-timeout');
  });

  test('an attempt of a POST that never answers is not followed by another', async () => {
    await using api = await startLab(allowing(silence(), readable(200)));
    const report = await tab().perform({
      request: { adapter, url: api.origin, method: 'post', data: 'tea' },
      retry: { schedule: soon, attemptTimeoutMs: 300 },
    });
    expect(report.error).toMatchObject({ name: 'AttemptTimeoutError', isAxiosError: true });
    expect(report.reasons).toEqual(['unsafe-method']);
  });
});
