/** retry() together with undici's own interceptors, inside and outside of them: each still works. */

import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, cutBody, type Lab, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { isFirst7, major, undici } from './client.js';
import { failsAtErrors } from './generations.js';
import { openAgent } from './kit.js';

type Interceptor = Dispatcher.DispatcherComposeInterceptor;

/** Not every version has every interceptor. */
const { redirect, dump, dns, cache, decompress, deduplicate, responseError } = undici.interceptors as Partial<
  typeof undici.interceptors
>;

const orders = [
  ['retry() outside', (own: Interceptor, ours: Interceptor) => [own, ours]],
  ['retry() inside', (own: Interceptor, ours: Interceptor) => [ours, own]],
] as const;

type Order = (typeof orders)[number][1];

function composed(order: Order, own: Interceptor, policy: Parameters<typeof retry>[0] = soon): Dispatcher {
  return openAgent().compose(order(own, retry(policy)));
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function got(dispatcher: Dispatcher, { origin }: Pick<Lab, 'origin'>, path = '/'): Promise<Answered> {
  const { statusCode, body } = await dispatcher.request({ origin, path, method: 'GET' });
  return { status: statusCode, text: await body.text() };
}

const all: [name: string, make: (() => Interceptor) | undefined][] = [
  ['redirect', redirect && (() => redirect({ maxRedirections: 3 }))],
  ['dump', dump && (() => dump())],
  ['dns', dns && (() => dns())],
  ['cache', cache && (() => cache())],
  ['decompress', decompress && (() => decompress())],
  ['deduplicate', deduplicate && (() => deduplicate())],
  ['responseError', failsAtErrors ? undefined : responseError && (() => responseError())],
];
const present = all.flatMap(([name, make]) => (make === undefined ? [] : [[name, make] as const]));

describe.each(present)('%s', (name, make) => {
  describe.each(orders)('%s', (_order, order) => {
    const text = name === 'dump' ? '' : 'ok';

    test.each<[string, Play]>([
      ['503', answer(503, 'no')],
      ['RST', rst()],
    ])('gets over a %s', async (_name, failure) => {
      const lab = await openLab([failure, answer(200, 'ok')]);
      expect(await got(composed(order, make()), lab)).toEqual({ status: 200, text });
      expect(lab.requests).toHaveLength(2);
    });

    test('a request that succeeds at once is sent once', async () => {
      const lab = await openLab(answer(200, 'ok'));
      expect(await got(composed(order, make()), lab)).toEqual({ status: 200, text });
      expect(lab.requests).toHaveLength(1);
    });

    test('a server that always answers 503 gives a 503 in the end', async () => {
      const lab = await openLab(answer(503, 'no', { 'content-type': 'text/plain' }));
      const { value, error } = await settled(got(composed(order, make()), lab));
      if (name === 'responseError') {
        expect(error).toMatchObject({ code: 'UND_ERR_RESPONSE', statusCode: 503, body: 'no' });
      } else expect(value).toEqual({ status: 503, text: name === 'dump' ? '' : 'no' });
      expect(lab.requests).toHaveLength(4);
    });

    test('a server that always resets gives that error in the end', async () => {
      const lab = await openLab(rst());
      const { error } = await settled(got(composed(order, make()), lab));
      expect(error).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) });
      expect(lab.requests).toHaveLength(4);
    });

    test('by fetch, with a body', async () => {
      const lab = await openLab([answer(503, 'no'), rst(), answer(200, 'ok')]);
      const dispatcher = composed(order, make());
      const response = await undici.fetch(lab.origin, { dispatcher, method: 'PUT', body: 'hello' });
      expect([response.status, await response.text()]).toEqual([200, text]);
      expect(lab.requests.map(({ body }) => body.toString())).toEqual(['hello', 'hello', 'hello']);
    });
  });
});

describe.each(orders)('redirect, %s', (_order, order) => {
  const moved = (to: string): Play => answer(302, '', { location: to });

  test('each hop may fail and be repeated', async () => {
    const failed = new Set<string>();
    const lab = await openLab(({ path }) => {
      if (!failed.has(path)) {
        failed.add(path);
        return answer(503, 'no');
      }
      return path === '/end' ? answer(200, 'ok') : moved(path === '/' ? '/middle' : '/end');
    });
    const dispatcher = composed(order, redirect?.({ maxRedirections: 3 }) ?? retry());
    const { statusCode, body, context } = await dispatcher.request({
      origin: lab.origin,
      path: '/',
      method: 'GET',
    });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    expect((context as { history: URL[] }).history.map(({ pathname }) => pathname).at(-1)).toBe('/end');
    expect(lab.requests.at(-1)?.path).toBe('/end');
  });

  test('a POST whose second hop is refused with 503 is not sent again', async () => {
    const lab = await openLab(({ path }) =>
      path === '/' ? answer(307, '', { location: '/end' }) : answer(503, 'no'),
    );
    const dispatcher = composed(order, redirect?.({ maxRedirections: 3 }) ?? retry());
    const { statusCode, body } = await dispatcher.request({
      origin: lab.origin,
      path: '/',
      method: 'POST',
      body: 'hello',
    });
    await body.dump();
    expect(statusCode).toBe(503);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/', '/end']);
  });

  test('a POST whose second hop breaks off is not sent again', async () => {
    const lab = await openLab(({ path }) => (path === '/' ? answer(307, '', { location: '/end' }) : rst()));
    const dispatcher = composed(order, redirect?.({ maxRedirections: 3 }) ?? retry());
    const { error } = await settled(
      dispatcher.request({ origin: lab.origin, path: '/', method: 'POST', body: 'hello' }),
    );
    expect(error).toBeInstanceOf(Error);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/', '/end']);
  });
});

describe.skipIf(cache === undefined)('cache', () => {
  const fresh = { 'cache-control': 'max-age=600' };

  test.each(orders)('the answer after a 503 is stored, %s', async (_order, order) => {
    const lab = await openLab([answer(503, 'no'), answer(200, 'ok', fresh)]);
    const dispatcher = composed(order, cache?.() ?? retry());
    expect(await got(dispatcher, lab)).toEqual({ status: 200, text: 'ok' });
    expect(await got(dispatcher, lab)).toEqual({ status: 200, text: 'ok' });
    expect(lab.requests).toHaveLength(2);
  });

  test.each(orders)('an answer that broke off is not, %s', async (_order, order) => {
    const lab = await openLab([cutBody(10, 5, 'rst', fresh), answer(200, 'ok', fresh)]);
    const dispatcher = composed(order, cache?.() ?? retry());
    expect((await settled(got(dispatcher, lab))).error).toBeInstanceOf(Error);
    expect(await got(dispatcher, lab)).toEqual({ status: 200, text: 'ok' });
  });
});

describe.skipIf(decompress === undefined)('decompress', () => {
  test.each(orders)('the answer after a 503 is unpacked, %s', async (_order, order) => {
    const packed = gzipSync('ok'.repeat(1000)).toString('latin1');
    const lab = await openLab([
      answer(503, gzipSync('no').toString('latin1'), { 'content-encoding': 'gzip' }),
      answer(200, packed, { 'content-encoding': 'gzip' }),
    ]);
    expect(await got(composed(order, decompress?.() ?? retry()), lab)).toEqual({
      status: 200,
      text: 'ok'.repeat(1000),
    });
  });
});

describe.skipIf(deduplicate === undefined)('deduplicate', () => {
  test.each(orders)('callers of one resource that fails at first all get it, %s', async (_order, order) => {
    const lab = await openLab([answer(503, 'no'), rst(), answer(200, 'ok')]);
    const dispatcher = composed(order, deduplicate?.() ?? retry());
    const answers = await Promise.all([1, 2, 3].map(() => got(dispatcher, lab)));
    expect(answers).toEqual(Array(3).fill({ status: 200, text: 'ok' }));
  });

  test('inside it, retry() sends for all of them', async () => {
    const lab = await openLab([answer(503, 'no'), rst(), answer(200, 'ok')]);
    const dispatcher = openAgent().compose(retry(soon), deduplicate?.() ?? retry());
    await Promise.all([1, 2, 3].map(() => got(dispatcher, lab)));
    expect(lab.requests).toHaveLength(3);
  });
});

describe.skipIf(responseError === undefined || failsAtErrors)('responseError', () => {
  test.each(orders)(
    'a POST answered 429 is sent again if we see the answer itself, one answered 503 is not: %s',
    async (name, order) => {
      // Underneath, it makes its error once the answer is over: nothing proves then that this was the first one.
      const isBeneath = name === 'retry() outside';
      for (const [status, requests] of [
        [429, isBeneath ? 1 : 2],
        [503, 1],
      ] as const) {
        const lab = await openLab([answer(status, 'no'), answer(200, 'ok')]);
        const sent = composed(order, responseError?.() ?? retry()).request({
          origin: lab.origin,
          path: '/',
          method: 'POST',
          body: 'hello',
        });
        const { value, error } = await settled(sent);
        await value?.body.dump();
        if (requests === 2) expect(value?.statusCode).toBe(200);
        else expect(error).toMatchObject({ statusCode: status });
        expect(lab.requests).toHaveLength(requests);
      }
    },
  );

  test.each(orders)('a hint is obeyed: %s', async (_order, order) => {
    const lab = await openLab([answer(503, 'no', { 'retry-after-ms': '1234' }), answer(200, 'ok')]);
    const waits = new Waits();
    const retrier = createRetrier({ hintJitter: 0 }, { sleep: waits.sleep });
    await got(composed(order, responseError?.() ?? retry(), retrier), lab);
    expect(waits.delays).toEqual([1234]);
  });
});

test.skipIf(dns === undefined)(
  'dns: a name is looked up, and its server is found again after failures',
  async () => {
    const lab = await openLab([answer(503, 'no'), rst(), answer(200, 'ok')]);
    for (const [, order] of orders) {
      lab.play([answer(503, 'no'), rst(), answer(200, 'ok')]);
      let lookups = 0;
      const own = dns?.({
        lookup: (_origin, _options, callback) => {
          lookups += 1;
          callback(null, [{ address: '127.0.0.1', ttl: 600_000, family: 4 }]);
        },
      });
      const dispatcher = composed(order, own ?? retry());
      expect(await got(dispatcher, { origin: `http://service.test:${lab.port}` })).toEqual({
        status: 200,
        text: 'ok',
      });
      expect(lookups).toBe(1);
      // undici 6 and the first 7 leave the port out of `host`.
      const host = major === 6 || isFirst7 ? 'service.test' : `service.test:${lab.port}`;
      expect(lab.requests.map(({ headers }) => headers['host'])).toEqual([host, host, host]);
    }
  },
);
