import { isObject } from '../../is-object.js';
import type { HeadersLike } from '../../types.js';
import type { AnswerInside, Failures } from './row.js';
import { unclear } from './row.js';

export const axiosFailures: Failures = {
  byCode: [
    // axios's wrapper. Without a cause it comes from a browser, which gives no details.
    ['ERR_NETWORK', unclear],
    // axios's own timeout. With `clarifyTimeoutError` it is an ETIMEDOUT without a system call.
    ['ECONNABORTED', unclear],
  ],
  byText: [
    // A body that was cut off. Before 1.7.8 the message was the first one; from 1.16 on, the error has a response.
    { code: 'ERR_BAD_RESPONSE', text: 'maxContentLength size of -1 exceeded', row: unclear },
    { code: 'ERR_BAD_RESPONSE', text: 'stream has been aborted', row: unclear },
  ],
  wrappers: ['ERR_NETWORK'],
};

/** Codes for a response whose status was rejected. Any other code says what else failed. */
export const statusCodes: ReadonlySet<string> = new Set(['ERR_BAD_REQUEST', 'ERR_BAD_RESPONSE']);

/** The response in the error, if axios rejected because of it. */
export function answerInside(error: unknown): AnswerInside | undefined {
  const response = isObject(error) ? error['response'] : undefined;
  if (!isObject(response) || typeof response['status'] !== 'number') return undefined;
  const headers = response['headers'];
  return isObject(headers)
    ? { status: response['status'], headers: headers as HeadersLike }
    : { status: response['status'] };
}

/**
 * An axios error without a response and without a code: mocks report a network failure like this. One of them leaves
 * out the request, and only its message says "Network Error". With fetch's Request, it is what a function of the
 * caller's has thrown: fetch itself says what failed.
 */
export function isUntold(error: unknown, code: string | undefined): boolean {
  if (code !== undefined || !isObject(error) || error['isAxiosError'] !== true) return false;
  const { request, response, message } = error;
  if (isObject(response)) return false;
  return message === 'Network Error' || (isObject(request) && typeof request['clone'] !== 'function');
}
