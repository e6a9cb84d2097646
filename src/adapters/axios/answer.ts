/**
 * The body of an answer, in whatever form axios was asked for: released if the answer is discarded, and watched while the
 * caller reads it.
 */

import { drainBytes, drainTime, lengthIn } from '../../drivers/body/drain.js';
import { isStream, isWebStream, type StreamLike } from '../../drivers/body/stream-like.js';
import { whenRead as whenBodyRead, whenCollected } from '../../drivers/body/unread.js';
import { drained, weak } from '../../drivers/body/web-stream.js';
import type { Abortable, BodyDeadline } from '../../drivers/loop/exchange.js';
import type { AxiosParts } from '../../drivers/parts.js';
import type { Cancel } from '../../kernel/timers.js';
import { judging, type Sleep } from '../../kernel/timers.js';
import type { ResponseShape } from './shapes.js';

// ---------------------------------------------------------------- released, to free its connection

interface Readable extends StreamLike {
  readonly readableDidRead?: boolean;
  on(event: string, listener: (chunk: { readonly length: number }) => void): unknown;
  listenerCount(event: 'error'): number;
  destroy(error?: Error): unknown;
}

/** Node's request, over HTTP/1.1 or HTTP/2. */
interface NodeRequest {
  readonly writableFinished: boolean;
  destroy(error?: Error): unknown;
}

/**
 * Reads a small rest, so that the connection can be used again; otherwise cuts the response off, and the connection
 * with it.
 */
export function release(response: ResponseShape, method: string, sleep: Sleep): void {
  const { data, headers } = response;
  if (typeof data === 'object' && data !== null) {
    const ms = drainTime(method, lengthIn(headers));
    if (isStream(data)) drain(data as Readable, ms, sleep, nodeRequestOf(response));
    else if (isWebStream(data)) drained(data, ms, sleep);
  }
  stopSending(response);
}

/**
 * A request that is answered before it is fully sent occupies its connection until its body ends, which may be never.
 */
function stopSending(response: ResponseShape): void {
  const request = nodeRequestOf(response);
  // With an error, since HTTP/2 would otherwise end it regularly.
  if (request?.writableFinished === false)
    request.destroy(new Error('undaunted: the server answered before the request was fully sent'));
}

/**
 * Closes the request's body only once the caller has read a failure's body: ending the request earlier would end that
 * body, too.
 */
export function onceRead(response: ResponseShape | undefined, closeBody: () => void): void {
  if (response === undefined) {
    closeBody();
    return;
  }
  const close = (): void => {
    closeBody();
    stopSending(response);
  };
  const { data } = response;
  if (typeof data === 'object' && data !== null && isStream(data)) (data as Readable).on('close', close);
  else close();
}

function nodeRequestOf({ request }: ResponseShape): NodeRequest | undefined {
  const isOne = typeof request === 'object' && request !== null && 'writableFinished' in request;
  return isOne && 'destroy' in request ? (request as NodeRequest) : undefined;
}

function drain(data: Readable, ms: number, sleep: Sleep, request: NodeRequest | undefined): void {
  data.on('error', () => undefined);
  let left = drainBytes;
  const cutOff = (): void => {
    data.destroy();
    // Streams that axios put in between, to count or to unpack, may themselves be waiting for more.
    request?.destroy();
  };
  const cancel = sleep(ms, cutOff, judging('awake', true));
  data.on('data', ({ length }) => {
    left -= length;
    if (left < 0) cutOff();
  });
  data.on('close', cancel);
}

// ---------------------------------------------------------------- read by the caller

/**
 * Calls `done` when a body has been read. A Node stream emits `close`; a web stream is done when it ends, or when axios
 * stops listening to the signal.
 */
export function whenRead(
  answer: ResponseShape | undefined,
  sent: Abortable,
  done: Cancel,
  node: AxiosParts['node'],
): void {
  const data = answer?.data;
  if (typeof data !== 'object' || data === null) done();
  else if (isStream(data)) data.on('close', done);
  else if (isWebStream(data)) {
    whenBodyRead(data, done, node);
    cutOnceCollected(data, sent, answer?.request);
    const { signal } = sent;
    const stopListening = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject): void => {
      stopListening(type, listener);
      done();
    };
  } else {
    done();
    if ('body' in data && isWebStream(Object(data.body)))
      cutOnceCollected(data.body as object, sent, answer?.request);
  }
}

/** The body that the caller has still to read; axios has read any other by now. */
export function bodyToRead(answer: ResponseShape | undefined, method: string): object | undefined {
  const data = answer?.data;
  const isEmpty = method === 'HEAD' || answer?.status === 204 || answer?.status === 304;
  if (isEmpty || typeof data !== 'object' || data === null) return undefined;
  if (isStream(data) || isWebStream(data)) return data;
  return 'body' in data && isWebStream(Object(data.body)) ? (data.body as object) : undefined;
}

/**
 * If there is a signal, axios puts a stream of its own around the body. The platform then no longer notices that an
 * answer is dropped unread, so its connection would never come back. Node follows the signal of a Request only until
 * that is collected.
 */
function cutOnceCollected(body: object, sent: Abortable, request: unknown): void {
  whenCollected(body, { end: () => sent.abort(), needs: request });
}

// ---------------------------------------------------------------- at the deadline

/**
 * `deadlineCovers: 'body'` for a body that the caller reads itself: at the deadline, it ends with the deadline's error.
 * Covers streams only: axios has read any other body by now.
 */
export function coverBody(response: ResponseShape, deadline: BodyDeadline, sleep: Sleep): void {
  const { data } = response;
  if (typeof data !== 'object' || data === null) return;
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
