/** What the suites are to know of undici. */

import type { Dispatcher } from 'undici';
import { openLab } from '../kit.js';
import type { Asked, Given, Reply, Subject, Way } from '../suites/subject.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

async function request(dispatcher: Dispatcher, url: string, { method, ...asked }: Asked): Promise<Reply> {
  const options = { ...asked, ...(method !== undefined && { method }), dispatcher };
  const given = await undici.request(url, options as Parameters<typeof undici.request>[1]);
  const text = Buffer.from(await given.body.arrayBuffer()).toString('latin1');
  return { status: given.statusCode, headers: given.headers, text, given };
}

function through(doFetch: typeof fetch) {
  return async (dispatcher: Dispatcher, url: string, asked: Asked): Promise<Reply> => {
    const given = await doFetch(url, { ...asked, dispatcher } as RequestInit);
    const text = await given.text();
    return { status: given.status, headers: Object.fromEntries(given.headers), text, given };
  };
}

function way(name: string, send: typeof request, takesOverride: boolean): Way {
  const client = (given?: Given) => {
    const dispatcher = retryingAgent(given);
    return (url: string, asked: Asked = {}): Promise<Reply> => send(dispatcher, url, asked);
  };
  return { name, client, open: openLab, takesOverride };
}

const plain = way('request', request, true);

export const subject: Subject = {
  name: 'undici',
  client: plain.client,
  ways: [
    plain,
    way('fetch', through(undici.fetch as unknown as typeof fetch), false),
    way('the built-in fetch', through(fetch), false),
  ],
  skips: {},
};
