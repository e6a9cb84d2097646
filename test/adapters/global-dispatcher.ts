/** The dispatcher of every fetch of a process, set by a test and put back at its end. */

import { onTestFinished } from 'vitest';

const globals = globalThis as Record<symbol, unknown>;
/** undici 8, and so Node 26, has a place of its own. What stands in either is put back where it stood. */
const places = [1, 2].map((generation) => Symbol.for(`undici.globalDispatcher.${generation}`));

/** `set` is the function of undici. */
export function setGlobally<Dispatcher>(set: (dispatcher: Dispatcher) => void, dispatcher: Dispatcher): void {
  // The first use of a class of fetch loads Node's own undici, which fills its place.
  void globalThis.Response;
  const before = places.map((place) => globals[place]);
  set(dispatcher);
  onTestFinished(() => {
    for (const [index, place] of places.entries()) {
      if (before[index] !== undefined) globals[place] = before[index];
    }
  });
}
