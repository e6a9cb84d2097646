/** What only Node needs: a signal that counts its listeners, and uploads of axios over HTTP/2. */

import { builtinModule } from '../kernel/builtin-module.js';
import { dispose, isStream } from './body/stream-like.js';

// ---------------------------------------------------------------- a signal that many requests share

interface NodeEvents {
  readonly defaultMaxListeners: number;
  getMaxListeners(signal: AbortSignal): number;
  setMaxListeners(count: number, signal: AbortSignal): void;
}

/** As many as Node's fetch allows. */
const mostListeners = 1_500;

/**
 * Many requests may share a signal, for example the one that ends a server. Node warns of a leak if a signal has more
 * than ten listeners. Its own fetch lets it have more, and so do we; a limit of the caller's own stays.
 */
export function expectManyListeners(signal: AbortSignal): void {
  const events = builtinModule<NodeEvents>('node:events');
  if (events === undefined) return;
  try {
    const isDefault = events.getMaxListeners(signal) === events.defaultMaxListeners;
    if (isDefault) events.setMaxListeners(mostListeners, signal);
  } catch {
    // The signal is not the platform's own, or the platform has only a part of Node's module.
  }
}

// ---------------------------------------------------------------- a body that axios is still sending

/**
 * Over HTTP/2, axios ends an aborted request as if its body were whole, so a body that is still being sent is broken
 * first.
 */
export function breakBody(data: unknown, done: () => void): void {
  const isSending = typeof data === 'object' && data !== null && isStream(data);
  if (isSending && !('destroyed' in data && data.destroyed === true)) {
    data.on('close', done);
    // Not with the caller's reason, which older versions of axios fail to recognise as their own.
    dispose(data, new Error('undaunted: the attempt has ended'));
  } else done();
}
