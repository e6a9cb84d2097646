/**
 * `deadlineCovers: 'body'` for a body that the caller reads itself: at the deadline, the body ends with the deadline's
 * error.
 */

import type { BodyDeadline } from '../../runtime/loop/exchange.js';
import type { Sleep } from '../../runtime/sleep.js';
import { isStream, isWebStream } from '../../runtime/stream-like.js';
import type { ResponseShape } from './shapes.js';

/** Covers streams only: axios has read any other body by now. */
export function coverBody(response: ResponseShape, deadline: BodyDeadline, sleep: Sleep): void {
  const { data } = response;
  if (typeof data !== 'object' || data === null) return;
  if (isStream(data)) coverStream(data as unknown as Readable, deadline, sleep);
  else if (isWebStream(data)) response.data = covered(data, deadline, sleep);
}

interface Readable {
  readonly readableDidRead?: boolean;
  listenerCount(event: 'error'): number;
  on(event: 'error' | 'close', listener: () => void): unknown;
  destroy(error: Error): unknown;
}

function coverStream(stream: Readable, { ms, error }: BodyDeadline, sleep: Sleep): void {
  const end = (): void => {
    // A body that is not being read has no listener for errors, so an error would end the process.
    if (stream.readableDidRead !== true && stream.listenerCount('error') === 0) {
      stream.on('error', () => undefined);
    }
    stream.destroy(error());
  };
  // The open connection keeps the process alive; the timer need not.
  const cancel = sleep(Math.max(ms, 0), end, { unref: true });
  stream.on('close', cancel);
}

/** Only the reader of a web stream can end it with an error, so the caller gets a stream of ours. */
function covered(
  stream: ReadableStream<Uint8Array>,
  { ms, error, abort }: BodyDeadline,
  sleep: Sleep,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let cancel = (): void => undefined;
  return new ReadableStream(
    {
      start(controller) {
        const end = (): void => {
          const reason = error();
          controller.error(reason);
          // Aborting ends the connection: cancelling a body does not do so if nothing was read of it.
          abort(reason);
          reader.cancel(reason).catch(() => undefined);
        };
        cancel = sleep(Math.max(ms, 0), end, { unref: true });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            controller.enqueue(value);
            return;
          }
          cancel();
          controller.close();
        } catch (failure) {
          cancel();
          controller.error(failure);
        }
      },
      async cancel(reason) {
        cancel();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
