/** Notices the end of a body that the caller reads. */

import { builtinModule } from './builtin-module.js';
import type { Cancel } from './sleep.js';

/** Made when it is first used: React Native and older Workers do not have the class. */
let collected: FinalizationRegistry<Ending> | undefined;

interface Ending {
  readonly end: Cancel;
  /** Is kept until then. */
  readonly needs?: unknown;
}

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
  whenCollected(body, { end: done });
}

/** Calls `end` after the garbage collector has taken the body, to which nothing of the ending may lead. */
export function whenCollected(body: object, ending: Ending): void {
  if (typeof FinalizationRegistry === 'undefined') return;
  collected ??= new FinalizationRegistry(({ end }) => end());
  collected.register(body, ending);
}

interface NodeStreams {
  /** Also accepts web streams. */
  finished(stream: object, done: () => void): unknown;
}
