/** Streams to send, and the events that they emit. */

import { Readable, type ReadableOptions } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** A stream that ends in its first read. */
export function oneRead(text: string, options: ReadableOptions = {}): Readable {
  return new Readable({
    ...options,
    read() {
      this.push(text);
      this.push(null);
    },
  });
}

/** Writes `abc` in a later turn, in two chunks. */
export async function fillLater(into: {
  write(text: string): unknown;
  end(text: string): unknown;
}): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  into.write('a');
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  into.end('bc');
}

export interface Watched {
  readonly stream: Readable;
  readonly events: readonly string[];
}

/** Watches without a listener, which would change what happens to an error. */
export function watch(stream: Readable): Watched {
  const events: string[] = [];
  const emit = stream.emit.bind(stream);
  stream.emit = (event: string | symbol, ...given: unknown[]): boolean => {
    if (event === 'end' || event === 'close' || event === 'error') events.push(event);
    return emit(event, ...given);
  };
  return { stream, events };
}

/** A source that gives one chunk, and the others when it is told to. */
export function haltingSource(pieces: readonly string[]): {
  readonly chunks: AsyncGenerator<Buffer>;
  readonly goOn: () => void;
} {
  let goOn = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const [index, piece] of pieces.entries()) {
      if (index === 1) await told;
      yield Buffer.from(piece);
    }
  }
  return { chunks: chunks(), goOn };
}
