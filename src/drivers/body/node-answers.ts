/** Answers by axios in Node, whose connections become free once they are discarded, or were read. */

import { judging, type Sleep } from '../../kernel/timers.js';
import { drainBytes } from './drain.js';
import { isStream, type StreamLike } from './stream-like.js';

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

/** As much of an answer as is looked at here. */
interface Answer {
  readonly data: unknown;
  readonly request?: unknown;
}

/**
 * Reads a small rest, so that the connection can be used again; otherwise cuts the response off, and the connection
 * with it.
 */
export function releaseOfNode(response: Answer, ms: number, sleep: Sleep): void {
  const { data } = response;
  if (isStream(data)) drain(data as Readable, ms, sleep, nodeRequestOf(response));
  stopSending(response);
}

/**
 * A request that is answered before it is fully sent occupies its connection until its body ends, which may be never.
 */
function stopSending(response: Answer): void {
  const request = nodeRequestOf(response);
  // With an error, since HTTP/2 would otherwise end it regularly.
  if (request?.writableFinished === false)
    request.destroy(new Error('undaunted: the server answered before the request was fully sent'));
}

/**
 * Closes the request's body only once the caller has read a failure's body: ending the request earlier would end that
 * body, too.
 */
export function onceRead(response: Answer | undefined, closeBody: () => void): void {
  if (response === undefined) {
    closeBody();
    return;
  }
  const close = (): void => {
    closeBody();
    stopSending(response);
  };
  const { data } = response;
  if (isStream(data)) (data as Readable).on('close', close);
  else close();
}

function nodeRequestOf({ request }: Answer): NodeRequest | undefined {
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
