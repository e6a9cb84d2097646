/** Headers of our own: the idempotency key, which makes a write safe to repeat, and the retry's number. */

import { describe, expect, test } from 'vitest';
import type { BeforeRetry } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { sentThrice, uuid } from '../sent-headers.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

function sent(
  name: string,
  policy: PolicyOptions,
  options: object = { method: 'POST' },
): Promise<(string | undefined)[]> {
  const dispatcher = retryingAgent({ ...soon, ...policy });
  return sentThrice(name, async (origin) => {
    const { value } = await settled(undici.request(origin, { dispatcher, ...options } as never));
    await (value as { body: { dump(): Promise<void> } } | undefined)?.body.dump();
  });
}

describe('idempotencyKey', () => {
  test.each(['POST', 'PATCH', 'PUT', 'DELETE', 'post'])(
    '%s gets one, the same in every attempt',
    async (method) => {
      const keys = await sent('idempotency-key', { idempotencyKey: true }, { method, body: 'x' });
      expect(keys).toHaveLength(3);
      expect(keys[0]).toMatch(uuid);
      expect(new Set(keys).size).toBe(1);
    },
  );

  test('another request gets another one', async () => {
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent({ ...soon, idempotencyKey: true });
    for (const body of ['1', '2']) {
      await (await undici.request(lab.origin, { dispatcher, method: 'POST', body })).body.dump();
    }
    expect(new Set(lab.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  test.each(['GET', 'HEAD', 'OPTIONS', 'get'])('%s gets none', async (method) => {
    const keys = await sent('idempotency-key', { idempotencyKey: true }, { method });
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every((key) => key === undefined)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['an object', { 'Idempotency-Key': 'mine' }],
    ['an object, in other letters', { 'IDEMPOTENCY-KEY': 'mine' }],
    ['an object of lists', { 'idempotency-key': ['mine'] }],
    ['a flat list', ['X-First', '1', 'Idempotency-Key', 'mine']],
    ['a Map', new Map([['Idempotency-Key', 'mine']])],
    ['a Headers object', new Headers({ 'Idempotency-Key': 'mine' })],
    [
      'anything that yields pairs',
      {
        *[Symbol.iterator]() {
          yield ['Idempotency-Key', 'mine'];
        },
      },
    ],
  ])("the caller's own is kept, and counts, also without the setting (%s)", async (_form, headers) => {
    for (const policy of [{ idempotencyKey: true }, {}]) {
      const keys = await sent('idempotency-key', policy, { method: 'POST', headers });
      expect(keys).toEqual(['mine', 'mine', 'mine']);
    }
  });

  const blanks: [string, unknown][] = [
    ['an empty text', { 'Idempotency-Key': '' }],
    ['a space', { 'idempotency-key': ' ' }],
    ['nothing in quotes', ['idempotency-key', '""']],
    ['an empty list', { 'idempotency-key': [] }],
    ['a list of nothing', { 'idempotency-key': [''] }],
    ['a Headers object', new Headers({ 'idempotency-key': '' })],
  ];

  test.each(blanks)(
    '%s is no key: a POST that may have arrived is not sent again',
    async (_name, headers) => {
      expect(await sent('idempotency-key', {}, { method: 'POST', headers })).toHaveLength(1);
    },
  );

  test.each(blanks)('%s is no key: with the setting, one of ours takes its place', async (_name, headers) => {
    const before = JSON.stringify(headers);
    const keys = await sent('idempotency-key', { idempotencyKey: true }, { method: 'POST', headers });
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(uuid)));
    expect(new Set(keys).size).toBe(1);
    expect(JSON.stringify(headers)).toBe(before);
  });

  test('a key is found behind an empty one', async () => {
    const headers = ['idempotency-key', '', 'Idempotency-Key', 'mine'];
    const keys = await sent('idempotency-key', { idempotencyKey: true }, { method: 'POST', headers });
    expect(keys).toEqual(Array(3).fill(', mine'));
  });

  test('joins headers in every form, and leaves them as they are', async () => {
    const forms: unknown[] = [
      undefined,
      null,
      {},
      { 'x-a': '1' },
      ['x-a', '1'],
      [],
      new Map([['x-a', '1']]),
      new Headers({ 'x-a': '1' }),
    ];
    for (const headers of forms) {
      const lab = await openLab(answer(200));
      const dispatcher = retryingAgent({ idempotencyKey: true });
      const before = JSON.stringify(headers);
      const options = { dispatcher, method: 'POST', ...(headers !== undefined && { headers }) };
      await (await undici.request(lab.origin, options as never)).body.dump();
      expect(lab.requests[0]?.headers['idempotency-key']).toMatch(uuid);
      const hasOther = JSON.stringify([...pairs(headers)]).includes('x-a');
      expect(lab.requests[0]?.headers['x-a']).toBe(hasOther ? '1' : undefined);
      expect(JSON.stringify(headers)).toBe(before);
    }
  });

  test('in a header of its own; what stands in the usual one is then no key', async () => {
    const policy = { idempotencyKey: { header: 'X-Request-Id' } };
    const headers = { 'idempotency-key': 'not this' };
    const keys = await sent('x-request-id', policy, { method: 'POST', headers });
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(uuid);
    expect(
      await sent('x-request-id', policy, { method: 'POST', headers: { 'x-ReQuest-iD': 'mine' } }),
    ).toEqual(Array(3).fill('mine'));
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

  test('one that no header can hold is reported, not sent and not retried', async () => {
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent({ ...soon, idempotencyKey: { generate: () => 'a\r\nx-injected: 1' } });
    const { error } = await settled(undici.request(lab.origin, { dispatcher, method: 'POST' }));
    expect(error).toMatchObject({ code: 'UND_ERR_INVALID_ARG' });
    expect(lab.requests).toHaveLength(0);
  });

  test('without it, a POST that may have arrived is not sent again', async () => {
    expect(await sent('idempotency-key', {})).toEqual([undefined]);
  });

  test('beforeRetry may change it, and sees it', async () => {
    const seen: unknown[] = [];
    const keys = await sent('idempotency-key', {
      idempotencyKey: { generate: () => 'made' },
      beforeRetry: ({ headers }) => void seen.push(headers['idempotency-key']),
    });
    expect(seen).toEqual(['made', 'made']);
    expect(keys).toEqual(['made', 'made', 'made']);
  });

  test.each(['undici', 'the built-in'])('through %s fetch', async (whose) => {
    const lab = await openLab([answer(503), answer(200)]);
    const dispatcher = retryingAgent({ ...soon, idempotencyKey: true });
    const doFetch = whose === 'undici' ? undici.fetch : fetch;
    const response = await doFetch(lab.origin, { dispatcher, method: 'POST', body: 'pay' } as never);
    expect(response.status).toBe(200);
    const keys = lab.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(uuid);
    expect(keys[1]).toBe(keys[0]);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['pay', 'pay']);
  });
});

describe('attemptHeader', () => {
  test.each<[boolean | string, string]>([
    [true, 'retry-attempt'],
    ['X-Retry', 'x-retry'],
  ])('%s: absent at first, then the number of the retry', async (attemptHeader, name) => {
    expect(await sent(name, { attemptHeader }, { method: 'GET' })).toEqual([undefined, '1', '2']);
  });

  test('is off unless asked for', async () => {
    expect(await sent('retry-attempt', {}, { method: 'GET' })).toEqual([undefined, undefined, undefined]);
  });

  test.each<[string, unknown]>([
    ['an object', { 'Retry-Attempt': '7', 'x-a': '1' }],
    ['a flat list', ['Retry-Attempt', '7', 'x-a', '1']],
    ['a Map', new Map([['Retry-Attempt', '7']])],
  ])("takes the place of the caller's own (%s)", async (_form, headers) => {
    const numbers = await sent('retry-attempt', { attemptHeader: true }, { method: 'GET', headers });
    expect(numbers).toEqual(['7', '1', '2']);
  });

  test('goes with the changes of beforeRetry', async () => {
    const beforeRetry: BeforeRetry = (context) => {
      context.headers = { 'x-new': '1' };
    };
    const numbers = await sent('retry-attempt', { attemptHeader: true, beforeRetry }, { method: 'GET' });
    expect(numbers).toEqual([undefined, '1', '2']);
  });
});

function pairs(headers: unknown): Iterable<unknown> {
  if (typeof headers !== 'object' || headers === null) return [];
  return Symbol.iterator in headers ? (headers as Iterable<unknown>) : Object.entries(headers);
}
