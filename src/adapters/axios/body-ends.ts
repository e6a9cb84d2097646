/** When bodies end: one that is still being sent, and one that is being read. */

import type { Cancel } from '../../runtime/sleep.js';
import { dispose, isStream, isWebStream } from '../../runtime/stream-like.js';
import { whenRead as whenBodyRead } from '../../runtime/unread.js';

/** Over HTTP/2, axios ends what it aborts as if it were whole: so a body that is still being sent breaks first. */
export function breakBody(data: unknown, done: () => void): void {
  const isSending = typeof data === 'object' && data !== null && isStream(data);
  if (isSending && !('destroyed' in data && data.destroyed === true)) {
    (data as unknown as EventSource).on('close', done);
    // Not with the caller's reason, which older versions of axios cannot take for their own.
    dispose(data, new Error('undaunted: the attempt is over'));
  } else done();
}

/** A stream of Node tells its end; for another one, axios stops listening, or it ends. */
export function whenRead(data: unknown, signal: AbortSignal, done: Cancel): void {
  if (typeof data !== 'object' || data === null) done();
  else if (isStream(data)) (data as unknown as EventSource).on('close', done);
  else if (isWebStream(data)) {
    whenBodyRead(data, done);
    const stopListening = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject): void => {
      stopListening(type, listener);
      done();
    };
  } else done();
}

interface EventSource {
  on(event: 'close', listener: () => void): unknown;
}
