/** Functions of a policy that answer what they should not: the request fails and says so; nothing hangs. */

import { expect, test } from 'vitest';
import { answer } from '../../faults/plays.js';
import { wrongAnswers } from '../function-answers.js';
import { openLab, settled } from '../kit.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

test.each(wrongAnswers)('$name', async ({ policy, says, sent }) => {
  const lab = await openLab(answer(503));
  const { error } = await settled(undici.request(lab.origin, { dispatcher: retryingAgent(policy) }));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain(says);
  expect(lab.requests).toHaveLength(sent);
});

test.each([
  ['null', () => null],
  ['a promise of null', async () => null],
])('retryIf that answers %s has no opinion', async (_, retryIf) => {
  const lab = await openLab([answer(503), answer(200)]);
  const dispatcher = retryingAgent({ schedule: () => 1, retryIf: retryIf as never });
  expect((await undici.request(lab.origin, { dispatcher })).statusCode).toBe(200);
  expect(lab.requests).toHaveLength(2);
});
