/** `historyOf` for the results of each of undici's calls, and for errors that requests share. */

import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { refusedOrigin } from '../../faults/lab.js';
import { answer, connectTunnel, cutBody, rst, silence, upgrade101 } from '../../faults/plays.js';
import { reasons } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { isFirst7, major, undici } from './client.js';
import { openAgent, retryingAgent } from './kit.js';

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return (await settled(promise)).error;
}

describe('of what request() gave', () => {
  test('through a redirect underneath, whose own history is beside it', async () => {
    const moved = answer(302, '', { location: '/there' });
    const lab = await openLab([moved, answer(503), moved, answer(200)]);
    const dispatcher = openAgent().compose(
      undici.interceptors.redirect({ maxRedirections: 2 }),
      retry({ ...soon }),
    );
    const response = await undici.request(lab.origin, { dispatcher });
    await response.body.dump();
    expect(reasons(response)).toEqual(['1 transient-status', '2 success']);
    expect((response.context as { history: URL[] }).history.map(String)).toContain(`${lab.origin}/there`);
  });

  // undici 6 and the first 7 drop the context there.
  test.each([
    ['redirect', () => undici.interceptors.redirect({ maxRedirections: 2 }), major > 6],
    ['dump', () => undici.interceptors.dump(), major > 6 && !isFirst7],
  ] as const)('through %s further out', async (_name, outer, isHandedOn) => {
    const lab = await openLab([answer(503), answer(200, 'ok'), rst(), rst()]);
    const dispatcher = openAgent().compose(retry({ ...soon, maxRetries: 1 }), outer());
    const response = await undici.request(lab.origin, { dispatcher });
    await response.body.dump();
    expect(reasons(response)).toEqual(isHandedOn ? ['1 transient-status', '2 success'] : undefined);
    const error = await errorOf(undici.request(lab.origin, { dispatcher }));
    expect(reasons(error)).toEqual(['1 transport-error', '2 retries-spent']);
  });

  test('by an object that can be logged, and shows no secret then', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const response = await undici.request(`${lab.origin}/a?token=secret`, {
      dispatcher: retryingAgent(),
      method: 'PUT',
      headers: { authorization: 'secret' },
      body: 'secret',
    });
    await response.body.dump();
    expect(inspect(response.context, { depth: 10 })).not.toContain('secret');
    expect(JSON.stringify(response.context)).not.toContain('secret');
  });

  test('holds when the body breaks off and nothing can be done', async () => {
    const lab = await openLab([answer(503), cutBody(1_000, 500, 'rst')]);
    const response = await undici.request(lab.origin, { dispatcher: retryingAgent() });
    const error = await errorOf(response.body.text());
    expect(reasons(response)).toEqual(['1 transient-status', '2 not-resumable']);
    expect(historyOf(error)).toBe(historyOf(response));
  });

  test('is the caller’s alone, where the options are one object for many requests', async () => {
    const lab = await openLab([answer(503), answer(200), answer(200)]);
    const options = { dispatcher: retryingAgent() };
    const first = await undici.request(lab.origin, options);
    await first.body.dump();
    const second = await undici.request(lab.origin, options);
    await second.body.dump();
    expect([reasons(first), reasons(second)]).toEqual([['1 transient-status', '2 success'], ['1 success']]);
  });
});

describe('of what other calls gave', () => {
  test("stream()'s factory", async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    let seen: string[] | undefined;
    const options = { dispatcher: retryingAgent(), method: 'GET' } as const;
    await undici.stream(lab.origin, options, (data) => {
      seen = reasons(data);
      return new Writable({ write: (_chunk, _encoding, done) => done() });
    });
    expect(seen).toEqual(['1 transient-status', '2 success']);
  });

  test("pipeline()'s handler", async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    let seen: string[] | undefined;
    const options = { dispatcher: retryingAgent(), method: 'GET' } as const;
    await new Promise((resolve, reject) =>
      undici
        .pipeline(lab.origin, options, (data) => {
          seen = reasons(data);
          return data.body;
        })
        .on('error', reject)
        .on('close', resolve)
        .resume()
        .end(),
    );
    expect(seen).toEqual(['1 transient-status', '2 success']);
  });

  test('upgrade() and connect(): nothing of another request, and nothing thrown', async () => {
    const lab = await openLab(({ method }) =>
      method === 'CONNECT' ? connectTunnel(200, 'echo') : upgrade101(),
    );
    const dispatcher = retryingAgent();
    for (const open of [
      () => undici.upgrade(lab.origin, { dispatcher, protocol: 'echo' }),
      () => undici.connect(lab.origin, { dispatcher } as never),
    ]) {
      const data = await open();
      expect([undefined, 1]).toContain(historyOf(data)?.length);
      data.socket.on('error', () => undefined).destroy();
    }
  });

  test.each(['undici', 'the built-in'])(
    '%s fetch: not of the Response, but of its error and the cause of that',
    async (whose) => {
      const lab = await openLab([answer(503), answer(200), rst()]);
      const doFetch = (whose === 'undici' ? undici.fetch : fetch) as typeof fetch;
      const init = { dispatcher: retryingAgent({ ...soon, maxRetries: 1 }) } as never;
      const response = await doFetch(lab.origin, init);
      await response.text();
      expect(historyOf(response)).toBeUndefined();
      const error = (await errorOf(doFetch(lab.origin, init))) as Error;
      expect(historyOf(error)).toBe(historyOf(error.cause));
      expect(reasons(error)).toEqual(['1 transport-error', '2 retries-spent']);
    },
  );
});

describe('of an error', () => {
  test('is left without a mark: no key more than undici gave it', async () => {
    const origin = await refusedOrigin();
    const [bare, ours] = [
      await errorOf(undici.request(origin, { dispatcher: openAgent() })),
      await errorOf(undici.request(origin, { dispatcher: retryingAgent() })),
    ];
    expect(Reflect.ownKeys(ours as object)).toEqual(Reflect.ownKeys(bare as object));
  });
});

describe('of an error that requests share is undefined:', () => {
  test('a dispatcher that was destroyed under pipelined requests', async () => {
    const lab = await openLab(silence());
    const agent = openAgent({ connections: 1, pipelining: 2 });
    const dispatcher = agent.compose(retry({ ...soon, maxRetries: 0 }));
    // undici 7 and 8 pipeline only requests that are marked as non-blocking.
    const pending = ['/a', '/b'].map((path) =>
      errorOf(undici.request(lab.origin + path, { dispatcher, blocking: false })),
    );
    await lab.until(({ requests }) => requests.length === 2);
    expect(lab.connections).toBe(1);
    const shared = new Error('shut down');

    await agent.destroy(shared);

    const [one, other] = await Promise.all(pending);
    expect([one, other]).toEqual([shared, shared]);
    expect(one).toBe(other);
    expect(historyOf(shared)).toBeUndefined();
  });

  test('an error that a MockAgent answers with again and again', async () => {
    const agent = new undici.MockAgent();
    onTestFinished(() => agent.close());
    agent.disableNetConnect();
    const shared = Object.assign(new Error('mocked'), { code: 'ECONNRESET' });
    agent.get('http://mocked.example').intercept({ path: '/' }).replyWithError(shared).persist();
    const dispatcher = agent.compose(retry({ ...soon, maxRetries: 1 }));
    const ask = (): Promise<unknown> => errorOf(undici.request('http://mocked.example/', { dispatcher }));

    expect(await ask()).toBe(shared);
    expect(reasons(shared)).toEqual(['1 transport-error', '2 retries-spent']);
    await ask();
    expect(historyOf(shared)).toBeUndefined();
    await ask();
    expect(historyOf(shared)).toBeUndefined();
  });

  describe('a reason to abort, of a request in its wait, and', () => {
    const holding: PolicyOptions = { maxRetries: 1, hold: { refusedShare: 0 } };

    async function abortBoth(
      begin: (signal: AbortSignal, dispatcher: Dispatcher, origin: string) => Promise<unknown>,
    ) {
      const lab = await openLab(({ path }) =>
        path === '/limited' ? answer(429, '', { 'retry-after': '5' }) : silence(),
      );
      const other = await openLab(({ path }) => (path === '/slow' ? silence() : cutBody(2_000, 100, 'rst')));
      const waits = new Waits('when told');
      const dispatcher = retryingAgent(createRetrier(holding, { sleep: waits.sleep }));
      const aborter = new AbortController();
      const { signal } = aborter;
      const inWait = errorOf(undici.request(`${lab.origin}/limited`, { dispatcher, signal }));
      await waits.until(1);
      const pending = begin(signal, dispatcher, lab.origin);
      return { lab, other, waits, dispatcher, aborter, inWait, pending };
    }

    test('of one in its wait as well', async () => {
      const { waits, aborter, inWait, pending } = await abortBoth((signal, dispatcher, origin) =>
        errorOf(undici.request(`${origin}/limited`, { dispatcher, signal, retry: { hold: false } })),
      );
      await waits.until(2);
      aborter.abort();
      expect(await inWait).toBe(await pending);
      expect(historyOf(await pending)).toBeUndefined();
    });

    test('of one in its first attempt', async () => {
      const { lab, aborter, inWait, pending } = await abortBoth((signal, dispatcher, origin) =>
        errorOf(undici.request(`${origin}/slow`, { dispatcher, signal, retry: { hold: false } })),
      );
      await lab.until(({ requests }) => requests.length === 2);
      aborter.abort();
      expect(await inWait).toBe(await pending);
      expect(historyOf(await pending)).toBeUndefined();
    });

    test('of one that the hold has not let go yet', async () => {
      const { lab, waits, aborter, inWait, pending } = await abortBoth((signal, dispatcher, origin) =>
        errorOf(undici.request(`${origin}/held`, { dispatcher, signal })),
      );
      await waits.until(2);
      aborter.abort();
      expect(await inWait).toBe(await pending);
      expect(lab.requests).toHaveLength(1);
      expect(historyOf(await pending)).toBeUndefined();
    });
  });

  test('one that a body of two requests failed with, before and after it was sent', async () => {
    const shared = new Error('no body');
    const lab = await openLab(answer(503));
    const dispatcher = retryingAgent();
    let made = 0;
    const body = (): string => {
      made += 1;
      if (made > 1) throw shared;
      return 'body';
    };
    const options = { dispatcher, method: 'PUT', body } as never;

    expect(await errorOf(undici.request(lab.origin, options))).toBe(shared);
    expect(reasons(shared)).toEqual(['1 transient-status']);
    expect(await errorOf(undici.request(lab.origin, options))).toBe(shared);
    expect(historyOf(shared)).toBeUndefined();
  });
});
