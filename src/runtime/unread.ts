/** Notices the end of a body that the caller reads. */

import { builtinModule } from './builtin-module.js';
import type { Cancel } from './sleep.js';

const unread: FinalizationRegistry<Cancel> = new FinalizationRegistry((done) => done());

/**
 * Calls `done` when a web stream ends. Node reports that without a reader, which would lock the stream. Other platforms
 * do not, so there `done` waits until the garbage collector takes the stream.
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
  unread.register(body, done);
}

interface NodeStreams {
  /** Also accepts web streams. */
  finished(stream: object, done: () => void): unknown;
}
