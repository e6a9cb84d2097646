/** An adapter in place of a server, with retries over it. */

import type { AxiosAdapter, AxiosInstance } from 'axios';
import type { Given } from '../suites/subject.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

export function mockedInstance(
  statuses: readonly number[] | 'silence',
  given: Given,
): { readonly instance: AxiosInstance; readonly attempts: () => number } {
  let attempts = 0;
  const adapter: AxiosAdapter = async (config) => {
    if (statuses === 'silence') return new Promise(() => undefined);
    const status = statuses[attempts] as number;
    attempts += 1;
    const response = { status, statusText: '', headers: {}, data: 'said', config };
    if (status < 400) return response;
    const message = `Request failed with status code ${status}`;
    throw new axios.AxiosError(message, 'ERR_BAD_RESPONSE', config, {}, response);
  };
  return { instance: retryingInstance(given, { adapter }), attempts: () => attempts };
}
