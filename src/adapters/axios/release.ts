/** Responses that will not be read: their connection is wanted for the next attempt. */

import { drainBytes, drainTime, lengthIn } from '../../runtime/drain.js';
import type { Sleep } from '../../runtime/sleep.js';
import { isStream, isWebStream, type StreamLike } from '../../runtime/stream-like.js';
import { drainWeb } from '../../runtime/web-stream.js';
import type { ResponseShape } from './shapes.js';

interface Readable extends StreamLike {
  on(event: string, listener: (chunk: { readonly length: number }) => void): unknown;
  destroy(): unknown;
}

/** Node's, over HTTP/1.1 and HTTP/2. */
interface NodeRequest {
  readonly writableFinished: boolean;
  destroy(error?: Error): unknown;
}

/** Small rests are read, so that the connection can be used again; others are cut off, and the connection with them. */
export function release(response: ResponseShape, method: string, sleep: Sleep): void {
  const { data, headers } = response;
  if (typeof data === 'object' && data !== null) {
    const ms = drainTime(method, lengthIn(headers));
    if (isStream(data)) drain(data as Readable, ms, sleep, nodeRequestOf(response));
    else if (isWebStream(data)) void drainWeb(data, ms, sleep).catch(() => undefined);
  }
  stopSending(response);
}

/** A request that is answered while it is being sent has its connection until it is whole, which may be never. */
function stopSending(response: ResponseShape): void {
  const request = nodeRequestOf(response);
  // With an error, or HTTP/2 would make it a regular end.
  if (request?.writableFinished === false) request.destroy(new Error('undaunted: answered before its end'));
}

/** A failure that the caller gets is read first: the end of the request's body would be its own. */
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
    // What axios has put between, to count or to unpack, may itself be waiting for more.
    request?.destroy();
  };
  const cancel = sleep(ms, cutOff, { unref: true });
  data.on('data', ({ length }) => {
    left -= length;
    if (left < 0) cutOff();
  });
  data.on('close', cancel);
}
