/** Errors of our own, in the form that undici's callers expect. */

import { builtinModule } from '../../kernel/builtin-module.js';

/** undici's AbortError, with the symbols that its `instanceof` checks; for an abort without a reason during a wait. */
export function abortError(): Error {
  return Object.assign(new Error('Request aborted'), {
    name: 'AbortError',
    code: 'UND_ERR_ABORTED',
    [Symbol.for('undici.error.UND_ERR')]: true,
    [Symbol.for('undici.error.UND_ERR_ABORT')]: true,
    [Symbol.for('undici.error.UND_ERR_ABORTED')]: true,
  });
}

/** undici's callers would take a falsy error for success. */
export function errorFrom(thrown: unknown): unknown {
  return thrown || new Error(`undaunted: a value that is not an error was thrown: ${String(thrown)}`);
}

/**
 * The error that Node and undici give for an HTTP/2 stream that the server reset with this code (RFC 9113 section 7).
 */
export function resetError(code: number): Error {
  const { constants = {} } =
    builtinModule<{ readonly constants: Record<string, unknown> }>('node:http2') ?? {};
  const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL } = constants;
  if (code === NGHTTP2_NO_ERROR || code === NGHTTP2_CANCEL) {
    return Object.assign(new Error('HTTP/2: stream closed before the response was complete'), {
      name: 'InformationalError',
      code: 'UND_ERR_INFO',
      [Symbol.for('undici.error.UND_ERR')]: true,
      [Symbol.for('undici.error.UND_ERR_INFO')]: true,
    });
  }
  const known = Object.keys(constants).find((name) => isErrorCode.test(name) && constants[name] === code);
  const error = new Error(`Stream closed with error code ${known ?? code}`);
  return Object.assign(error, { code: 'ERR_HTTP2_STREAM_ERROR' });
}

/** Picks the error codes from Node's constants, many more of which begin with NGHTTP2_. */
const isErrorCode =
  /^NGHTTP2_(\w+_ERROR|SETTINGS_TIMEOUT|STREAM_CLOSED|REFUSED_STREAM|ENHANCE_YOUR_CALM|INADEQUATE_SECURITY|HTTP_1_1_REQUIRED)$/;

/** Over HTTP/2, undici reports a regular end for a stream that the server gave up. */
export class ShortResponseError extends Error {
  override readonly name = 'ShortResponseError';
  readonly code = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

  constructor() {
    super('The response ended before its head, or with fewer bytes than its content-length');
  }
}

/** The error for a request that undici 6 moves to another connection in the middle of its answer. */
export function movedError(): Error {
  return Object.assign(new Error('undaunted: the connection was lost in the middle of an answer'), {
    code: 'UND_ERR_SOCKET',
  });
}

/**
 * What undici is told when we abort an attempt. After undici 8 has lost an HTTP/2 session, it may end every request
 * that waits for the next session with the error of an attempt that is aborted then, unless the error has this code.
 */
export function givenUpError(cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : 'undaunted: this attempt was given up';
  return Object.assign(new Error(message, { cause }), { code: 'UND_ERR_INFO' });
}
