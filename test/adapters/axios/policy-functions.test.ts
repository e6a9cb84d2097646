/** Functions of a policy that answer what they should not: the request fails and says so; nothing hangs. */

import { expect, test } from 'vitest';
import { answer } from '../../faults/plays.js';
import { expectFailure, wrongAnswers } from '../function-answers.js';
import { openLab } from '../kit.js';
import { retryingInstance } from './kit.js';

test.each(wrongAnswers)('$name', async (wrong) => {
  await expectFailure(wrong, (policy, origin) => retryingInstance(policy).get(origin));
});

test.each([
  ['null', () => null],
  ['a promise of null', async () => null],
])('retryIf that answers %s has no opinion', async (_, retryIf) => {
  const lab = await openLab([answer(503), answer(200)]);
  const instance = retryingInstance({ schedule: () => 1, retryIf: retryIf as never });
  expect((await instance.get(lab.origin)).status).toBe(200);
  expect(lab.requests).toHaveLength(2);
});
