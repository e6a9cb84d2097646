/**
 * With retries off, a request is the same as axios's own: the same bytes on the wire, the same connections, and the same
 * end for the caller and for its upload. The same holds with retries on if none is needed. Each shape is sent by a bare
 * instance and by one with attachRetry(); docs/clients.md lists the intended differences.
 */

import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { declareRun } from '../differential/run.js';
import { differencesOf } from '../differential/seen.js';
import { saveHedges } from '../fuzz/hedges.js';
import { groups, isKnown, nameOf, type Shape } from './differential-shapes.js';
import { type Client, play, type Seen } from './differential-stage.js';

const bare: Client = { attach: () => undefined };

function attached(policy: PolicyOptions, options = {}): Client {
  return { attach: (instance) => attachRetry(instance, policy), options };
}

const off: readonly (readonly [string, Client])[] = [
  ['retry: false', attached({}, { retry: false })],
  ['maxRetries: 0', attached({ maxRetries: 0 })],
];

const willing = attached({ methods: [], unsafeMethods: 'never' });

/** Each attempt is sent so that a hedge could be sent beside it, but none is due. */
const hedged: Client = {
  attach: (instance) => {
    const hedge = {
      afterMs: 600_000,
      share: 1,
      methods: ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'],
    };
    const retrier = createRetrier({ hedge, methods: [], unsafeMethods: 'never', scope: 'hedged' });
    saveHedges(retrier, 'http://127.0.0.1');
    return attachRetry(instance, retrier);
  },
};

/** A stream that may have to be sent again is partly kept, and closed at the end. */
function clientsFor(shape: Shape): typeof off {
  const isAsked = isKnown(shape) && shape.setting === undefined && shape.event === undefined;
  return isAsked ? [...off, ['on, for nothing', willing], ['hedged, for nothing', hedged]] : off;
}

/** Longer timeouts for the next turn, if a busy machine let the time pass before anything was sent. */
const longerTimeoutsMs = [500, 5_000];

/** An abort or a timeout may or may not be noticed in time: differences by chance do not occur three times. */
async function lastingDifferences(shape: Shape, first: Seen, client: Client): Promise<string[]> {
  let found = differencesOf(first, await play(shape, client));
  for (const timeoutMs of longerTimeoutsMs) {
    if (found.length === 0) break;
    found = differencesOf(await play(shape, bare, timeoutMs), await play(shape, client, timeoutMs));
  }
  return found;
}

declareRun<Shape, Client, Seen>({
  groups,
  nameOf,
  bare,
  clientsFor,
  play,
  lanes: 8,
  differences: lastingDifferences,
  // Node 26 itself throws if a fetch is aborted while its upload is being read.
  mayThrow: true,
});
