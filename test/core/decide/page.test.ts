/** Failures as the light entries know them: never more than with all parts, and the same for what a page sees. */

import { describe, expect, test } from 'vitest';
import { pageTexts, readPageFailure } from '../../../src/core/decide/failures/page.js';
import { readFailure } from '../../../src/core/decide/failures/read.js';
import { AttemptTimeoutError, DeadlineError } from '../../../src/core/errors.js';
import { errorWith } from '../../kit.js';

const coded = (code: string, more: object = {}, message = ''): Error => errorWith({ code, ...more }, message);

const certificate = coded('CERT_HAS_EXPIRED');
const reset = coded('ECONNRESET', { syscall: 'read' });

const seenInPages: readonly (readonly [string, unknown])[] = [
  ...pageTexts.map((text) => [text, new TypeError(text)] as const),
  ['a message of its own', new TypeError('window is not defined')],
  ['nothing', undefined],
  ['a text', 'Failed to fetch'],
  ['an abort', new DOMException('The operation was aborted.', 'AbortError')],
  ['a time limit of the caller', new DOMException('The operation timed out.', 'TimeoutError')],
  ['what axios throws for both', coded('ERR_CANCELED')],
  ['an attempt timeout', new AttemptTimeoutError(100)],
  ['the deadline of a layer beneath', new DeadlineError(100, { cause: certificate })],
  ["axios's wrapper in a browser", coded('ERR_NETWORK', {}, 'Network Error')],
  ["axios's time limit", coded('ECONNABORTED')],
  ['its clearer one', coded('ETIMEDOUT')],
  ['a mock of axios', errorWith({ isAxiosError: true }, 'Network Error')],
  ['a status that was refused', coded('ERR_BAD_REQUEST', { response: { status: 304, headers: { a: 'b' } } })],
  ['the same without a code', errorWith({ response: { status: 503 } })],
  ['what came after an answer', coded('ERR_PARSE', { response: { status: 200 } })],
  ['a mock that says what happened', errorWith({ cause: reset }, 'Failed to fetch')],
  ['a mock that says why it never works', errorWith({ cause: certificate }, 'Failed to fetch')],
];

describe.each([undefined, false, true])('if the client says of an abort: %s', (aborted) => {
  test.each(seenInPages)('%s means the same as with all parts', (_, error) => {
    const known = { response: undefined, tunnelStatus: undefined };
    const { tunnelStatus: _tunnel, ...all } = { ...known, ...readFailure(error, aborted) };
    expect({ response: undefined, ...readPageFailure(error, aborted) }).toEqual(all);
  });
});

test.each([
  [
    'a refused connection',
    errorWith({ cause: coded('ECONNREFUSED', { syscall: 'connect' }) }, 'fetch failed'),
  ],
  ['a name that is not found', errorWith({ cause: coded('ENOTFOUND') }, 'fetch failed')],
  ['a reset', errorWith({ cause: coded('UND_ERR_SOCKET') }, 'fetch failed')],
  ['a wrapper of axios', coded('ERR_NETWORK', { cause: reset })],
])('in Node, %s is transient, and proves nothing', (_, error) => {
  expect(readPageFailure(error, false)).toMatchObject({ class: 'transient', evidence: 'unknown' });
  expect(readFailure(error, false).class).toBe('transient');
});

test.each([
  ['a certificate', errorWith({ cause: certificate }, 'fetch failed')],
  [
    'a certificate, by axios',
    coded('ERR_NETWORK', { cause: errorWith({ cause: certificate }, 'fetch failed') }),
  ],
  ['misuse', errorWith({ cause: new Error('unknown scheme') }, 'fetch failed')],
  ['a code that is not known here', coded('ERR_HTTP2_GOAWAY_SESSION')],
])('in Node, %s is final', (_, error) => {
  expect(readPageFailure(error, false)).toMatchObject({ class: 'final', evidence: 'unknown' });
});

test('a getter that throws and a chain without end do no harm', () => {
  const hostile = Object.defineProperty({}, 'cause', {
    get() {
      throw new Error('no');
    },
  });
  const endless: { cause?: unknown } = {};
  endless.cause = endless;
  expect(readPageFailure(hostile, undefined)).toMatchObject({ class: 'final', name: 'Error' });
  expect(readPageFailure(endless, undefined)).toMatchObject({ class: 'final', name: 'Error' });
});
