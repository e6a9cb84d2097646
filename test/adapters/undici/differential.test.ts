/**
 * With retries off, a request is the same as undici's own: the same bytes on the wire, and the same end for the caller
 * and for its upload. The same holds with retries on if none is needed. Each shape is sent by the bare client and by one
 * with retry(); docs/clients.md lists the intended differences.
 */

import type { Dispatcher } from 'undici';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { declareRun } from '../differential/run.js';
import { differencesOf } from '../differential/seen.js';
import { groups, nameOf, type Shape } from './differential-shapes.js';
import { type Client, play, type Seen } from './differential-stage.js';

const bare: Client = { over: (agent) => agent };

const composed = (policy: PolicyOptions) => (agent: Dispatcher) => agent.compose(retry(policy));

const willing: Client = { over: composed({ methods: [], unsafeMethods: 'never' }) };

const clients: readonly (readonly [name: string, client: Client])[] = [
  ['retry: false', { over: composed({ retry: false }), options: { retry: false } }],
  ['maxRetries: 0', { over: composed({ maxRetries: 0 }) }],
  ['retries that nothing calls for', willing],
];

/** The expected result, where docs/clients.md says that it differs from the one without retry(). */
function expected({ api, event, answer, source, contentLength }: Shape, seen: Seen, isKept: boolean): Seen {
  // An abort acts at once, without waiting for a connection.
  if (event === 'abort before' && api !== 'fetch') return { ...seen, connections: 0 };
  // The caller's handler is started at once, too.
  if (api === 'dispatch' && event === 'source breaks at once') {
    const callers = (seen.callers as { calls: string[] }[]).map((caller) => ({
      ...caller,
      calls: ['start', ...caller.calls],
    }));
    return { ...seen, callers };
  }
  // A stream that was read completely has ended, whatever happens to the request then.
  const isReadEarly = source === 'stream without a byte' && answer === 'refused port';
  const failsAtItsEnd = source === 'PassThrough filled later' && contentLength === '4';
  if (isKept && (isReadEarly || failsAtItsEnd)) {
    const ended = { readableEnded: true, events: ['end', 'close'] };
    return { ...seen, sources: seen.sources.map((each) => ({ ...(each as object), ...ended })) };
  }
  return seen;
}

declareRun<Shape, Client, Seen>({
  groups,
  nameOf,
  bare,
  clientsFor: () => clients,
  play,
  lanes: 16,
  differences: async (shape, without, client) => {
    const before = expected(shape, without, client === willing);
    const seen = await play(shape, client, before.pipelined);
    const after = {
      ...seen,
      // A lower bound: a slow machine cannot prove that nothing more came.
      pipelined: Math.min(seen.pipelined, before.pipelined),
      // undici opens a connection again for an upload that was aborted; one that it does not open harms no one.
      ...(shape.event === 'abort while it uploads' && {
        connections: Math.max(seen.connections, before.connections),
      }),
    };
    return differencesOf(before, after);
  },
});
