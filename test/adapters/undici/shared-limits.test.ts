/** Limits that the requests of a scope share, in cases that only undici has. */

import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createRetrier, DeadlineError } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { Clock } from '../clock.js';
import { openLab, settled } from '../kit.js';
import { gated, lean, patient } from '../scope-policies.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

test('the budget is of both the retries and the resumes of a download', async () => {
  const headers = { etag: '"a"', 'accept-ranges': 'bytes', 'content-length': '1000' };
  const lab = await openLab({
    steps: [{ do: 'head', status: 200, headers }, { do: 'fill', bytes: 10 }, { do: 'rst' }],
  });
  const retrier = createRetrier(lean);
  const { body } = await undici.request(lab.origin, { dispatcher: retryingAgent(retrier) });
  const { error } = await settled(body.text());
  expect(error).toBeInstanceOf(Error);
  // The first answer was a 200 with its body to follow; the second was not a 206.
  expect(lab.requests).toHaveLength(2);
  expect(retrier.snapshot().scopes.map(({ budgets }) => budgets)).toEqual([[{ tokens: 2 }]]);
});

test('the gate gets its probe back from a request whose body fails', async () => {
  const lab = await openLab([answer(503), answer(503), answer(200)]);
  const clock = new Clock();
  const dispatcher = retryingAgent(createRetrier(gated, clock.ports));
  const statusOf = async (): Promise<number> => {
    const { statusCode, body } = await undici.request(lab.origin, { dispatcher });
    await body.dump();
    return statusCode;
  };
  for (let request = 0; request < 2; request += 1) await statusOf();

  clock.now = 5_000;
  const { error } = await settled(undici.request(lab.origin, { dispatcher, method: 'PUT', body: thrower() }));
  expect(error).toBeInstanceOf(Error);

  clock.now = 9_000;
  lab.play(answer(200));
  expect(await statusOf()).toBe(200);
});

test('a wait for the gate that the deadline ends leaves nothing behind', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const clock = new Clock();
  const retrier = createRetrier(patient, clock.ports);
  const dispatcher = retryingAgent(retrier);
  await (await undici.request(lab.origin, { dispatcher })).body.dump();
  // The gate's probe would have been in time; the deadline's own timer is late.
  const waiting = settled(undici.request(lab.origin, { dispatcher, retry: { deadlineMs: 100 } }));
  await clock.waits.until(1);
  await clock.waits.strike(100);
  expect((await waiting).error).toBeInstanceOf(DeadlineError);
  expect(retrier.snapshot().scopes[0]?.waiting).toBe(0);
  expect(clock.waits.pending).toBe(0);
});

function thrower(): Readable {
  return new Readable({
    read() {
      this.destroy(new Error('nothing to send'));
    },
  });
}
