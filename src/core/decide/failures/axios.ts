import type { HeadersLike } from '../../types.js';
import type { Failures } from './row.js';
import { unclear } from './row.js';
import { isObject } from './thrown.js';

export const axiosFailures: Failures = {
  byCode: [
    // The wrapper; without a cause, it comes from a browser, which gives no details.
    ['ERR_NETWORK', unclear],
    // Its own timeout, as ETIMEDOUT without a system call is.
    ['ECONNABORTED', unclear],
  ],
  byText: [
    // 1.16 and later give a cut-off body a response and this message; before 1.7.8 they had this nonsense.
    { code: 'ERR_BAD_RESPONSE', text: 'maxContentLength size of -1 exceeded', row: unclear },
    { code: 'ERR_BAD_RESPONSE', text: 'stream has been aborted', row: unclear },
  ],
  timeouts: ['ECONNABORTED'],
  wrappers: ['ERR_NETWORK'],
};

/** Codes for a response whose status was rejected. Any other code says what else failed. */
export const statusCodes: ReadonlySet<string> = new Set(['ERR_BAD_REQUEST', 'ERR_BAD_RESPONSE']);

export interface AnswerInside {
  readonly status: number;
  readonly headers?: HeadersLike;
}

/** axios rejects with the answer inside. */
export function answerInside(error: unknown): AnswerInside | undefined {
  const response = isObject(error) ? error['response'] : undefined;
  if (!isObject(response) || typeof response['status'] !== 'number') return undefined;
  const headers = response['headers'];
  return isObject(headers)
    ? { status: response['status'], headers: headers as HeadersLike }
    : { status: response['status'] };
}

/**
 * An error of a request of which nothing came, not even a code: so say mocks that the network failed. One of
 * them keeps the request to itself, and says it in axios's own words.
 */
export function isUntold(error: unknown, code: string | undefined): boolean {
  if (code !== undefined || !isObject(error) || error['isAxiosError'] !== true) return false;
  return !isObject(error['response']) && (isObject(error['request']) || error['message'] === 'Network Error');
}
