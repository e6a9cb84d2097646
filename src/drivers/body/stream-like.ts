/** Streams of Node and of the web, recognised by their methods, so that no module of Node is needed. */

import { isObject } from '../../core/is-object.js';

export interface StreamLike {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  pipe(to: unknown): unknown;
  destroy?(error?: unknown): unknown;
  socket?: unknown;
}

export function isStream(body: unknown): body is StreamLike {
  return isObject(body) && 'pipe' in body && 'on' in body && typeof body.on === 'function';
}

export function isWebStream(body: unknown): body is ReadableStream<Uint8Array> {
  return isObject(body) && 'getReader' in body;
}

/**
 * Whether some of a stream was read before it came to us: the rest is not the body, and nothing of it can be sent again.
 */
export function wasRead(stream: object): boolean {
  if (!isWebStream(stream)) return 'readableDidRead' in stream && stream.readableDidRead === true;
  return stream.locked || isRefused(stream);
}

/** Nothing on a web stream shows that it was read, but a Response does not take it then. */
function isRefused(stream: ReadableStream): boolean {
  if (typeof Response !== 'function') return false;
  try {
    new Response(stream);
    return false;
  } catch {
    return true;
  }
}

export function isDestroyed(stream: object): boolean {
  return 'destroyed' in stream && stream.destroyed === true;
}

/** Discards a body that will not be read. */
export function dispose(body: unknown, error?: unknown): void {
  if (isWebStream(body) && !body.locked) void body.cancel(error).catch(() => undefined);
  if (!isStream(body)) return;
  body.on('error', () => undefined);
  const isOne = isIncomingRequest(body);
  const { socket } = body;
  // Destroying an incoming request would destroy its connection, and its own client would never get an answer.
  if (isOne) body.socket = null;
  body.destroy?.(error);
  if (isOne) body.socket = socket;
}

/** Only an IncomingMessage of Node's has the first, and only a response the other. */
function isIncomingRequest(stream: object): boolean {
  return '_dumped' in stream && !('req' in stream && stream.req);
}
