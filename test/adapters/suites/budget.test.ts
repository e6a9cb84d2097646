/** The budget of a scope: how many retries its requests may still make. */

import { describe, expect, test } from 'vitest';
import { createRetrier, definePolicy } from '../../../src/index.js';
import { refusedOrigin } from '../../faults/lab.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled } from '../kit.js';
import { lean } from '../scope-policies.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

test.each([
  ['the same policy object', definePolicy(lean)],
  ['the same retrier', createRetrier(lean)],
])('is shared by two clients that were given %s', async (_what, given) => {
  const lab = await openLab(answer(503, 'the last answer'));
  const [one, other] = [subject.client(given), subject.client(given)];
  expect((await one(lab.origin)).status).toBe(503);
  expect(lab.requests).toHaveLength(4);
  expect(await other(lab.origin)).toMatchObject({ status: 503, text: 'the last answer' });
  expect(lab.requests).toHaveLength(5);
});

test('is not shared by those that were given the same options', async () => {
  const lab = await openLab(answer(503));
  for (const send of [subject.client(lean), subject.client(lean)]) await send(lab.origin);
  expect(lab.requests).toHaveLength(8);
});

describe.each(subject.ways)('over $name', ({ client }) => {
  test('of one origin is not that of another, unless a rule names their scope', async () => {
    const labs = [await openLab(answer(503)), await openLab(answer(503))];
    const apart = client(lean);
    for (const { origin } of labs) await apart(origin);
    expect(labs.map(({ requests }) => requests.length)).toEqual([4, 4]);
    const together = client({ ...lean, rules: [{ match: '127.0.0.1', scope: 'both' }] });
    for (const { origin } of labs) await together(origin);
    expect(labs.map(({ requests }) => requests.length)).toEqual([8, 5]);
  });

  test.each([
    // 3 - 2 + 1, + 1, and full; 3 - 2 + 2.
    [false, [2, 3, 3]],
    ['all', [3, 3, 3]],
  ] as const)('is refilled by successes, and snapshot() counts (refund: %s)', async (refund, tokens) => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    const retrier = createRetrier({ ...lean, budget: { capacity: 3, perSuccess: 1, perSecond: 0, refund } });
    const send = client(retrier);
    const seen: unknown[] = [];
    for (let request = 0; request < 3; request += 1) {
      await send(lab.origin);
      seen.push(retrier.snapshot().scopes[0]?.budgets[0]?.tokens);
    }
    retrier.reset();
    expect(seen).toEqual(tokens);
    expect(retrier.snapshot()).toEqual({ scopes: [] });
  });
});

test('is one for an origin, however it is reached', async () => {
  const lab = await openLab(answer(503));
  const retrier = createRetrier(lean);
  const { port } = lab;
  for (const way of subject.ways) await way.client(retrier)(`${lab.origin}/a`);
  await subject.client(retrier)(`http://me:secret@127.0.0.1:${port}/b`);
  await subject.client(retrier)(`HTTP://127.0.0.1:${port}/c`);
  expect(lab.requests).toHaveLength(3 + subject.ways.length + 2);
  expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual([lab.origin]);
});

test('that is spent leaves the last error as it is', async () => {
  const origin = await refusedOrigin();
  const send = subject.client({ ...lean, budget: { capacity: 1, perSecond: 0 } });
  await settled(send(origin));
  const { error } = await settled(send(origin));
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  expect(error).toHaveProperty('syscall' in (error as object) ? 'syscall' : 'cause.syscall', 'connect');
});
