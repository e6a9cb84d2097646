/** Errors of our own, as undici's callers know errors. */

/** As undici makes it, down to what it goes by in `instanceof`; for aborts without a reason in a wait. */
export function abortError(): Error {
  return Object.assign(new Error('Request aborted'), {
    name: 'AbortError',
    code: 'UND_ERR_ABORTED',
    [Symbol.for('undici.error.UND_ERR')]: true,
    [Symbol.for('undici.error.UND_ERR_ABORT')]: true,
    [Symbol.for('undici.error.UND_ERR_ABORTED')]: true,
  });
}

/** undici's callers take a falsy error for none, and would call what was thrown a success. */
export function errorFrom(thrown: unknown): unknown {
  return thrown || new Error(`undaunted: what was thrown is no error: ${String(thrown)}`);
}

/** Over HTTP/2, undici takes a stream that the server gave up for one that has ended. */
export class ShortResponseError extends Error {
  override readonly name = 'ShortResponseError';
  readonly code = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

  constructor() {
    super('The response ended before its head, or before its content-length');
  }
}

/** For what undici 6 does with a request whose connection goes. */
export function movedError(): Error {
  return Object.assign(new Error('undaunted: the connection went in the middle of an answer'), {
    code: 'UND_ERR_SOCKET',
  });
}
