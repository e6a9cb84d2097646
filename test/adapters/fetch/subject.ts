/** fetch as a subject of the suites. */

import { expect } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { ca } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import type { GivingUp } from '../suites/callers.js';
import type { Skips } from '../suites/skips.js';
import type { Asked, Given, Reply, Send, Subject, Way } from '../suites/subject.js';
import { openAgent } from '../undici/kit.js';
import { nodeFetch, undici, undiciFetch, version, withCodes } from './client.js';
import { bySignal, plainCallers, rareCallers } from './giving-up.js';

async function send(doFetch: typeof fetch, url: string, { headers = {}, ...asked }: Asked): Promise<Reply> {
  const pairs = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const init = { ...asked, ...(pairs.length > 0 && { headers: pairs }), duplex: 'half' } as object;
  const given = await doFetch(url, init);
  const text = Buffer.from(await given.arrayBuffer()).toString('latin1');
  return { status: given.status, headers: Object.fromEntries(given.headers), text, given };
}

function sending(doFetch: typeof fetch): Send {
  return (url, asked = {}) => send(doFetch, url, asked);
}

/** fetch listens to a signal for as long as the signal lives. */
function wayOf(name: string, doFetch: typeof fetch, open: Way['open'] = openLab): Way {
  return {
    name,
    client: (given: Given = soon) => sending(withCodes(withRetry(doFetch, given) as typeof fetch)),
    open,
    takesOverride: true,
    packedBodies: 'unpacked',
    keepsListening: true,
    refusesGetBodies: true,
    sendsOn: true,
    takesWebStreams: true,
  };
}

/** Sends through an undici Agent with these options. */
function wayThrough(name: string, options: AgentOptions, open?: Way['open']): Way {
  const plainly = wayOf(name, undiciFetch, open);
  const client: Way['client'] = (given = soon) => {
    const doFetch = withCodes(withRetry(undiciFetch, given) as typeof fetch);
    return sending((url, init) => doFetch(url, { ...init, dispatcher: openAgent(options) } as RequestInit));
  };
  return { ...plainly, client };
}

type AgentOptions = ConstructorParameters<typeof undici.Agent>[0];

const plain = wayOf("Node's own", nodeFetch);
const ways = [plain, wayOf("undici's", undiciFetch)] as const;

/** What frameworks do that cache or log answers. */
function rebuilding(doFetch: typeof fetch, { Response }: Pick<typeof globalThis, 'Response'>): typeof fetch {
  return async (...asked) => {
    const { body, status, headers } = await doFetch(...asked);
    return new Response(body, { status, headers });
  };
}

const givingUp: readonly GivingUp[] = ([nodeFetch, undiciFetch] as const).map((doFetch, n) => ({
  name: (ways[n] as Way).name,
  way: ways[n] as Way,
  bare: () => sending(doFetch),
  plain: plainCallers,
  rare: n === 0 ? rareCallers : [],
  bySignal,
  takesFactories: true,
}));

/** Cases about body sources, which run once for each way. */
function overEach(...titles: readonly string[]): (reason: string) => Skips {
  const all = ways.flatMap(({ name }) =>
    titles.map((title) => `bodies-sources > over '${name.replaceAll("'", "\\'")}' > ${title}`),
  );
  return (reason) => Object.fromEntries(all.map((title) => [title, reason]));
}

function secrets(...titles: readonly string[]): Skips {
  return Object.fromEntries(titles.map((title) => [title, 'fetch refuses addresses with userinfo']));
}

export const subject: Subject = {
  name: 'fetch',
  hedges: true,
  startsStreams: true,
  underTest: {
    name: 'undici',
    version,
    is: (module) => (module as { Agent: unknown }).Agent === undici.Agent,
  },
  client: plain.client,
  ways,
  overH2: [],
  uploading: ways,
  cutShort: [
    wayThrough('TLS', { connect: { ca } }, (script) =>
      openLab(script, { tls: ['handshake-fin', 'trusted'] }),
    ),
  ],
  impatient: [wayThrough('headersTimeout', { headersTimeout: 200 })],
  mocked: (statuses, given) => {
    let attempts = 0;
    const mock: typeof fetch = async () => {
      if (statuses === 'silence') return new Promise(() => undefined);
      attempts += 1;
      return new Response('said', { status: statuses[attempts - 1] as number });
    };
    return { send: sending(withRetry(mock, given) as typeof fetch), attempts: () => attempts };
  },
  program: `
    const doFetch = { node: fetch, undici: client.fetch };
    const get = async (policy, asked, way = 'node') => {
      const told = undaunted.withRetry(doFetch[way], policy)(origin, { duplex: 'half', ...asked });
      return told.then(
        async (answer) => (await answer.arrayBuffer(), answer.status),
        (error) => error.code ?? error.cause?.code ?? error.name,
      );
    };
    const close = () => Promise.all([
      client.getGlobalDispatcher().close(),
      globalThis[Symbol.for('undici.globalDispatcher.1')]?.close(),
    ]).catch(() => undefined);`,
  programWays: ['node', 'undici'],
  dropping: {
    program: `
      const dropping = (policy, way) => {
        const doFetch = undaunted.withRetry({ node: fetch, undici: client.fetch }[way], policy);
        return async (asked) => void (await doFetch(origin, { duplex: 'half', ...asked }));
      };`,
    ways: ['node', 'undici'],
  },
  collectable: [
    wayOf("Node's own, rebuilt", rebuilding(nodeFetch, globalThis)),
    wayOf("undici's, rebuilt", rebuilding(undiciFetch, undici as unknown as typeof globalThis)),
  ],
  // The code of a DOMException.
  abortCode: '20',
  givingUp,
  failures: async () => (await import('./failures-play.js')).failures,
  attemptEnds: 'with the head',
  knowsUnsent: false,
  expectOwn: (given) => expect(given).toBeInstanceOf(Object),
  overrideStandsIn: 'init.retry',
  skips: {
    ...secrets(
      'budget > is one for an origin, however it is reached',
      'events > says > rule, scope and where the request went, without its secrets',
      'events > says > a scope that a function makes of the origin, which has no secrets either',
      'routes > a rule applies by host, whatever the userinfo',
      'routes > a rule applies by host, whatever the userinfo that looks like a host',
      'routes > scopes > differ by servers, and not by userinfo',
      'routes > scopes > and what is told show no secret of userinfo',
    ),
    ...overEach(
      "the source's own error is the caller's, and ends it > a Readable",
      "the source's own error is the caller's, and ends it > a web stream",
      "the source's own error is the caller's, and ends it > what a function makes",
      "the source's own error is the caller's, and ends it > a Readable, in the second attempt",
      'a Readable that breaks where nothing reads it is reported > when it was broken before the request',
      'a Readable that breaks where nothing reads it is reported > when it breaks on the way to the connection',
      'a Readable that breaks where nothing reads it is reported > when it breaks in the wait, and nothing is sent after it',
    )('fetch makes it the cause of an error of its own'),
  },
};
