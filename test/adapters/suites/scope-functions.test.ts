/** A function that names the scope gets the request before anything is decided about it. */

import { describe, expect, test } from 'vitest';
import type { RequestFacts } from '../../../src/core/types.js';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { soon } from '../kit.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

describe.each(subject.ways)('over $name', ({ client, open }) => {
  test.each<[string, Asked, Partial<RequestFacts>]>([
    ['a GET', {}, { method: 'GET', keyed: false }],
    ['a write', { method: 'POST', body: 'x' }, { method: 'POST', keyed: false }],
    [
      'a write with a key of its own',
      { method: 'POST', body: 'x', headers: { 'Idempotency-Key': 'mine' } },
      { method: 'POST', keyed: true },
    ],
  ])('%s', async (_name, asked, facts) => {
    const lab = await open(answer(200));
    const told: Partial<RequestFacts>[] = [];
    const retrier = createRetrier({
      ...soon,
      scope: ({ method, origin, path, keyed }) => {
        told.push({ method, origin, path, keyed });
        return 'mine';
      },
    });
    const { status } = await client(retrier)(`${lab.origin}/things`, asked);
    expect(status).toBe(200);
    expect(told).toEqual([{ origin: lab.origin, path: expect.stringMatching(/\/things$/), ...facts }]);
    expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual(['mine']);
  });
});
