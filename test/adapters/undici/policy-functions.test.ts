/** Functions of a policy that answer what they should not: the request fails and says so; nothing hangs. */

import { expect, test } from 'vitest';
import { answer } from '../../faults/plays.js';
import { expectFailure, wrongAnswers } from '../function-answers.js';
import { openLab } from '../kit.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

test.each(wrongAnswers)('$name', async (wrong) => {
  await expectFailure(wrong, (policy, origin) =>
    undici.request(origin, { dispatcher: retryingAgent(policy) }),
  );
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
