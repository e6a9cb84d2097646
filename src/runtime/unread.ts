/** The end of a body that is somebody else's to read. */

import { builtinModule } from './builtin-module.js';
import type { Cancel } from './sleep.js';

const unread: FinalizationRegistry<Cancel> = new FinalizationRegistry((done) => done());

/**
 * Calls when a stream of the web ends: Node tells, without a reader that would lock it. Elsewhere all that is known of
 * one that may not be touched is that the garbage collector takes it.
 */
export function whenRead(body: object, done: Cancel): void {
  try {
    const { finished } = builtinModule<NodeStreams>('node:stream') ?? {};
    if (finished !== undefined) {
      finished(body, done);
      return;
    }
  } catch {
    // It is no stream of this platform's.
  }
  unread.register(body, done);
}

interface NodeStreams {
  /** Takes streams of the web, too. */
  finished(stream: object, done: () => void): unknown;
}
