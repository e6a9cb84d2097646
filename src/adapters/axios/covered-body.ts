/** `deadlineCovers: 'body'` for a body that the caller reads itself: it ends with the deadline's error. */

import type { BodyDeadline } from '../../runtime/loop/exchange.js';
import type { Sleep } from '../../runtime/sleep.js';
import { isStream, isWebStream } from '../../runtime/stream-like.js';
import type { ResponseShape } from './shapes.js';

/** Whatever else there is, axios has read by now. */
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
    // A body that is not read yet has no listener for an error, which would end the process.
    if (stream.readableDidRead !== true && stream.listenerCount('error') === 0) {
      stream.on('error', () => undefined);
    }
    stream.destroy(error());
  };
  // A connection that is still open keeps the process alive.
  const cancel = sleep(Math.max(ms, 0), end, { unref: true });
  stream.on('close', cancel);
}

/** Only who reads a stream of the web can end it with an error. */
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
          // A body of which nothing was read yet does not mind that it is cancelled.
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
