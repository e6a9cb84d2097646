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
    const given = await doFetch(url, { ...asked, dispatcher } as RequestInit).catch(throwCause);
    const text = await given.text().catch(throwCause);
    return { status: given.status, headers: Object.fromEntries(given.headers), text, given };
  };
}

/** What failed is the cause of what fetch throws. */
function throwCause(error: Error): never {
  throw error.cause ?? error;
}

function way(name: string, send: typeof request, takesOverride: boolean): Way {
  const client = (given?: Given) => {
    const dispatcher = retryingAgent(given);
    return (url: string, asked: Asked = {}): Promise<Reply> => send(dispatcher, url, asked);
  };
  return { name, client, open: openLab, takesOverride };
}

const plain = way('request', request, true);

const ways = [
  plain,
  way('fetch', through(undici.fetch as unknown as typeof fetch), false),
  way('the built-in fetch', through(fetch), false),
];

export const subject: Subject = {
  name: 'undici',
  client: plain.client,
  ways,
  skips: {
    "events > by 'request', in order: > nothing of a request that was aborted before it began":
      'undici dispatches it all the same, so that it is told to be settled, after no attempt',
    ...Object.fromEntries(
      ways.map(({ name }) => [
        `keys > over '${name}' > idempotencyKey > one whose making fails > leaves a request that is settled`,
        'a key is made before a request is opened, and who listens is told of none that was not',
      ]),
    ),
  },
};
