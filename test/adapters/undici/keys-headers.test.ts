/** Headers of our own beside the caller's, in every form that undici takes. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { sentThrice, uuid } from '../sent-headers.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

function sent(name: string, policy: PolicyOptions, options: object): Promise<(string | undefined)[]> {
  const dispatcher = retryingAgent({ ...soon, ...policy });
  return sentThrice(name, async (origin) => {
    const { value } = await settled(undici.request(origin, { dispatcher, ...options } as never));
    await (value as { body: { dump(): Promise<void> } } | undefined)?.body.dump();
  });
}

describe('idempotencyKey', () => {
  test.each<[string, unknown]>([
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
    ['nothing in quotes', ['idempotency-key', '""']],
    ['an empty list', { 'idempotency-key': [] }],
    ['a list of nothing', { 'idempotency-key': [''] }],
    ['a Headers object', new Headers({ 'idempotency-key': '' })],
  ];

  test.each(blanks)(
    '%s is not a key: a POST that may have arrived is not sent again',
    async (_name, headers) => {
      expect(await sent('idempotency-key', {}, { method: 'POST', headers })).toHaveLength(1);
    },
  );

  test.each(blanks)(
    '%s is not a key: with the setting, one of ours takes its place',
    async (_name, headers) => {
      const before = JSON.stringify(headers);
      const keys = await sent('idempotency-key', { idempotencyKey: true }, { method: 'POST', headers });
      expect(keys).toEqual(Array(3).fill(expect.stringMatching(uuid)));
      expect(new Set(keys).size).toBe(1);
      expect(JSON.stringify(headers)).toBe(before);
    },
  );

  test('a key is found behind an empty one', async () => {
    const headers = ['idempotency-key', '', 'Idempotency-Key', 'mine'];
    const keys = await sent('idempotency-key', { idempotencyKey: true }, { method: 'POST', headers });
    expect(keys).toEqual(Array(3).fill(', mine'));
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a flat list', ['x-a', '1']],
    ['an empty list', []],
    ['a Map', new Map([['x-a', '1']])],
    ['a Headers object', new Headers({ 'x-a': '1' })],
  ])('joins headers in the form of %s, and leaves them as they are', async (form, headers) => {
    const lab = await openLab(answer(200));
    const before = JSON.stringify(headers);
    const options = { dispatcher: retryingAgent({ idempotencyKey: true }), method: 'POST', headers };
    await (await undici.request(lab.origin, options as never)).body.dump();
    expect(lab.requests[0]?.headers['idempotency-key']).toMatch(uuid);
    expect(lab.requests[0]?.headers['x-a']).toBe(/null|empty/.test(form) ? undefined : '1');
    expect(JSON.stringify(headers)).toBe(before);
  });

  test('one that no header can hold is reported, not sent and not retried', async () => {
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent({ ...soon, idempotencyKey: { generate: () => 'a\r\nx-injected: 1' } });
    const { error } = await settled(undici.request(lab.origin, { dispatcher, method: 'POST' }));
    expect(error).toMatchObject({ code: 'UND_ERR_INVALID_ARG' });
    expect(lab.requests).toHaveLength(0);
  });
});

test.each<[string, unknown]>([
  ['a flat list', ['Retry-Attempt', '7', 'x-a', '1']],
  ['a Map', new Map([['Retry-Attempt', '7']])],
])("attemptHeader takes the place of the caller's own (%s)", async (_form, headers) => {
  const numbers = await sent('retry-attempt', { attemptHeader: true }, { method: 'GET', headers });
  expect(numbers).toEqual(['7', '1', '2']);
});
