/**
 * The error for a caller that aborts during a wait: with a token, axios uses its message; with a signal, always the
 * same one.
 */

import { expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { wait, waiting } from '../abort-moments.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { bySignal, byToken, type Caller } from './callers.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

async function givenUpInTheWait(caller: Caller): Promise<{ error: unknown; baseURL: string }> {
  const time = new HandTime();
  const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
  const lab = await openLab(answer(503, 'busy'));
  const instance = retryingInstance(createRetrier({ schedule }, time.ports), { baseURL: lab.origin });
  const answered = settled(instance.get('/', caller.config));
  await waiting({ lab, time, asked: Promise.resolve() });
  caller.giveUp();
  return { error: (await answered).error, baseURL: lab.origin };
}

test("a token's error is its reason", async () => {
  const { error } = await givenUpInTheWait(byToken(axios, 'the user left'));
  expect(error).toMatchObject({ message: 'the user left' });
});

test("a signal's error is what axios always says, with the request's configuration", async () => {
  const { error, baseURL } = await givenUpInTheWait(bySignal(new Error('the user left')));
  expect(error).toMatchObject({ message: 'canceled', config: { baseURL } });
});
