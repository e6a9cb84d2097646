/** undici as a subject of the suites. */

import { Writable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { expect } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { ca } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import type { GivingUp } from '../suites/callers.js';
import type { Asked, Given, Reply, Send, Subject, Way } from '../suites/subject.js';
import { builtInSpeaksTo, dispatchesAborted, major, showsQueued, undici, version } from './client.js';
import { bySignal, oddCallers, plainCallers, withReasons } from './giving-up.js';
import { multiplexes, openH2AgentForResets, openH2Lab, overTls, reconnects } from './h2-client.js';
import { openAgent, retryingAgent } from './kit.js';
import { mockedAgent } from './mocked.js';
import { record } from './recorder.js';

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

/** fetch throws an error whose cause is the real failure. */
function throwCause(error: Error): never {
  throw error.cause ?? error;
}

function sendingOver(send: typeof request, dispatcher: Dispatcher): Send {
  return (url, asked = {}) => send(dispatcher, url, asked);
}

function clientOver(send: typeof request, over: (given?: Given) => Dispatcher): Way['client'] {
  return (given) => sendingOver(send, over(given));
}

function besideOver(send: typeof request): Required<Way>['beside'] {
  return (given = soon) => {
    const base = openAgent();
    return { send: sendingOver(send, base.compose(retry(given))), bare: sendingOver(request, base) };
  };
}

function plainOver(name: string, over: (given?: Given) => Dispatcher, open: Way['open'] = openLab): Way {
  return { name, client: clientOver(request, over), open, takesOverride: true, packedBodies: 'kept' };
}

/** fetch listens to a signal for as long as the signal lives. */
function fetching(name: string, doFetch: typeof fetch): Way {
  return {
    name,
    client: clientOver(through(doFetch), retryingAgent),
    open: openLab,
    takesOverride: false,
    packedBodies: 'unpacked',
    knowsHistory: false,
    keepsListening: true,
    beside: besideOver(through(doFetch)),
  };
}

const plain: Way = {
  ...plainOver('request', retryingAgent),
  bare: () => sendingOver(request, openAgent()),
  beside: besideOver(request),
  takesWebStreams: true,
  takesIterables: true,
};

const overH2: Way = {
  ...plainOver(
    'request over HTTP/2',
    (given) => openH2AgentForResets(overTls).compose(retry(given ?? soon)),
    openH2Lab,
  ),
  sendsOneAtATime: !multiplexes,
};

const ways = [
  plain,
  fetching('fetch', undici.fetch as unknown as typeof fetch),
  fetching('the built-in fetch', fetch),
] as const;

/** Through stream(), into the caller's stream. */
async function streamed(dispatcher: Dispatcher, url: string, asked: Asked): Promise<Reply> {
  const { origin, pathname: path } = new URL(url);
  const pieces: Buffer[] = [];
  let head: Pick<Reply, 'status' | 'headers'> = { status: 0, headers: {} };
  const options = { method: 'GET', ...asked, origin, path } as Dispatcher.RequestOptions;
  const given = await dispatcher.stream(options, ({ statusCode: status, headers }) => {
    head = { status, headers };
    return new Writable({ write: (piece, _encoding, done) => done(void pieces.push(piece)) });
  });
  return { ...head, text: Buffer.concat(pieces).toString('latin1'), given };
}

const stream: Way = {
  name: 'stream',
  client: clientOver(streamed, retryingAgent),
  beside: besideOver(streamed),
  open: openLab,
  takesOverride: true,
  packedBodies: 'kept',
};

/** Through dispatch(), to a handler alone, so that request() does nothing to the body. */
async function dispatched(dispatcher: Dispatcher, url: string, asked: Asked): Promise<Reply> {
  const { origin, pathname: path } = new URL(url);
  const { signal, ...options } = asked;
  const given = record(dispatcher, { ...options, origin, path } as Parameters<typeof record>[1]);
  const giveUp = (): void => given.controller?.abort(signal?.reason);
  if (signal?.aborted) giveUp();
  else signal?.addEventListener('abort', giveUp, { once: true });
  await given.end();
  signal?.removeEventListener('abort', giveUp);
  const [head] = given.heads;
  if (given.errors.length > 0 || head === undefined) throw given.errors[0];
  return { ...head, text: given.bytes.toString('latin1'), given };
}

const dispatch: Way = {
  name: 'dispatch',
  client: clientOver(dispatched, retryingAgent),
  open: openLab,
  takesOverride: true,
  packedBodies: 'kept',
  takesWebStreams: true,
  takesIterables: true,
  // undici 6 accepts no handler of the second generation.
  ...(major > 6 && { bare: () => sendingOver(dispatched, openAgent()) }),
};

function gaveUp(way: Way): Pick<GivingUp, 'name' | 'way' | 'bySignal' | 'takesFactories'> {
  return { name: way.name, way, bySignal, takesFactories: true };
}

const cutOnce = ['handshake-fin', 'trusted'] as const;

export const subject: Subject = {
  name: 'undici',
  startsStreams: true,
  underTest: {
    name: 'undici',
    version,
    is: (module) => (module as { Agent: unknown }).Agent === undici.Agent,
  },
  client: plain.client,
  ways,
  overH2: reconnects ? [overH2] : [],
  uploading: [plain, dispatch],
  cutShort: [
    plainOver(
      'TLS',
      (given) => retryingAgent(given, { connect: { ca } }),
      (script) => openLab(script, { tls: cutOnce }),
    ),
  ],
  impatient: [plainOver('headersTimeout', (given) => retryingAgent(given, { headersTimeout: 200 }))],
  mocked: (statuses, given) => {
    const { dispatcher, attempts } = mockedAgent(statuses, given);
    return { send: (url, asked = {}) => request(dispatcher, url, asked), attempts };
  },
  program: `
    const agent = new client.Agent();
    const get = async (policy, asked) => {
      const dispatcher = agent.compose(undaunted.retry(policy));
      try {
        const { statusCode, body } = await dispatcher.request({ origin, path: '/', method: 'GET', ...asked });
        await body.dump();
        return statusCode;
      } catch (error) {
        return error.code ?? error.name;
      }
    };
    const close = () => agent.close();`,
  programWays: ['request'],
  // Bodies of `request()` have to be read.
  dropping: {
    program: `
      const dropping = (policy) => {
        const dispatcher = new client.Agent().compose(undaunted.retry(policy));
        return async ({ body, ...asked }) => {
          const given = typeof body === 'function' ? body() : body;
          await client.fetch(origin, { duplex: 'half', ...asked, ...(body && { body: given }), dispatcher });
        };
      };`,
    ways: ["undici's fetch"],
  },
  // The code of a DOMException.
  abortCode: '20',
  givingUp: [
    {
      ...gaveUp(plain),
      plain: plainCallers,
      rare: [...withReasons, ...oddCallers],
      bare: () => sendingOver(request, openAgent()),
    },
    {
      ...gaveUp(stream),
      plain: plainCallers,
      rare: withReasons,
      bare: () => sendingOver(streamed, openAgent()),
    },
    ...[undici.fetch as unknown as typeof fetch, fetch].map((doFetch, n) => ({
      ...gaveUp(ways[n + 1] as Way),
      plain: plainCallers.slice(0, 1),
      rare: [],
      bare:
        doFetch !== fetch || builtInSpeaksTo ? () => sendingOver(through(doFetch), openAgent()) : undefined,
      takesFactories: false,
    })),
  ],
  failures: async () => (await import('./failures-play.js')).failures,
  attemptEnds: 'with the head',
  knowsUnsent: showsQueued,
  expectOwn: (given) => expect(given).toBeInstanceOf(Object),
  overrideStandsIn: 'options.retry',
  hedges: true,
  skips: {
    ...(reconnects &&
      !multiplexes && {
        'unsent > request over HTTP/2 > a POST to a server that goes away without having looked at it is sent again':
          'undici 7 fails every stream that a GOAWAY ends with the same error',
      }),
    ...(dispatchesAborted && {
      "events > by 'request', in order: > nothing of a request that was aborted before it began":
        'undici dispatches it nevertheless, so there is an event that it is settled, after no attempt',
    }),
  },
};
