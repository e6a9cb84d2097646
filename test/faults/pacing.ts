/** Waits that end with the connection, so that no play outlives its socket. */

import type { Duplex } from 'node:stream';

/** Waits for the event, or for the end of the stream. */
export function happens(stream: Duplex, event: string): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) return resolve();
    const done = (): void => {
      stream.off(event, done);
      stream.off('close', done);
      resolve();
    };
    stream.on(event, done);
    stream.on('close', done);
  });
}

/** Waits for the end of the stream. */
export function ends(stream: Duplex): Promise<void> {
  return happens(stream, 'close');
}

/** Waits for this time, or for the end of the stream. */
export function passes(stream: Duplex, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      stream.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stream.on('close', done);
  });
}

/** Waits until everything written so far has been taken, or until the stream ends. */
export function isOut(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) return resolve();
    stream.once('close', resolve);
    stream.write('', () => {
      stream.off('close', resolve);
      resolve();
    });
  });
}

/** Cues from tests: each name is called once, before or after a play waits for it. */
export class Cues {
  readonly #called = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  call(name: string): void {
    this.#called.add(name);
    for (const wake of this.#waiting.get(name) ?? []) wake();
  }

  given(name: string, stream: Duplex): Promise<void> {
    return new Promise((resolve) => {
      if (stream.destroyed || this.#called.has(name)) return resolve();
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting);
      const wake = (): void => {
        waiting.delete(wake);
        stream.off('close', wake);
        resolve();
      };
      waiting.add(wake);
      stream.on('close', wake);
    });
  }
}
