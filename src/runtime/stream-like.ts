/** Streams of Node and of the web, known by what they can do, so that no module of Node's is needed. */

export interface StreamLike {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy?(error?: unknown): unknown;
}

export function isStream(body: object): body is StreamLike {
  return 'pipe' in body && 'on' in body && typeof body.on === 'function';
}

export function isWebStream(body: object): body is ReadableStream<Uint8Array> {
  return 'getReader' in body;
}

/** What is not going to be read. */
export function dispose(body: unknown, error?: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  if (isWebStream(body) && !body.locked) void body.cancel(error).catch(() => undefined);
  if (!isStream(body)) return;
  body.on('error', () => undefined);
  if (isIncomingRequest(body)) {
    // It would take its connection along, and its own client would never be answered.
    const { socket } = body;
    body.socket = null;
    body.destroy?.(error);
    body.socket = socket;
  } else body.destroy?.(error);
}

/** By what Node itself knows it. */
function isIncomingRequest(stream: StreamLike): stream is StreamLike & { socket: unknown } {
  const { _consuming, _dumped, req } = stream as unknown as Record<string, unknown>;
  return typeof _consuming === 'boolean' && typeof _dumped === 'boolean' && req === undefined;
}
