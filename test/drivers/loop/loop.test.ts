/**
 * The loop with the smallest possible client, called as `fetch` is. It shows that the loop's interface is not made for
 * axios alone.
 */

import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { begin } from '../../../src/drivers/loop/begin.js';
import { AttemptTimeoutError, DeadlineError, historyOf } from '../../../src/index.js';
import type { HandTime } from '../../adapters/hand-time.js';
import { type Answer, type Fetch, Toy, url } from './toy.js';

/** Gives one answer after the other. */
function answering(...statuses: readonly number[]): Fetch & { answers: Answer[] } {
  const answers = statuses.map((status) => ({ status }));
  const left = [...answers];
  return Object.assign(async () => left.shift() as Answer, { answers });
}

/** Ends only by its signal. */
const silent: Fetch = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

describe('the loop of a client that is called as fetch is', () => {
  test('hands over a response that succeeds at once, and asks for nothing else', async () => {
    const fetch = answering(200);
    const toy = new Toy({}, fetch);
    expect(await begin(toy)).toBe(fetch.answers[0]);
    expect(toy.log).toEqual([]);
    expect(historyOf(fetch.answers[0])).toHaveLength(1);
  });

  test('releases a response that is retried, waits, and hands over the final response untouched', async () => {
    const fetch = answering(503, 200);
    const toy = new Toy({ attemptHeader: 'x-retry' }, fetch);
    const answer = begin(toy);
    await toy.time.fire(5);
    expect(await answer).toBe(fetch.answers[1]);
    expect(toy.log).toEqual(['released 503', 'closed with response']);
    expect(toy.sent.map(({ headers }) => headers['x-retry'])).toEqual([undefined, '1']);
    expect(historyOf(fetch.answers[1])).toHaveLength(2);
  });

  test('hands over the error of the last attempt untouched', async () => {
    const error = Object.assign(new TypeError('fetch failed'), { cause: { code: 'CERT_HAS_EXPIRED' } });
    const toy = new Toy({}, () => Promise.reject(error));
    await expect(begin(toy)).rejects.toBe(error);
    expect(historyOf(error)).toHaveLength(1);
  });

  test('an answer without a status is handed over as it is', async () => {
    const toy = new Toy({ retryIf: () => true }, answering(0));
    expect(await begin(toy)).toEqual({ status: 0 });
    expect(toy.sent).toHaveLength(1);
  });

  test("passes the caller's own signal, unless a time limit needs another", async () => {
    const { signal } = new AbortController();
    for (const [policy, isCallers] of [[{}, true] as const, [{ deadlineMs: 100 }, false] as const]) {
      const toy = new Toy(policy, answering(200), signal);
      await begin(toy);
      expect(toy.sent[0]?.signal === signal).toBe(isCallers);
    }
  });

  test('an attempt that exceeds its time is an outcome like any other; an answer that comes later is released', async () => {
    let comeLate = (_answer: Answer): void => undefined;
    const late = new Promise<Answer>((resolve) => {
      comeLate = resolve;
    });
    const fetches: Fetch[] = [() => late, answering(200)];
    const toy = new Toy({ attemptTimeoutMs: 70 }, (sent) => (fetches.shift() as Fetch)(sent));
    const answer = begin(toy);
    await toy.time.fire(70);
    await toy.time.fire(5);
    expect(await answer).toEqual({ status: 200 });
    expect(toy.sent[0]?.signal?.reason).toBeInstanceOf(AttemptTimeoutError);
    comeLate({ status: 202 });
    await new Promise(setImmediate);
    expect(toy.log).toContain('released 202');
    expect(toy.time.pending).toEqual([]);
  });

  test('a DeadlineError has the last real outcome as its cause, and does not hold the released answer', async () => {
    const fetches: Fetch[] = [answering(503), silent];
    const toy = new Toy({ deadlineMs: 100 }, (sent) => (fetches.shift() as Fetch)(sent));
    const failure = begin(toy).catch((error: unknown) => error);
    await toy.time.fire(5);
    await toy.time.fire(95);
    const error = await failure;
    expect(error).toBeInstanceOf(DeadlineError);
    expect((error as Error).cause).toEqual({ status: 503, headers: {} });
  });

  test('a deadline that covers the body ends what is left of the attempt', async () => {
    const toy = new Toy({ deadlineMs: 100, deadlineCovers: 'body' }, answering(200));
    await begin(toy);
    const reason = toy.deadline?.error();
    expect(reason).toBeInstanceOf(DeadlineError);
    toy.deadline?.abort(reason);
    expect(toy.sent[0]?.signal?.reason).toBe(reason);
  });

  test.each<[string, PolicyOptions, Fetch, (time: HandTime) => Promise<unknown>]>([
    ['an attempt', {}, silent, async () => undefined],
    ['an attempt with a time limit', { attemptTimeoutMs: 70 }, silent, async () => undefined],
    ['a wait', {}, answering(503), (time) => time.until(({ pending }) => pending.includes(5))],
    ['a hook', { retryIf: () => new Promise(() => undefined) }, answering(503), async () => undefined],
  ])(
    "the caller's abort ends %s with the very reason, and no listener is left",
    async (_what, policy, fetch, midst) => {
      const caller = new AbortController();
      const toy = new Toy(policy, fetch, caller.signal);
      const failure = begin(toy).catch((error: unknown) => error);
      await midst(toy.time);
      await new Promise(setImmediate);
      const reason = new Error('enough');
      caller.abort(reason);
      expect(await failure).toBe(reason);
      // The test client itself leaves its listener.
      const own = fetch === silent && policy.attemptTimeoutMs === undefined ? 1 : 0;
      expect(getEventListeners(caller.signal, 'abort')).toHaveLength(own);
      expect(toy.time.pending).toEqual([]);
      expect(toy.sent).toHaveLength(1);
    },
  );

  test('after the answer, an abort ends the body until it is read', async () => {
    const caller = new AbortController();
    const toy = new Toy({ deadlineMs: 100 }, answering(200), caller.signal);
    await begin(toy);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
    const reason = new Error('enough');
    caller.abort(reason);
    expect(toy.sent[0]?.signal?.reason).toBe(reason);
    toy.stopFollowing?.();
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  test('a caller who has aborted in the meantime gets no answer', async () => {
    const caller = new AbortController();
    const reason = new Error('enough');
    const observe = (): void => caller.abort(reason);
    const toy = new Toy({ maxRetries: 0, observe }, answering(404), caller.signal);
    await expect(begin(toy)).rejects.toBe(reason);
    expect(toy.log).toEqual(['released 404', 'closed with error']);
  });

  test('a request ends even if its answer can be neither judged nor released', async () => {
    const told: string[] = [];
    const retryIf = (): never => {
      throw new Error('no verdict');
    };
    const toy = new Toy({ retryIf, observe: ({ type }) => told.push(type) }, answering(503));
    const broken = new Error('no reader');
    toy.release = () => {
      throw broken;
    };
    await expect(begin(toy)).rejects.toBe(broken);
    expect(toy.log).toEqual(['closed with error']);
    expect(told).toEqual(['settled']);
  });

  test.each([
    ['same url', (): void => undefined, url],
    [
      'other url',
      (context: { url: string }): void => {
        context.url = 'https://b.example/';
      },
      'https://b.example/',
    ],
  ])('beforeRetry: %s', async (says, beforeRetry, sentTo) => {
    const toy = new Toy({ beforeRetry }, answering(503, 200));
    const answer = begin(toy);
    await toy.time.fire(5);
    await answer;
    expect(toy.log).toContain(says);
    expect(toy.sent.at(-1)?.url).toBe(sentTo);
  });
});
