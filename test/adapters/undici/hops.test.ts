/**
 * A POST without a key is sent again only if it is known that it made one hop: after a redirect, beneath a layer that
 * hides one, or beneath something else than undici, nothing proves that it was not taken.
 */

import { request as nodeRequest } from 'node:http';
import { constants } from 'node:http2';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf, type PolicyOptions } from '../../../src/index.js';
import { type H2Lab, rstStream } from '../../faults/h2-lab.js';
import { answer, type Lab, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { openFullBacklog, openLab, settled, soon } from '../kit.js';
import { dumpHangs, major, showsQueued, undici } from './client.js';
import { openH2AgentForResets, openH2Lab, wires } from './h2-client.js';
import { openAgent } from './kit.js';

type Interceptor = Dispatcher.DispatcherComposeInterceptor;
type Dispatch = Dispatcher.Dispatch;

const { interceptors } = undici;
const redirect = (): Interceptor => interceptors.redirect({ maxRedirections: 3 });
const refusals = [408, 425, 429];

function book(dispatcher: Dispatcher, origin: string, path = '/'): Promise<Dispatcher.ResponseData> {
  return dispatcher.request({ origin, path, method: 'POST', headers: { 'x-id': 'a' }, body: 'book' });
}

/** How the POST ended, and what each attempt is said to prove. */
async function ended(asked: Promise<Dispatcher.ResponseData>) {
  const { value, error } = await settled(asked);
  await value?.body.dump();
  const history = historyOf(value ?? error) ?? [];
  return {
    ended: value?.statusCode ?? (error as { code?: unknown }).code,
    proven: history.map(({ decision }) => decision.finding.evidence),
  };
}

function sent(lab: Pick<Lab | H2Lab, 'requests'>): number {
  return lab.requests.filter(({ method }) => method === 'POST').length;
}

/** A layer whose handler inherits from ours, and does some things in its own way. */
function layer(make: (handler: Record<string, (...given: unknown[]) => unknown>) => object): Interceptor {
  return (dispatch) => (options, handler) => {
    const given = handler as unknown as Record<string, (...given: unknown[]) => unknown>;
    const own = Object.assign(Object.create(null), make(given));
    const names = ['Connect', 'RequestStart', 'Headers', 'ResponseStart', 'Data', 'ResponseData'];
    const more = ['Complete', 'ResponseEnd', 'Error', 'ResponseError', 'ResponseStarted'];
    for (const name of [...names, ...more].map((each) => `on${each}`)) {
      own[name] ??= (...args: unknown[]) => given[name]?.(...args);
    }
    return dispatch(options, own);
  };
}

/** Hides the context, in which a redirect has its history. */
const hidingTheContext = layer((handler) => ({
  onConnect: (abort: unknown) => handler['onConnect']?.(abort),
  onRequestStart: (controller: unknown) => handler['onRequestStart']?.(controller),
}));

/** Tells of the first start only, as undici 6's own retry does. */
const tellingOneStart = layer((handler) => {
  let isTold = false;
  const once =
    (name: string) =>
    (...given: unknown[]) => {
      if (!isTold) handler[name]?.(...given);
      isTold = true;
    };
  return { onConnect: once('onConnect'), onRequestStart: once('onRequestStart') };
});

/** Tells of the start only when there is a head. */
const deferringTheStart = layer((handler) => {
  let start: unknown[] = [];
  const keep = (...given: unknown[]): void => {
    start = given;
  };
  const tell =
    (startName: string, name: string) =>
    (...given: unknown[]) => {
      handler[startName]?.(...start);
      return handler[name]?.(...given);
    };
  return {
    onConnect: keep,
    onRequestStart: keep,
    onHeaders: tell('onConnect', 'onHeaders'),
    onResponseStart: tell('onRequestStart', 'onResponseStart'),
  };
});

const beneath: [name: string, layers: Interceptor[]][] = [
  ['redirect', [redirect()]],
  ['redirect, dump', [redirect(), interceptors.dump({ maxSize: 1_000_000 })]],
  ['redirect, a layer that hides the context', [redirect(), hidingTheContext]],
  ['redirect, a layer that tells of one start', [redirect(), tellingOneStart]],
  ['redirect, a layer that defers the start', [redirect(), deferringTheStart]],
];

describe.each(beneath)('over %s', (_name, layers) => {
  const agent = (policy: PolicyOptions = soon) =>
    openAgent({ connections: 1 }).compose(...layers, retry(policy));

  test.each([302, 303, 307, 308])('a POST that is answered %i is booked once', async (status) => {
    for (const refusal of refusals) {
      const shop = await openLab(({ path }) =>
        path === '/' ? answer(status, '', { location: '/next' }) : answer(refusal),
      );
      const { ended: how, proven } = await ended(book(agent(), shop.origin));
      expect([how, proven]).toEqual([refusal, ['unknown']]);
      expect(shop.requests.map(({ path }) => path)).toEqual(['/', '/next']);
    }
  });

  test.each(['refused', 'silent'])('… or whose next hop is %s', async (how) => {
    const next = how === 'refused' ? await refusedOrigin() : await openFullBacklog();
    const shop = await openLab(answer(307, '', { location: `${next}/next` }));
    const policy = how === 'refused' ? soon : { ...soon, attemptTimeoutMs: 1_000 };
    expect((await ended(book(agent(policy), shop.origin))).proven).toEqual(['unknown']);
    expect(sent(shop)).toBe(1);
  });

  test('… also those that wait for the one connection', async () => {
    const shop = await openLab(({ path }) =>
      path.startsWith('/next') ? answer(429) : answer(303, '', { location: `/next${path}` }),
    );
    const one = agent();
    const all = Array.from({ length: 8 }, (_, index) => ended(book(one, shop.origin, `/${index}`)));
    expect((await Promise.all(all)).map(({ proven }) => proven)).toEqual(all.map(() => ['unknown']));
    expect(sent(shop)).toBe(8);
  });
});

describe.each(wires)('over HTTP/2 ($name), after a redirect', (wire) => {
  const refusedStream = rstStream(constants.NGHTTP2_REFUSED_STREAM);

  test.each(beneath)('%s: what the next hop says proves nothing', async (_name, layers) => {
    for (const next of [answer(429), refusedStream]) {
      const shop = await openH2Lab([answer(303, '', { location: '/next' }), next, answer(200)], wire);
      const agent = openH2AgentForResets(wire).compose(...layers, retry(soon));
      expect((await ended(book(agent, shop.origin))).proven).toEqual(['unknown']);
      // undici 8 itself repeats a stream that was refused.
      expect(sent(shop)).toBe(1);
    }
  });
});

/** A dispatcher that is not undici's. */
class NodeDispatcher extends undici.Dispatcher {
  private readonly tellsStart: boolean;

  constructor(tellsStart: boolean) {
    super();
    this.tellsStart = tellsStart;
  }

  override dispatch(options: Dispatcher.DispatchOptions, given: unknown): boolean {
    const handler = given as Record<string, (...given: unknown[]) => unknown>;
    const controller = { paused: false, aborted: false, reason: null, pause() {}, resume() {}, abort() {} };
    if (this.tellsStart) handler['onRequestStart']?.(controller, {});
    const { origin, path, method } = options;
    nodeRequest(new URL(path, origin as string), { method, agent: false }, (response) => {
      handler['onResponseStart']?.(controller, response.statusCode, response.headers, '');
      response.on('data', (chunk) => handler['onResponseData']?.(controller, chunk));
      response.on('end', () => handler['onResponseEnd']?.(controller, {}));
    })
      .on('error', (error) => handler['onResponseError']?.(controller, error))
      .end(String(options.body));
    return true;
  }
}

describe.each([true, false])(
  'over a dispatcher that is not undici’s (tells of the start: %s)',
  (tellsStart) => {
    const base = () => new NodeDispatcher(tellsStart).compose(retry({ ...soon, attemptTimeoutMs: 200 }));

    test.each([
      ['a reset', rst()],
      ['no answer in time', silence()],
      ['a 429', answer(429)],
    ])('%s proves nothing', async (_what, play) => {
      const shop = await openLab([play, answer(200)]);
      expect((await ended(book(base(), shop.origin))).proven).toEqual(['unknown']);
      expect(sent(shop)).toBe(1);
    });

    test('not even a refused connection', async () => {
      expect((await ended(book(base(), await refusedOrigin()))).proven).toEqual(['unknown']);
    });
  },
);

describe('beneath a layer that keeps the start to itself', () => {
  const over = (policy: PolicyOptions) =>
    openAgent().compose(deferringTheStart, retry({ ...soon, ...policy }));

  test.each([
    ['a reset', rst()],
    ['no answer in time', silence()],
  ])('%s proves nothing', async (_what, play) => {
    const shop = await openLab([play, answer(200)]);
    const agent = over({ attemptTimeoutMs: 300 });
    expect((await ended(book(agent, shop.origin))).proven).toEqual(['unknown']);
    expect(sent(shop)).toBe(1);
  });

  test('our own timeout does not either: the layer would let the request go out later', async () => {
    const agent = over({ attemptTimeoutMs: 200 });
    expect((await ended(book(agent, await openFullBacklog()))).proven).toEqual(['unknown']);
  });

  test('a layer that sends the request by another way if undici could not', async () => {
    const shop = await openLab([rst(), answer(200)]);
    const elsewhere: Interceptor = (dispatch) => (options, given) => {
      const handler = given as unknown as Record<string, (...given: unknown[]) => unknown>;
      const fallBack = (first: unknown) => {
        nodeRequest(shop.origin, { method: 'POST' })
          .on('error', () => {
            const name = major === 6 ? 'onError' : 'onResponseError';
            handler[name]?.(...(major === 6 ? [first] : [null, first]));
          })
          .end('book');
      };
      return dispatch(
        options,
        Object.assign(Object.create(given), {
          onError: fallBack,
          onResponseError: (_controller: unknown, error: unknown) => fallBack(error),
        }),
      );
    };
    const agent = openAgent().compose(elsewhere, retry(soon));
    expect((await ended(book(agent, await refusedOrigin()))).proven).toEqual(['unknown']);
    expect(sent(shop)).toBe(1);
  });
});

describe('a MockAgent stands for undici', () => {
  const origin = 'http://mocked.test';

  async function replied(code: string, more: object = {}) {
    const agent = new undici.MockAgent();
    agent.disableNetConnect();
    onTestFinished(() => agent.close());
    const pool = agent.get(origin);
    pool
      .intercept({ path: '/', method: 'POST' })
      .replyWithError(Object.assign(new Error(code), { code, ...more }));
    pool.intercept({ path: '/', method: 'POST' }).reply(200, 'ok');
    return ended(book(agent.compose(retry(soon)), origin));
  }

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    '%s: sent again',
    async (code) => {
      expect(await replied(code)).toEqual({ ended: 200, proven: ['unsent', 'unknown'] });
    },
  );

  test('ETIMEDOUT of connect: sent again', async () => {
    expect(await replied('ETIMEDOUT', { syscall: 'connect' })).toMatchObject({ ended: 200 });
  });

  test.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])(
    '%s: sent once',
    async (code) => {
      expect(await replied(code)).toEqual({ ended: code, proven: ['unknown'] });
    },
  );

  test.each(refusals)('%i: sent again', async (status) => {
    const agent = new undici.MockAgent();
    agent.disableNetConnect();
    onTestFinished(() => agent.close());
    const pool = agent.get(origin);
    pool.intercept({ path: '/', method: 'POST' }).reply(status, 'no');
    pool.intercept({ path: '/', method: 'POST' }).reply(200, 'ok');
    expect((await ended(book(agent.compose(retry(soon)), origin))).ended).toBe(200);
  });
});

// ---------------------------------------------------------------- what stays

type Make = (origin: string) => Dispatcher;
type Layered = [name: string, layers: () => Interceptor[]];

function closed<Any extends Dispatcher>(dispatcher: Any): Any {
  onTestFinished(() => void dispatcher.destroy().catch(() => undefined));
  return dispatcher;
}

const undicis: [name: string, make: Make][] = [
  ['an Agent', () => openAgent()],
  ['an Agent of one connection', () => openAgent({ connections: 1 })],
  ['a Client', (origin) => closed(new undici.Client(origin))],
  ['a Pool', (origin) => closed(new undici.Pool(origin, { connections: 2 }))],
  ['a BalancedPool', (origin) => closed(new undici.BalancedPool(origin, { connections: 2 }))],
];

const dumped: Layered = ['dump', () => [interceptors.dump({ maxSize: 1_000_000 })]];

const layers: Layered[] = [
  ['redirect', () => [redirect()]],
  ...(dumpHangs ? [] : [dumped]),
  ['a layer of one’s own', () => [hidingTheContext]],
  [
    'a layer that adds a header',
    () => [
      (dispatch: Dispatch) => (options, handler) =>
        dispatch({ ...options, headers: { ...(options.headers as object), 'x-more': '1' } }, handler),
    ],
  ],
];

describe.each(undicis)('over %s', (_name, make) => {
  test('a refused POST is sent again', async () => {
    const nowhere = await refusedOrigin();
    const asked = book(make(nowhere).compose(retry({ ...soon, maxRetries: 2 })), nowhere);
    expect(await ended(asked)).toEqual({ ended: 'ECONNREFUSED', proven: ['unsent', 'unsent', 'unsent'] });
  });

  test.each(refusals)('a POST that is answered %i is sent again', async (status) => {
    const shop = await openLab([answer(status), answer(200)]);
    expect((await ended(book(make(shop.origin).compose(retry(soon)), shop.origin))).ended).toBe(200);
    expect(sent(shop)).toBe(2);
  });

  test.each(layers)('… beneath %s', async (_layer, layered) => {
    const nowhere = await refusedOrigin();
    const refused = make(nowhere).compose(...layered(), retry({ ...soon, maxRetries: 1 }));
    expect((await ended(book(refused, nowhere))).proven).toEqual(['unsent', 'unsent']);
    const shop = await openLab([answer(429), answer(200)]);
    expect((await ended(book(make(shop.origin).compose(...layered(), retry(soon)), shop.origin))).ended).toBe(
      200,
    );
  });
});

/** undici 8.13's BalancedPool itself forgets requests that wait while the server is gone. */
const queueing = undicis.filter(([name]) => name !== 'a BalancedPool');

describe.runIf(showsQueued).each(queueing)('over %s', (_name, make) => {
  test('those that wait for a connection are sent again, too', async () => {
    // undici may fail several with one error, which then has no history.
    const proven: unknown[] = [];
    const observe: PolicyOptions['observe'] = (event) => {
      if (event.type === 'decision') proven.push(event.decision.finding.evidence);
    };
    const nowhere = await refusedOrigin();
    const agent = make(nowhere).compose(retry({ ...soon, budget: false, observe }));
    await Promise.all(Array.from({ length: 8 }, () => ended(book(agent, nowhere))));
    expect(proven).toEqual(Array(8 * 4).fill('unsent'));

    let asked = 0;
    const shop = await openLab(() => {
      asked += 1;
      return answer(asked <= 8 ? 429 : 200);
    });
    const other = make(shop.origin).compose(retry({ ...soon, budget: false }));
    const answered = await Promise.all(Array.from({ length: 8 }, () => ended(book(other, shop.origin))));
    expect(answered.map((each) => each.ended)).toEqual(Array(8).fill(200));
    expect(sent(shop)).toBe(16);
  });

  test('… also with requests between them that prove nothing', async () => {
    const asked = new Map<string, number>();
    const shop = await openLab(({ method, path }) => {
      const times = (asked.get(path) ?? 0) + 1;
      asked.set(path, times);
      return answer(method === 'POST' && times === 1 ? 429 : 200);
    });
    const agent = make(shop.origin).compose(retry({ ...soon, budget: false }));
    const get = async (number: number) => {
      const { body, statusCode } = await agent.request({
        origin: shop.origin,
        path: `/get/${number}`,
        method: 'GET',
      });
      await body.dump();
      return { ended: statusCode };
    };
    const all = Array.from({ length: 24 }, (_, number) =>
      number % 2 === 0 ? get(number) : ended(book(agent, shop.origin, `/${number}`)),
    );
    expect((await Promise.all(all)).map((each) => each.ended)).toEqual(Array(24).fill(200));
    expect(sent(shop)).toBe(24);
  });
});
