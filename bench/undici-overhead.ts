/**
 * What an interceptor adds to a request that succeeds at once, on a dispatcher that only answers: an empty interceptor,
 * undici's own retry, and ours. Needs `--expose-gc`.
 */

import type { Dispatcher } from 'undici';
import {
  bytes,
  type Gauge,
  measure,
  median,
  nanoseconds,
  perRound,
  ratioTo,
  type Series,
} from './measure.js';
import { answerOf, CountingHandler, memoryDispatcher, received } from './memory-dispatcher.js';
import type { Row } from './row.js';
import { passThrough, retrying } from './undici-contestants.js';

const requests = 100_000;
/** Enough that the request itself does not count. */
const manyChunks = 1_000;
const longRequests = 1_000;
const options: Dispatcher.DispatchOptions = {
  origin: 'http://a.example',
  path: '/things/1',
  method: 'GET',
  headers: { accept: '*/*' },
};
const names = ['an interceptor that does nothing', 'undaunted', 'interceptors.retry()'] as const;
const peer = 2;

export function benchUndiciOverhead(): Row[] {
  const long = addedBy(manyChunks, longRequests, nanoseconds);
  return [
    ...rowsOf('adds to a request', 'ns', addedBy(1, requests, nanoseconds)),
    ...rowsOf('adds to a request', 'bytes', addedBy(1, requests, bytes)),
    ...rowsOf(
      'adds to each chunk',
      'ns',
      long.map((values) => values.map((ns) => ns / manyChunks)),
    ),
  ];
}

/** For each name: the cost beyond the bare dispatcher in the same round. */
function addedBy(chunks: number, turns: number, gauge: Gauge): Series[] {
  const answer = answerOf(200, chunks);
  const bare = (): Dispatcher => memoryDispatcher(() => answer);
  const [ours, theirs] = retrying(bare).map(({ dispatcher }) => dispatcher);
  if (ours === undefined || theirs === undefined)
    throw new Error('There have to be two contestants to compare');
  const subjects = [bare(), passThrough(bare).dispatcher, ours, theirs].map((dispatcher) =>
    subject(dispatcher),
  );
  const [base = [], ...others] = measure(subjects, turns, gauge);
  return others.map((values) => perRound(values, base, (value, least) => value - least));
}

function subject(dispatcher: Dispatcher): { name: string; work(count: number): number } {
  return {
    name: '',
    work(count) {
      for (let turn = 0; turn < count; turn += 1) {
        dispatcher.dispatch(options, new CountingHandler() as never);
      }
      return received.sum;
    },
  };
}

function rowsOf(what: string, unit: string, added: readonly Series[]): Row[] {
  return added.map((values, index) => ({
    name: `${names[index]} ${what}`,
    value: median(values),
    unit,
    ...(index !== peer && { ratio: ratioTo(`what ${names[peer]} adds`, values, added[peer] ?? []) }),
  }));
}
