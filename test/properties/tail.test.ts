/** Hedges and learnt timeouts against random servers, in virtual time, through the wrapper of fetch. */

import { describe, expect, test } from 'vitest';
import { withRetry } from '../../src/adapters/fetch/index.js';
import { createRetrier, type PolicyOptions, type RequestEvent } from '../../src/index.js';
import { VirtualTime } from '../kit.js';
import { type CourseOf, SlowServer } from './slow-server.js';

/** What a caller got. */
interface Result {
  readonly got: number | string;
  readonly ms: number;
}

interface Played {
  readonly results: readonly Result[];
  readonly events: readonly RequestEvent[];
  readonly server: SlowServer;
  /** Waits that nothing has ended or taken back. */
  readonly waiting: number;
  readonly tokens: readonly number[];
}

/** Sends a request at each of these times. */
async function play(policy: PolicyOptions, atMs: readonly number[], courseOf: CourseOf): Promise<Played> {
  const time = new VirtualTime();
  const server = new SlowServer(time, courseOf);
  const events: RequestEvent[] = [];
  const observe = (event: RequestEvent): void => void events.push(event);
  const retrier = createRetrier({ ...policy, observe }, time.ports());
  const doFetch = withRetry(server.fetch as typeof fetch, retrier);
  const results: Result[] = [];
  const send = async (index: number): Promise<void> => {
    const startedAt = time.now;
    const got = await doFetch(`http://a.example/${index}`).then(
      ({ status }) => status,
      ({ name, code = name }) => code as string,
    );
    results[index] = { got, ms: time.now - startedAt };
  };
  const sending: Promise<void>[] = [];
  for (const [index, at] of atMs.entries()) {
    await time.advance(at - time.now);
    sending.push(send(index));
  }
  await time.advance(3_600_000);
  await Promise.all(sending);
  const [scope] = retrier.snapshot().scopes;
  const tokens = scope?.budgets.map((budget) => budget.tokens) ?? [];
  return { results, events, server, waiting: time.waiting.length, tokens };
}

function indexOf(request: string): number {
  return Number(request.split('/').at(-1));
}

const usual = { ms: 20, answer: 200 } as const;

describe('a server that pauses', () => {
  const atMs = [
    ...Array.from({ length: 200 }, (_, index) => index * 100),
    ...new Array<number>(200).fill(30_000),
  ];
  const courseOf: CourseOf = (request) => (indexOf(request) < 200 ? usual : { ms: 400, answer: 200 });

  test.each<[string, PolicyOptions]>([
    ['with a fixed timeout', { attemptTimeoutMs: 2_000 }],
    [
      'with learnt timeouts, although the budget does not pay for so many retries',
      { attemptTimeoutMs: { maxMs: 2_000 } },
    ],
    ['with hedges', { hedge: true }],
    ['with both', { hedge: true, attemptTimeoutMs: { maxMs: 2_000 } }],
  ])('fails no request: %s', async (_, policy) => {
    const { results } = await play(policy, atMs, courseOf);
    expect(results.filter(({ got }) => got !== 200)).toEqual([]);
  });
});
