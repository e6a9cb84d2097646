/** Several retry() in one chain never multiply: only the outermost acts, whatever is in between. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { definePolicy, type PolicyOptions } from '../../../src/index.js';
import { answer, cutBody, type Play, refusedOrigin, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { failsAtErrors, type Generation, recorder, terminalCalls } from './generations.js';
import { openAgent } from './kit.js';

type Interceptor = Dispatcher.DispatcherComposeInterceptor;

const { redirect, dump, dns, cache, decompress, deduplicate, responseError } = undici.interceptors as Partial<
  typeof undici.interceptors
>;

/** Fetches a token first, as a user's interceptor may, and dispatches later with options of its own. */
const signing: Interceptor = (dispatch) => (options, handler) => {
  const { origin, path, method, headers, body } = options as Dispatcher.DispatchOptions & { origin: string };
  void Promise.resolve('token').then((token) =>
    dispatch(
      {
        origin,
        path,
        method,
        headers: { ...(headers as Record<string, string>), authorization: token },
        ...(body !== undefined && { body }),
      },
      handler,
    ),
  );
  return true;
};

/** Wraps the handler, as most interceptors do. */
const wrapping: Interceptor = (dispatch) => (options, handler) =>
  dispatch(
    options,
    new Proxy(handler, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  );

/** The first generation as undici declares it: `onConnect(abort)`, without the context that undici also passes. */
const declared: Interceptor = (dispatch) => (options, handler) =>
  dispatch(
    options,
    new Proxy(handler, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name === 'onConnect') return (abort: () => void) => value.call(target, abort);
        return value.bind(target);
      },
    }),
  );

const between: [name: string, interceptor: Interceptor | undefined][] = [
  ['nothing', (dispatch) => (options, handler) => dispatch(options, handler)],
  ['an async interceptor with options of its own', signing],
  ['an interceptor that wraps the handler', wrapping],
  ['an interceptor that hands on what is declared', declared],
  ['redirect', redirect?.({ maxRedirections: 3 })],
  ['dump', dump?.()],
  ['dns', dns?.()],
  ['cache', cache?.()],
  ['decompress', decompress?.()],
  ['deduplicate', deduplicate?.()],
  ['responseError', failsAtErrors ? undefined : responseError?.()],
];
const present = between.flatMap(([name, interceptor]) =>
  interceptor === undefined ? [] : [[name, interceptor] as const],
);

/** Counts decisions to retry. */
function counting(decisions: string[], name: string, policy: PolicyOptions): PolicyOptions {
  return {
    ...soon,
    ...policy,
    observe: (event) => {
      if (event.type === 'decision') decisions.push(`${name}: ${event.decision.action}`);
    },
  };
}

describe.each(present)('with %s between', (name, interceptor) => {
  const isResponseError = name === 'responseError';

  test.each<[string, Play]>([
    ['a 503', answer(503, 'no')],
    ['an RST', rst()],
  ])('%s forever is sent as often as the outermost says, and decided by it alone', async (failure, play) => {
    const lab = await openLab(play);
    const decisions: string[] = [];
    const dispatcher = openAgent().compose(
      retry(counting(decisions, 'inner', { maxRetries: 5 })),
      interceptor,
      retry(counting(decisions, 'outer', { maxRetries: 2 })),
    );
    const { value, error } = await settled(
      dispatcher.request({ origin: lab.origin, path: '/', method: 'GET' }),
    );
    await value?.body.dump();
    if (failure === 'a 503' && !isResponseError) expect(value?.statusCode).toBe(503);
    else expect(error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(3);
    expect(decisions).toEqual(['outer: retry', 'outer: retry', 'outer: stop']);
  });

  test('the inner one does not retry what the outermost is told not to', async () => {
    const lab = await openLab(answer(503, 'no'));
    const dispatcher = openAgent().compose(retry(soon), interceptor, retry({ ...soon, retry: false }));
    await settled(
      dispatcher.request({ origin: lab.origin, path: '/', method: 'GET' }).then(({ body }) => body.dump()),
    );
    expect(lab.requests).toHaveLength(1);
  });

  test('a body comes whole after failures, and one request after another has the same', async () => {
    const lab = await openLab([answer(503, 'no'), rst(), answer(200, 'ok')]);
    const dispatcher = openAgent().compose(retry(soon), interceptor, retry(soon));
    for (let round = 0; round < 2; round += 1) {
      lab.play([answer(503, 'no'), rst(), answer(200, 'ok')]);
      const { statusCode, body } = await dispatcher.request({
        origin: lab.origin,
        path: `/${round}`,
        method: 'PUT',
        body: 'hello',
      });
      expect([statusCode, await body.text()]).toEqual([200, name === 'dump' ? '' : 'ok']);
      expect(lab.requests.map(({ body: sent }) => sent.toString())).toEqual(['hello', 'hello', 'hello']);
    }
  });

  test.each<Generation>([1, 2])('a handler of generation %i sees one request', async (generation) => {
    const lab = await openLab([answer(503, 'no'), answer(200, 'ok')]);
    const agent = openAgent();
    const heard = recorder(generation);
    agent
      .compose(retry(soon), retry(soon), interceptor, retry(soon), retry(soon))
      .dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
    await heard.settled;
    await agent.close();
    expect(heard.calls.filter((call) => /^(start|head|end|error)/.test(call))).toEqual([
      'start',
      'head 200',
      'end',
    ]);
    expect(terminalCalls(heard)).toBe(1);
    expect(lab.requests).toHaveLength(2);
  });

  // dump only notes an abort, and reports it when the response has arrived.
  test.skipIf(name === 'dump')('an abort ends it all', async () => {
    const lab = await openLab({ steps: [{ do: 'stall' }] });
    const dispatcher = openAgent().compose(retry(soon), interceptor, retry(soon));
    const caller = new AbortController();
    const sent = settled(
      dispatcher.request({ origin: lab.origin, path: '/', method: 'GET', signal: caller.signal }),
    );
    await lab.until(({ requests }) => requests.length === 1);
    caller.abort(new Error('enough'));
    expect((await sent).error).toBe(caller.signal.reason);
    await lab.until(({ connections, openSockets }) => connections - openSockets >= 1);
    expect(lab.requests).toHaveLength(1);
  });
});

test('twice directly, the same interceptor twice, the same policy twice, and five times', async () => {
  const policy = definePolicy({ ...soon, maxRetries: 2 });
  const one = retry(policy);
  for (const chain of [
    [retry(policy), retry(policy)],
    [one, one],
    [one, one, one, one, one],
    [retry({ ...soon, maxRetries: 2 }), retry({ ...soon, maxRetries: 2 })],
  ]) {
    const lab = await openLab(answer(503, 'no'));
    const { body } = await openAgent()
      .compose(chain)
      .request({ origin: lab.origin, path: '/', method: 'GET' });
    await body.dump();
    expect(lab.requests).toHaveLength(3);
  }
});

test('composed in two steps, and over fetch', async () => {
  const lab = await openLab(answer(503, 'no'));
  const dispatcher = openAgent()
    .compose(retry(soon))
    .compose(retry({ ...soon, maxRetries: 2 }));
  expect((await undici.fetch(lab.origin, { dispatcher })).status).toBe(503);
  expect(lab.requests).toHaveLength(3);
});

test('on a connection that is refused', async () => {
  const decisions: string[] = [];
  const dispatcher = openAgent().compose(
    retry(counting(decisions, 'inner', {})),
    retry(counting(decisions, 'outer', { maxRetries: 2 })),
  );
  await settled(dispatcher.request({ origin: await refusedOrigin(), path: '/', method: 'POST', body: 'x' }));
  expect(decisions).toEqual(['outer: retry', 'outer: retry', 'outer: stop']);
});

test('a body that is resumed is resumed by the outermost alone', async () => {
  const strong = { etag: '"a"', 'accept-ranges': 'bytes' };
  const lab = await openLab(cutBody(10, 5, 'rst', strong));
  const decisions: string[] = [];
  const dispatcher = openAgent().compose(
    retry(counting(decisions, 'inner', {})),
    retry(counting(decisions, 'outer', { maxRetries: 1 })),
  );
  const { body } = await dispatcher.request({ origin: lab.origin, path: '/', method: 'GET' });
  await settled(body.text());
  expect(lab.requests.length).toBeLessThanOrEqual(2);
  expect(decisions.filter((decision) => decision.startsWith('inner'))).toEqual([]);
});

test('a request of an interceptor between, with a handler of its own, is retried by the inner one', async () => {
  const lab = await openLab([answer(503, 'no'), answer(200, 'token'), answer(200, 'ok')]);
  const inner = openAgent().compose(retry(soon));
  const dispatcher = inner.compose(
    (dispatch) => (options, handler) => {
      void inner
        .request({ origin: lab.origin, path: '/token', method: 'GET' })
        .then(({ body }) => body.text())
        .then((token) => dispatch({ ...options, headers: { authorization: token } }, handler));
      return true;
    },
    retry(soon),
  );
  const { body } = await dispatcher.request({ origin: lab.origin, path: '/', method: 'GET' });
  expect(await body.text()).toBe('ok');
  expect(lab.requests.map(({ path }) => path)).toEqual(['/token', '/token', '/']);
  expect(lab.requests.at(-1)?.headers['authorization']).toBe('token');
});

test('a request made from the end of another one is a request of its own', async () => {
  const lab = await openLab([answer(200), answer(503, 'no'), answer(200, 'ok')]);
  const dispatcher = openAgent().compose(retry(soon), retry(soon));
  const second = recorder(2);
  const first = recorder(2, {
    onEnd: () => void dispatcher.dispatch({ origin: lab.origin, path: '/second', method: 'GET' }, second),
  });
  dispatcher.dispatch({ origin: lab.origin, path: '/first', method: 'GET' }, first);
  await second.settled;
  expect(second.body.toString()).toBe('ok');
  expect(lab.requests.map(({ path }) => path)).toEqual(['/first', '/second', '/second']);
});
