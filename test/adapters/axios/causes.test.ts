/** The cause of our own errors: the last real outcome, light enough to keep, and still with the server's words. */

import type { AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import { createRetrier, DeadlineError } from '../../../src/index.js';
import { answer, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { retryingInstance } from './kit.js';

const schedule = { kind: 'fixed', waitMs: 7, jitter: 'none' } as const;

/** The cause of the error when a deadline ends the second attempt. */
async function causeAfter(send: (time: HandTime) => Promise<unknown>): Promise<unknown> {
  const time = new HandTime();
  const asked = settled(send(time));
  await time.fire(7);
  await time.fire(993);
  const { error } = await asked;
  expect(error).toBeInstanceOf(DeadlineError);
  return (error as Error).cause;
}

describe('an answer', () => {
  async function responseAfter(text: string): Promise<AxiosError['response']> {
    const lab = await openLab([answer(503, text, { 'x-why': 'load' }), silence()]);
    const cause = await causeAfter((time) =>
      retryingInstance(createRetrier({ schedule, deadlineMs: 1_000 }, time.ports)).get(lab.origin),
    );
    expect(cause).toMatchObject({ name: 'AxiosError', code: 'ERR_BAD_RESPONSE', stack: expect.any(String) });
    expect(cause).not.toHaveProperty('request');
    return (cause as AxiosError).response;
  }

  test('keeps its head, and a short text', async () => {
    const response = await responseAfter('try later');
    expect(response).toMatchObject({
      status: 503,
      statusText: 'Service Unavailable',
      headers: { 'x-why': 'load' },
      data: 'try later',
    });
    expect(response).not.toHaveProperty('request');
  });

  test('loses a long text', async () => {
    const response = await responseAfter('no '.repeat(1_000));
    expect(response).toMatchObject({ status: 503, headers: { 'x-why': 'load' } });
    expect(response).not.toHaveProperty('data');
  });
});

test('an error that holds nothing heavy is the cause itself', async () => {
  const mine = Object.assign(new Error('mine'), { code: 'ECONNRESET' });
  let attempts = 0;
  const adapter: AxiosAdapter = () => {
    attempts += 1;
    return attempts === 1 ? Promise.reject(mine) : new Promise(() => undefined);
  };
  const cause = await causeAfter((time) =>
    retryingInstance(createRetrier({ schedule, deadlineMs: 1_000 }, time.ports), { adapter }).get('/'),
  );
  expect(cause).toBe(mine);
});
