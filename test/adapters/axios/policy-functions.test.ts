/** Functions of a policy that answer what they should not: the request fails and says so; nothing hangs. */

import { expect, test } from 'vitest';
import { answer } from '../../faults/plays.js';
import { wrongAnswers } from '../function-answers.js';
import { openLab, settled } from '../kit.js';
import { retryingInstance } from './kit.js';

test.each(wrongAnswers)('$name', async ({ policy, says, sent }) => {
  const lab = await openLab(answer(503));
  const { error } = await settled(retryingInstance(policy).get(lab.origin));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain(says);
  expect(lab.requests).toHaveLength(sent);
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
