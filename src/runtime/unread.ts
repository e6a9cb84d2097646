/** Notices the end of a body that the caller reads. */

import { builtinModule } from './builtin-module.js';
import type { Cancel } from './sleep.js';

/** Made when it is first used: React Native and older Workers do not have the class. */
let unread: FinalizationRegistry<Cancel> | undefined;

/**
 * Calls `done` when a web stream ends. Node reports that without a reader, which would lock the stream. Other platforms
 * do not, so there `done` waits until the garbage collector takes the stream; some do not report that either.
 */
export function whenRead(body: object, done: Cancel): void {
  try {
    const { finished } = builtinModule<NodeStreams>('node:stream') ?? {};
    if (finished !== undefined) {
      finished(body, done);
      return;
    }
  } catch {
    // The body is not a stream of this platform.
  }
  if (typeof FinalizationRegistry === 'undefined') return;
  unread ??= new FinalizationRegistry((end) => end());
  unread.register(body, done);
}

interface NodeStreams {
  /** Also accepts web streams. */
  finished(stream: object, done: () => void): unknown;
}
