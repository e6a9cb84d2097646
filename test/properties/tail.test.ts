/** Hedges and adaptive timeouts against random servers, in virtual time, through the wrapper of fetch. */

import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withRetry } from '../../src/adapters/fetch/index.js';
import { createRetrier, type PolicyOptions, type RequestEvent } from '../../src/index.js';
import { VirtualTime } from '../kit.js';
import { type Course, type CourseOf, SlowServer } from './slow-server.js';

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
      'with adaptive timeouts, although the budget does not pay for so many retries',
      { attemptTimeoutMs: { maxMs: 2_000 } },
    ],
    ['with hedges', { hedge: true }],
    ['with both', { hedge: true, attemptTimeoutMs: { maxMs: 2_000 } }],
  ])('fails no request: %s', async (_, policy) => {
    const { results } = await play(policy, atMs, courseOf);
    expect(results.filter(({ got }) => got !== 200)).toEqual([]);
  });
});

// ---------------------------------------------------------------- random servers

/** One request of a random load. */
interface Order {
  readonly gapMs: number;
  /** What becomes of its first attempt, its retries and its hedges, in order. The last one repeats. */
  readonly attempts: readonly Course[];
  readonly hedges: readonly Course[];
}

const policies = record({
  afterMs: integer({ min: 10, max: 120 }),
  share: constantFrom(0.05, 0.2, 1),
  capacity: integer({ min: 1, max: 5 }),
});

function coursesOf(...answers: readonly Course['answer'][]) {
  const ms = constantFrom(1, 10, 20, 20, 30, 90, 150, 400, 900);
  return array(record({ ms, answer: constantFrom(...answers) }), { minLength: 1, maxLength: 4 });
}

function ordersOf(...answers: readonly Course['answer'][]) {
  const courses = coursesOf(...answers);
  const order = record({ gapMs: constantFrom(0, 0, 5, 50, 300), attempts: courses, hedges: courses });
  return array(order, { minLength: 1, maxLength: 40 });
}

/** Before the random load, so many requests are answered in time: hedges are saved up, and answer times are known. */
const calm = 150;

async function playOrders(policy: PolicyOptions, orders: readonly Order[]): Promise<Played> {
  const atMs = Array.from({ length: calm }, (_, index) => index * 30);
  let now = calm * 30;
  for (const { gapMs } of orders) {
    now += gapMs;
    atMs.push(now);
  }
  return play(policy, atMs, (request, number, isHedge) => {
    const order = orders[indexOf(request) - calm];
    if (order === undefined) return usual;
    const courses = isHedge ? order.hedges : order.attempts;
    return courses[Math.min(number, courses.length - 1)] ?? usual;
  });
}

const schedule = { kind: 'fixed', waitMs: 15, jitter: 'none' } as const;
const runs = { numRuns: 25 };

/** At no time more hedges than the successes so far have paid for, and one end for each request. */
function expectSound({ events, waiting, server, results }: Played, share: number, capacity: number): void {
  let credit = 0;
  for (const event of events) {
    if (event.type === 'hedge') {
      credit -= 1;
      expect(credit).toBeGreaterThan(-1e-6);
    }
    if (event.type === 'settled' && event.outcome === 200) credit = Math.min(capacity, credit + share);
  }
  expect(events.filter(({ type }) => type === 'settled')).toHaveLength(results.length);
  expect(waiting).toBe(0);
  expect(server.out).toBe(0);
}

describe('whatever a server does', () => {
  test('a request that hedges is answered no later, for no more than its share of load', async () => {
    let hedges = 0;
    await assert(
      asyncProperty(policies, ordersOf(200), async (hedge, orders) => {
        const plain = await playOrders({ schedule }, orders);
        const hedged = await playOrders({ schedule, hedge }, orders);
        for (const [index, { got, ms }] of hedged.results.entries()) {
          expect(got).toBe(200);
          expect(ms).toBeLessThanOrEqual(plain.results[index]?.ms ?? 0);
        }
        const requests = plain.server.arrivals.length;
        expect(hedged.server.arrivals.length).toBeLessThanOrEqual(requests * (1 + hedge.share));
        expect(hedged.tokens).toEqual(plain.tokens);
        expectSound(hedged, hedge.share, hedge.capacity);
        hedges += hedged.server.arrivals.length - requests;
      }),
      runs,
    );
    expect(hedges).toBeGreaterThan(0);
  });

  test('a request that succeeds without hedges succeeds with them', async () => {
    await assert(
      asyncProperty(policies, ordersOf(200, 200, 200, 503, 'reset'), async (hedge, orders) => {
        const plain = await playOrders({ schedule, budget: false }, orders);
        const hedged = await playOrders({ schedule, budget: false, hedge }, orders);
        for (const [index, { got }] of plain.results.entries()) {
          if (got === 200) expect(hedged.results[index]?.got).toBe(200);
        }
        expectSound(hedged, hedge.share, hedge.capacity);
      }),
      runs,
    );
  });

  test('no hedge is sent within five seconds of a 429', async () => {
    await assert(
      asyncProperty(policies, ordersOf(200, 200, 503, 429, 'reset'), async (hedge, orders) => {
        const played = await playOrders(
          { schedule, throttledSchedule: schedule, hedge, budget: { capacity: 6 } },
          orders,
        );
        expectSound(played, hedge.share, hedge.capacity);
        const throttledAt: number[] = [];
        for (const event of played.events) {
          if (event.type === 'decision' && event.decision.finding.class === 'throttled')
            throttledAt.push(event.world.now);
        }
        const hedges = played.server.arrivals.filter(({ isHedge }) => isHedge);
        const isEarly = ({ atMs }: { readonly atMs: number }): boolean =>
          throttledAt.some((at) => atMs > at && atMs < at + 5_000);
        expect(hedges.filter(isEarly)).toEqual([]);
      }),
      runs,
    );
  });

  test('an adaptive timeout fails no request that would have been answered in time', async () => {
    let timeouts = 0;
    await assert(
      asyncProperty(policies, ordersOf(200), async (hedge, orders) => {
        for (const more of [{}, { hedge }]) {
          const attemptTimeoutMs = { maxMs: 1_000 };
          const { results, events, waiting, server } = await playOrders(
            { schedule, attemptTimeoutMs, ...more },
            orders,
          );
          expect(results.filter(({ got }) => got !== 200)).toEqual([]);
          expect(waiting).toBe(0);
          expect(server.out).toBe(0);
          timeouts += events.filter(({ type }) => type === 'decision').length;
        }
      }),
      runs,
    );
    expect(timeouts).toBeGreaterThan(0);
  });
});
