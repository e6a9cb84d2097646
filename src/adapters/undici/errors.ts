/** Errors of our own, as undici's callers know errors. */

import { builtinModule } from '../../runtime/builtin-module.js';

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

/** What Node and undici say of a stream of HTTP/2 that the server reset, with this code (RFC 9113 7). */
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

/** Of all that begins with NGHTTP2_. */
const isErrorCode =
  /^NGHTTP2_(\w+_ERROR|SETTINGS_TIMEOUT|STREAM_CLOSED|REFUSED_STREAM|ENHANCE_YOUR_CALM|INADEQUATE_SECURITY|HTTP_1_1_REQUIRED)$/;

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
