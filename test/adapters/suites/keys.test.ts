/** Headers of our own: the idempotency key, which makes a write safe to repeat, and the retry number. */

import { describe, expect, test } from 'vitest';
import type { BeforeRetry } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { PolicyError } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { sentThrice, uuid } from '../sent-headers.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

describe.each(subject.ways)('over $name', ({ client }) => {
  const post: Asked = { method: 'POST' };

  function sent(name: string, policy: PolicyOptions, asked = post): Promise<(string | undefined)[]> {
    const send = client({ ...soon, ...policy });
    return sentThrice(name, (origin) => settled(send(origin, asked)));
  }

  function expectOne(keys: readonly unknown[]): void {
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(uuid)));
    expect(new Set(keys).size).toBe(1);
  }

  describe('idempotencyKey', () => {
    test.each(['POST', 'PATCH', 'PUT', 'DELETE', 'post', 'put', 'delete'])(
      '%s gets one, the same in every attempt',
      async (method) => {
        expectOne(await sent('idempotency-key', { idempotencyKey: true }, { method, body: 'x' }));
      },
    );

    test('another request gets another one', async () => {
      const lab = await openLab(answer(200));
      const send = client({ ...soon, idempotencyKey: true });
      for (const body of ['1', '2']) await send(lab.origin, { method: 'POST', body });
      expect(new Set(lab.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
    });

    test.each(['GET', 'HEAD', 'OPTIONS', 'get', 'head', 'options'])('%s gets none', async (method) => {
      const keys = await sent('idempotency-key', { idempotencyKey: true }, { method });
      expect(keys).toEqual([undefined, undefined, undefined]);
    });

    test('a request without a method gets none', async () => {
      const keys = await sent('idempotency-key', { idempotencyKey: true }, {});
      expect(keys).toEqual([undefined, undefined, undefined]);
    });

    test.each<[string, Asked['headers'] & object]>([
      ['an object', { 'Idempotency-Key': 'mine' }],
      ['an object, in other letters', { 'IDEMPOTENCY-KEY': 'mine' }],
      ['an object of lists', { 'idempotency-key': ['mine'] }],
    ])("the caller's own is kept, and counts, also without the setting (%s)", async (_form, headers) => {
      for (const policy of [{ idempotencyKey: true }, {}]) {
        const keys = await sent('idempotency-key', policy, { ...post, headers });
        expect(keys).toEqual(['mine', 'mine', 'mine']);
      }
    });

    describe.each(['', ' ', '""'])('a blank one (%j)', (blank) => {
      const asked: Asked = { ...post, headers: { 'Idempotency-Key': blank } };

      test('is not a key: a POST that may have arrived is not sent again', async () => {
        expect(await sent('idempotency-key', {}, asked)).toHaveLength(1);
      });

      test('gives way to one of ours, and stays as it was for the caller', async () => {
        expectOne(await sent('idempotency-key', { idempotencyKey: true }, asked));
        expect(asked.headers).toEqual({ 'Idempotency-Key': blank });
      });
    });

    test('joins the headers of the caller, and leaves them as they are', async () => {
      const forms = [undefined, {}, { 'x-a': '1' }];
      for (const headers of forms) {
        const lab = await openLab(answer(200));
        const before = structuredClone(headers);
        await client({ idempotencyKey: true })(lab.origin, { ...post, ...(headers && { headers }) });
        expect(lab.requests[0]?.headers['idempotency-key']).toMatch(uuid);
        expect(lab.requests[0]?.headers['x-a']).toBe(before?.['x-a']);
        expect(headers).toEqual(before);
      }
    });

    test('in a header of its own; what stands in the usual one is then no key', async () => {
      const policy = { idempotencyKey: { header: 'X-Request-Id' } };
      const other = { ...post, headers: { 'idempotency-key': 'not this' } };
      expectOne(await sent('x-request-id', policy, other));
      const own = { ...post, headers: { 'x-ReQuest-iD': 'mine' } };
      expect(await sent('x-request-id', policy, own)).toEqual(Array(3).fill('mine'));
    });

    test('quoted', async () => {
      const [key] = await sent('idempotency-key', { idempotencyKey: { quoted: true } });
      expect(key).toMatch(/^"[\da-f-]{36}"$/);
    });

    test('of its own making, once per request', async () => {
      let made = 0;
      const generate = (): string => {
        made += 1;
        return `key ${made}`;
      };
      expect(await sent('idempotency-key', { idempotencyKey: { generate } })).toEqual(Array(3).fill('key 1'));
      expect(made).toBe(1);
    });

    test('one that `generate` leaves blank is an error: nothing is sent', async () => {
      const lab = await openLab(answer(200));
      const send = client({ ...soon, idempotencyKey: { generate: () => '' } });
      const { error } = await settled(send(lab.origin, post));
      expect(String(error)).toContain('idempotencyKey.generate returned a string ""');
      expect(lab.requests).toHaveLength(0);
    });

    describe('one that cannot be generated', () => {
      const failure = new Error('no entropy');
      const generate = (): never => {
        throw failure;
      };

      test('fails the request with that error: nothing is sent', async () => {
        const lab = await openLab(answer(200));
        const { error } = await settled(client({ ...soon, idempotencyKey: { generate } })(lab.origin, post));
        expect(error).toBe(failure);
        expect(lab.requests).toHaveLength(0);
      });

      test('leaves a request that is settled', async () => {
        const told: unknown[] = [];
        const observe = ({ type }: { readonly type: string }): void => void told.push(type);
        const { origin } = await openLab([]);
        await settled(client({ idempotencyKey: { generate }, observe })(origin, post));
        expect(told).toEqual(['settled']);
      });
    });

    test('one that no header can hold does not become another header', async () => {
      const lab = await openLab([answer(503), answer(200)]);
      const send = client({ ...soon, idempotencyKey: { generate: () => 'a\r\nx-injected: 1' } });
      await settled(send(lab.origin, post));
      expect(lab.requests.filter(({ headers }) => 'x-injected' in headers)).toEqual([]);
    });

    test('without it, a POST that may have arrived is not sent again', async () => {
      expect(await sent('idempotency-key', {})).toEqual([undefined]);
    });

    test('beforeRetry sees it, and leaves it as it is', async () => {
      const seen: unknown[] = [];
      const keys = await sent('idempotency-key', {
        idempotencyKey: { generate: () => 'made' },
        beforeRetry: ({ headers }) => void seen.push(headers['idempotency-key']),
      });
      expect(seen).toEqual(['made', 'made']);
      expect(keys).toEqual(['made', 'made', 'made']);
    });

    test('beforeRetry may change it', async () => {
      const seen: unknown[] = [];
      const keys = await sent('idempotency-key', {
        idempotencyKey: { generate: () => 'made' },
        beforeRetry: ({ headers }) => {
          seen.push(headers['idempotency-key']);
          headers['idempotency-key'] = 'changed';
        },
      });
      expect(seen).toEqual(['made', 'changed']);
      expect(keys).toEqual(['made', 'changed', 'changed']);
    });

    test('by a rule, for its requests alone', async () => {
      const lab = await openLab(answer(200));
      const send = client({ ...soon, rules: [{ match: 'POST /payments/:id', idempotencyKey: true }] });
      for (const path of ['/payments/1', '/others/1']) await send(lab.origin + path, post);
      expect(lab.requests.map(({ headers }) => 'idempotency-key' in headers)).toEqual([true, false]);
    });

    test('goes with a body that is sent again', async () => {
      const lab = await openLab([answer(503), answer(200)]);
      const { status } = await client({ ...soon, idempotencyKey: true })(lab.origin, {
        ...post,
        body: 'pay',
      });
      expect(status).toBe(200);
      const [first, second] = lab.requests.map(({ headers }) => headers['idempotency-key']);
      expect(first).toMatch(uuid);
      expect(second).toBe(first);
      expect(lab.requests.map(({ body }) => String(body))).toEqual(['pay', 'pay']);
    });
  });

  describe('attemptHeader', () => {
    test.each<[boolean | string, string]>([
      [true, 'retry-attempt'],
      ['X-Retry', 'x-retry'],
    ])('%s: absent at first, then the number of the retry', async (attemptHeader, name) => {
      expect(await sent(name, { attemptHeader }, {})).toEqual([undefined, '1', '2']);
    });

    test('is off unless asked for', async () => {
      expect(await sent('retry-attempt', {}, {})).toEqual([undefined, undefined, undefined]);
    });

    test("takes the place of the caller's own", async () => {
      const headers = { 'Retry-Attempt': '7', 'x-a': '1' };
      expect(await sent('retry-attempt', { attemptHeader: true }, { headers })).toEqual(['7', '1', '2']);
    });

    test('goes with the changes of beforeRetry', async () => {
      const beforeRetry: BeforeRetry = (context) => {
        context.headers = { 'x-new': '1' };
      };
      const policy = { attemptHeader: true, beforeRetry };
      expect(await sent('retry-attempt', policy, {})).toEqual([undefined, '1', '2']);
      expect(await sent('x-new', policy, {})).toEqual([undefined, '1', '1']);
    });
  });
});

describe('a header that says who asks, or how a request is framed', () => {
  const policies: PolicyOptions[] = [
    'authorization',
    'Cookie',
    'CONTENT-LENGTH',
    'transfer-encoding',
    'host',
  ].flatMap((header) => [{ attemptHeader: header }, { idempotencyKey: { header } }]);

  test.each(policies)('is none for our numbers and keys: %j', async (policy) => {
    const lab = await openLab(answer(503));
    const send = subject.client(soon);
    expect(() => subject.client({ idempotent: true, ...policy })).toThrow(PolicyError);
    const headers = { authorization: 'Bearer mine' };
    const { error } = await settled(
      send(lab.origin, {
        method: 'POST',
        body: 'x',
        headers,
        retry: { idempotent: true, ...policy } as never,
      }),
    );
    expect(error).toBeInstanceOf(PolicyError);
    expect(lab.requests).toEqual([]);
  });

  test("stays as it is: the caller's login is in each attempt", async () => {
    const policy = { ...soon, attemptHeader: true, idempotencyKey: true };
    const asked: Asked = { method: 'POST', body: 'x', headers: { Authorization: 'Bearer mine' } };
    const logins = await sentThrice('authorization', (origin) =>
      settled(subject.client(policy)(origin, asked)),
    );
    expect(logins).toEqual(Array(3).fill('Bearer mine'));
  });
});

test('one request may ask for a key', async () => {
  const lab = await openLab(answer(200));
  const send = subject.client();
  await send(lab.origin, { method: 'POST' });
  await send(lab.origin, { method: 'POST', retry: { idempotencyKey: true } });
  expect(lab.requests.map(({ headers }) => 'idempotency-key' in headers)).toEqual([false, true]);
});
