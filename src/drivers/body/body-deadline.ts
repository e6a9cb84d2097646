/** `deadlineCovers: 'body'` for a body that the caller reads itself: at the deadline, it ends with the deadline's error. */

import { judging, type Sleep } from '../../kernel/timers.js';
import type { BodyDeadline } from '../loop/exchange.js';
import { isStream, isWebStream, type StreamLike } from './stream-like.js';
import { type TellingEnds, whenRead } from './unread.js';
import { weak } from './web-stream.js';

/** Of fetch: the platform fails a body with the reason of its signal. */
export function coverBody(
  body: object | undefined,
  { ms, error, abort }: BodyDeadline,
  sleep: Sleep,
  node: TellingEnds | undefined,
): void {
  if (body === undefined) return;
  const cancel = sleep(Math.max(ms, 0), (stalledMs) => abort(error(stalledMs)), judging('elapsed', true));
  whenRead(body, cancel, node);
}

// ---------------------------------------------------------------- by axios

interface Answer {
  data: unknown;
}

interface Readable extends StreamLike {
  readonly readableDidRead?: boolean;
  listenerCount(event: 'error'): number;
  destroy(error?: Error): unknown;
}

/** Covers streams only: axios has read any other body by now. */
export function coverData(response: Answer, deadline: BodyDeadline, sleep: Sleep): void {
  const { data } = response;
  if (isStream(data)) coverStream(data as Readable, deadline, sleep);
  else if (isWebStream(data)) response.data = covered(data, deadline, sleep);
}

function coverStream(stream: Readable, { ms, error }: BodyDeadline, sleep: Sleep): void {
  const end = (stalledMs?: number): void => {
    // A body that is not being read has no listener for errors, so an error would end the process.
    if (stream.readableDidRead !== true && stream.listenerCount('error') === 0) {
      stream.on('error', () => undefined);
    }
    stream.destroy(error(stalledMs));
  };
  // The open connection keeps the process alive; the timer need not.
  const cancel = sleep(Math.max(ms, 0), end, judging('elapsed', true));
  stream.on('close', cancel);
}

/** Only the reader of a web stream can end it with an error, so the caller gets a stream of ours. */
function covered(
  stream: ReadableStream<Uint8Array>,
  deadline: BodyDeadline,
  sleep: Sleep,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let cancel = (): void => undefined;
  return new ReadableStream(
    {
      start(controller) {
        const end = endOf(controller, reader, deadline);
        cancel = sleep(Math.max(deadline.ms, 0), end, judging('elapsed', true));
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

/**
 * The timer must not keep a body that the caller has dropped, and its connection, until the deadline. So this is a
 * function of its own: closures that are made in the same function share its variables.
 */
function endOf(
  controller: ReadableStreamDefaultController<Uint8Array>,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { error, abort }: BodyDeadline,
): (stalledMs?: number) => void {
  const [output, input] = [weak(controller), weak(reader)];
  return (stalledMs) => {
    const reason = error(stalledMs);
    output.deref()?.error(reason);
    // Aborting ends the connection: cancelling a body does not do so if nothing was read of it.
    abort(reason);
    input
      .deref()
      ?.cancel(reason)
      .catch(() => undefined);
  };
}
