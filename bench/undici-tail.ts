/**
 * What our interceptor adds to a request that succeeds at once, on a dispatcher that only answers: as it is, with hedges,
 * and with adaptive attempt timeouts. Needs `--expose-gc`.
 */

import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import type { PolicyOptions } from '../src/index.js';
import {
  bytes,
  type Gauge,
  measure,
  median,
  nanoseconds,
  perRound,
  ratioTo,
  type Series,
  type Subject,
} from './measure.js';
import { answerOf, CountingHandler, memoryDispatcher, received } from './memory-dispatcher.js';
import type { Row } from './row.js';

const requests = 100_000;
const options: Dispatcher.DispatchOptions = {
  origin: 'http://a.example',
  path: '/things/1',
  method: 'GET',
  headers: { accept: '*/*' },
};
const policies: Readonly<Record<string, PolicyOptions>> = {
  undaunted: {},
  'undaunted with an attempt timeout': { attemptTimeoutMs: 2_000 },
  'undaunted with hedges': { hedge: true },
  'undaunted with adaptive timeouts': { attemptTimeoutMs: { maxMs: 2_000 } },
};
const mostForHedges = 1.5;

export function benchUndiciTail(): Row[] {
  return [...rowsIn('ns', nanoseconds), ...rowsIn('bytes', bytes)];
}

/** The cost beyond the bare dispatcher in the same round. */
function rowsIn(unit: string, gauge: Gauge): Row[] {
  const answer = answerOf(200, 1);
  const bare = memoryDispatcher(() => answer);
  const retrying = Object.values(policies).map((policy) => bare.compose(retry(policy)));
  const [base = [], ...series] = measure([bare, ...retrying].map(subject), requests, gauge);
  const added = series.map((values) => perRound(values, base, (value, least) => value - least));
  return Object.keys(policies).map((name, index) => rowOf(name, unit, added[index] ?? [], added[0] ?? []));
}

function subject(dispatcher: Dispatcher): Subject {
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

function rowOf(name: string, unit: string, added: Series, plain: Series): Row {
  const hasGoal = unit === 'ns' && name.endsWith('hedges');
  return {
    name: `${name} adds to a request`,
    value: median(added),
    unit,
    ...(added !== plain && { ratio: ratioTo('what undaunted adds', added, plain) }),
    ...(hasGoal && { atMost: mostForHedges }),
  };
}
