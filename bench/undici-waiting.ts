/** A hundred thousand undici requests that wait, and the delay of the event loop when all waits end. */

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import type { PolicyOptions } from '../src/index.js';
import { amountOf, measureRounds, median, ratioTo, type Series } from './measure.js';
import { type Answer, answerOf, CountingHandler, memoryDispatcher, received } from './memory-dispatcher.js';
import type { Row } from './row.js';
import { undici } from './undici-under-test.js';
import { type Crowd, LongWaits, rowsOfWaiting, unanswered } from './waiting.js';
import { withSmallServer } from './with-small-server.js';

const requests = amountOf(100_000);
/** Each has its own socket, and a process does not have more of them to spare. */
const hangingRequests = amountOf(5_000);
const rounds = 21;
const sentWithinMs = 2_000;
const batch = 1_000;
/** By then, all requests have been sent. */
const waitMs = 2_500;

export async function benchUndiciWaiting(): Promise<Row[]> {
  const rows = await withSmallServer((origin) =>
    rowsOfWaiting({
      rounds: 5,
      hanging: () => ({
        ...crowd(new undici.Agent({ connections: null }), `${origin}/silence`),
        requests: hangingRequests,
        batch: 500,
        staying: () => unanswered(origin),
      }),
      waiting: () => {
        const { retrier, staying } = new LongWaits();
        const agent = new undici.Agent({ connections: 50 });
        const busy = crowd(agent.compose(retry(retrier)), `${origin}/busy`);
        return { ...busy, requests, batch: requests, staying };
      },
    }),
  );
  return [...rows, ...(await rowsOfFiring())];
}

function fixed(ms: number): PolicyOptions {
  return { schedule: { kind: 'fixed', waitMs: ms, jitter: 'none' }, budget: false };
}

function crowd(dispatcher: Dispatcher, url: string): Pick<Crowd, 'send' | 'close'> {
  return {
    send: (signal) => undici.request(url, { dispatcher, signal }),
    close: () => dispatcher.destroy(),
  };
}

// --------------------------------------------------------------- when the waits end

async function rowsOfFiring(): Promise<Row[]> {
  const theirs = { minTimeout: waitMs, maxTimeout: waitMs, timeoutFactor: 1, throwOnError: false };
  const layers = [undici.interceptors.retry(theirs), retry(fixed(waitMs))];
  const [peer = [], ours = []] = await measureRounds(
    layers.map((layer) => () => delayWhileFiring(layer)),
    rounds,
  );
  const row = (name: string, values: Series): Row => ({
    name: `100,000 waits end within ${sentWithinMs} ms: ${name}`,
    value: median(values),
    unit: 'ms',
    note: 'event-loop delay, p99',
  });
  return [
    row('interceptors.retry()', peer),
    { ...row('undaunted', ours), ratio: ratioTo('interceptors.retry()', ours, peer) },
  ];
}

/** The p99 in ms, between the first and the last of the second attempts. */
async function delayWhileFiring(layer: Dispatcher.DispatcherComposeInterceptor): Promise<number> {
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let answer: () => Answer = () => busy;
  const dispatcher = memoryDispatcher(() => answer()).compose(layer);
  const startedAt = performance.now();
  for (let begun = 0; begun < requests; begun += 1) {
    // In the same time for both, because the waits of a slower sender would end further apart.
    const dueAt = startedAt + (sentWithinMs * begun) / requests;
    while (begun % batch === 0 && performance.now() < dueAt) await nextTurn();
    dispatcher.dispatch(
      { origin: 'http://a.example', path: '/', method: 'GET' },
      new CountingHandler() as never,
    );
  }
  const answeredBefore = received.answers;
  answer = () => {
    delay.enable();
    answer = () => fine;
    return fine;
  };
  while (received.answers < answeredBefore + requests) await nextTurn();
  await nextSample(delay);
  delay.disable();
  return delay.percentile(99) / 1e6;
}

/** The histogram sees the last delay of the loop only after another turn. */
async function nextSample(delay: IntervalHistogram): Promise<void> {
  for (const { count } = delay; delay.count === count; ) await nextTurn();
}

const busy: Answer = answerOf(503, 1);
const fine: Answer = answerOf(200, 1);
