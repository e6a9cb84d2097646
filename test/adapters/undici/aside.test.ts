/** A body that goes on while `retryIf` judges its head: only a little of it is kept, and none is read without need. */

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { RetryIf } from '../../../src/core/events.js';
import { createRetrier } from '../../../src/index.js';
import { answer, endlessBody } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab } from '../kit.js';
import { Deferred, littleBytes, openAgent, whileAnotherReads } from './kit.js';
import { record } from './recorder.js';

const mebibyte = 1_048_576;
const schedule = { kind: 'fixed', waitMs: 7, jitter: 'none' } as const;

test('the server is stalled, and goes on when the answer is the one to be handed over', async () => {
  const lab = await openLab(endlessBody(mebibyte, 503));
  const verdict = new Deferred<boolean>();
  const agent = openAgent().compose(retry({ retryIf: () => verdict.promise }));
  const heard = record(agent, { origin: lab.origin });
  await lab.until(({ bytesSent }) => bytesSent > mebibyte);
  await whileAnotherReads();
  expect(lab.bytesSent).toBeLessThan(littleBytes);
  expect(heard.heads).toEqual([]);

  const before = lab.bytesSent;
  verdict.resolve(false);
  await lab.until(({ bytesSent }) => bytesSent - before > littleBytes);
  expect(heard.heads).toMatchObject([{ status: 503 }]);
  heard.controller?.abort(new Error('enough'));
  await heard.end();
});

test('the connection is cut off when it is to be sent again', async () => {
  const lab = await openLab([endlessBody(65_536, 503), answer(200, 'ok')]);
  const verdict = new Deferred<boolean>();
  const time = new HandTime();
  const retryIf: RetryIf = (outcome) =>
    outcome.kind === 'response' && outcome.status === 503 ? verdict.promise : undefined;
  const retrier = createRetrier({ schedule, retryIf }, time.ports);
  const heard = record(openAgent().compose(retry(retrier)), { origin: lab.origin });
  await lab.until(({ bytesSent }) => bytesSent > mebibyte);
  // Part of the body has arrived by now.
  await setTimeout(5);
  verdict.resolve(true);
  expect(await comesTrue(() => lab.openSockets < lab.connections)).toBe(true);
  await time.fire(7);
  await heard.until(({ ends }) => ends > 0);
  expect(heard.heads).toMatchObject([{ status: 200 }]);
  expect(heard.bytes.toString()).toBe('ok');
});
