/** Functions of the caller's that return objects with a `then` of their own: whatever it does, the request ends. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

const broken = new Error('the thenable’s own');

function thenable(then: Then): never {
  return { then } as never;
}

/** Read by `in` and by `typeof`, too. */
function unreadable(): never {
  const read = (): never => {
    throw broken;
  };
  return Object.defineProperty({}, 'then', { get: read }) as never;
}

/** Each ends with `broken`. */
const failing: readonly (readonly [string, () => never])[] = [
  [
    'throws',
    () =>
      thenable(() => {
        throw broken;
      }),
  ],
  ['cannot be read', unreadable],
  [
    'rejects, then resolves',
    () =>
      thenable((resolve, reject) => {
        reject(broken);
        resolve(undefined);
      }),
  ],
  [
    'rejects late, and twice',
    () =>
      thenable((_resolve, reject) => {
        setImmediate(() => {
          reject(broken);
          reject(new Error('again'));
        });
      }),
  ],
  [
    'resolves with one that throws',
    () =>
      thenable((resolve) =>
        resolve(
          thenable(() => {
            throw broken;
          }),
        ),
      ),
  ],
];

/** Each resolves with the value. */
const resolving: readonly (readonly [string, (value: unknown) => never])[] = [
  [
    'resolves, then throws',
    (value) =>
      thenable((resolve) => {
        resolve(value);
        throw broken;
      }),
  ],
  [
    'resolves, then rejects',
    (value) =>
      thenable((resolve, reject) => {
        resolve(value);
        reject(broken);
      }),
  ],
  [
    'resolves twice',
    (value) =>
      thenable((resolve) => {
        resolve(value);
        resolve('again');
        setImmediate(() => resolve('late'));
      }),
  ],
  [
    'resolves late, then rejects',
    (value) =>
      thenable((resolve, reject) => {
        setImmediate(() => {
          resolve(value);
          reject(broken);
        });
      }),
  ],
  [
    'resolves with another one',
    (value) => thenable((resolve) => resolve(thenable((settle) => settle(value)))),
  ],
];

describe.each(subject.ways)('over $name', ({ client }) => {
  describe.each(failing)('one whose then %s', (_, make) => {
    test.each<[string, PolicyOptions]>([
      ['retryIf', { retryIf: make }],
      ['beforeRetry', { beforeRetry: make }],
      ['retryIf, with a deadline', { deadlineMs: 60_000, retryIf: make }],
      ['beforeRetry, with a deadline', { deadlineMs: 60_000, beforeRetry: make }],
    ])('from %s: its error is the request’s', async (_name, policy) => {
      const lab = await openLab(answer(503));
      const { error } = await settled(client({ ...soon, ...policy })(lab.origin));
      expect(error).toBe(broken);
      expect(lab.requests).toHaveLength(1);
    });

    test.each<[string, PolicyOptions, sent: number]>([
      ['schedule', { schedule: make }, 1],
      ['scope', { scope: make }, 0],
      ['match.test', { rules: [{ match: { test: make } }] }, 0],
      ['idempotencyKey.generate', { idempotencyKey: { generate: make } }, 0],
    ])('from %s, which cannot be async: the error says so', async (name, policy, sent) => {
      const lab = await openLab(answer(503));
      const asked = { method: name === 'schedule' ? 'PUT' : 'POST', body: 'x' };
      const { error } = await settled(client({ ...soon, ...policy })(lab.origin, asked));
      expect(String(error)).toContain(`undaunted: ${name} returned a promise`);
      expect(lab.requests).toHaveLength(sent);
    });

    test('from observe: the request goes on', async () => {
      const lab = await openLab([answer(503), answer(200)]);
      expect((await client({ ...soon, observe: make })(lab.origin)).status).toBe(200);
    });
  });

  describe.each(resolving)('one whose then %s', (_, make) => {
    test('from retryIf: the first value counts', async () => {
      const lab = await openLab(answer(404));
      const send = client({ ...soon, maxRetries: 2, retryIf: () => make(true) });
      expect((await send(lab.origin)).status).toBe(404);
      expect(lab.requests).toHaveLength(3);
    });

    test('from beforeRetry: each retry is sent once', async () => {
      const lab = await openLab(answer(503));
      const send = client({ ...soon, maxRetries: 2, beforeRetry: () => make(undefined) });
      expect((await send(lab.origin)).status).toBe(503);
      expect(lab.requests).toHaveLength(3);
    });
  });
});

describe.each(subject.uploading)('from a function that makes the body, over $name', ({ client }) => {
  test.each(failing)('one whose then %s: its error is the request’s', async (_, make) => {
    const lab = await openLab(answer(503));
    const { error } = await settled(client(soon)(lab.origin, { method: 'PUT', body: make }));
    expect(error).toBe(broken);
    expect(lab.requests).toEqual([]);
  });

  test.each(resolving)('one whose then %s: the first value is sent, whole', async (_, make) => {
    const lab = await openLab([answer(503), answer(200)]);
    const body = (): never => make('the body');
    expect((await client(soon)(lab.origin, { method: 'PUT', body })).status).toBe(200);
    expect(lab.requests.map((request) => String(request.body))).toEqual(['the body', 'the body']);
  });
});
