/** Streams of Node and of the web, recognised by their methods, so that no module of Node is needed. */

export interface StreamLike {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  pipe(to: unknown): unknown;
  destroy?(error?: unknown): unknown;
}

export function isStream(body: object): body is StreamLike {
  return 'pipe' in body && 'on' in body && typeof body.on === 'function';
}

export function isWebStream(body: object): body is ReadableStream<Uint8Array> {
  return 'getReader' in body;
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

/** Discards a body that will not be read. */
export function dispose(body: unknown, error?: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  if (isWebStream(body) && !body.locked) void body.cancel(error).catch(() => undefined);
  if (!isStream(body)) return;
  body.on('error', () => undefined);
  if (isIncomingRequest(body)) {
    // Destroying an incoming request would destroy its connection, and its own client would never get an answer.
    const { socket } = body;
    body.socket = null;
    body.destroy?.(error);
    body.socket = socket;
  } else body.destroy?.(error);
}

/** What Node's IncomingMessage has, and other streams have not. */
interface IncomingShape {
  readonly _consuming?: unknown;
  readonly _dumped?: unknown;
  readonly req?: unknown;
}

/** Checks the properties by which Node recognises an IncomingMessage. */
function isIncomingRequest(stream: StreamLike): stream is StreamLike & { socket: unknown } {
  const { _consuming, _dumped, req } = stream as IncomingShape;
  return typeof _consuming === 'boolean' && typeof _dumped === 'boolean' && req === undefined;
}
