/** What the suites are to know of axios. */

import type { AxiosInstance, AxiosResponse } from 'axios';
import type { Asked, Given, Reply, Send, Subject, Way } from '../suites/subject.js';
import { retryingInstance } from './kit.js';
import { type Way as Adapter, overHttp1 } from './ways.js';

async function send(instance: AxiosInstance, url: string, { body, ...asked }: Asked): Promise<Reply> {
  try {
    const response = await instance.request({ url, ...asked, ...(body !== undefined && { data: body }) });
    return replyOf(response, response);
  } catch (error) {
    if (!refusesStatus(error)) throw error;
    return replyOf(error.response, error);
  }
}

/** Its own `validateStatus` says no to an answer that came whole. */
function refusesStatus(error: unknown): error is { readonly response: AxiosResponse } {
  const { response, message = '' } = (error ?? {}) as {
    readonly response?: unknown;
    readonly message?: string;
  };
  return response !== undefined && /^(Request failed with status code|answered with)/.test(message);
}

/** The text of what is no JSON; of what is, the text that says the same. */
function replyOf({ status, headers, data }: AxiosResponse, given: unknown): Reply {
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? '');
  return { status, headers: { ...headers }, text, given };
}

function retrying(given?: Given, config: object = {}): Send {
  const instance = retryingInstance(given, config);
  return (url, asked = {}) => send(instance, url, asked);
}

function wayOf({ name, config, open }: Adapter): Way {
  return { name, client: (given) => retrying(given, config), open, takesOverride: true };
}

const ways = overHttp1.map(wayOf);
export const subject: Subject = {
  name: 'axios',
  client: retrying,
  ways,
  skips: {},
};
