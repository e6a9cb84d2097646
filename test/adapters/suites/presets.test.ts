/** Presets from end to end. */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, presets } from '../../../src/index.js';
import { answer, rst, silence } from '../../faults/plays.js';
import { openLab } from '../kit.js';
import { Waits } from '../waits.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

test('service: failures are retried, and its gate stays open', async () => {
  const lab = await openLab([answer(503), rst(), answer(200, 'served')]);
  const waits = new Waits();
  const retrier = createRetrier(presets.policies.service, { sleep: waits.sleep });
  expect(await subject.client(retrier)(lab.origin)).toMatchObject({ status: 200, text: 'served' });
  expect(waits.delays).toHaveLength(2);
  expect(retrier.snapshot().scopes).toMatchObject([{ gates: [{ state: 'open' }], waiting: 0 }]);
});

test('service: an attempt without an answer is given up', async () => {
  const lab = await openLab([silence(), answer(200, 'served')]);
  const waits = new Waits();
  const policy: PolicyOptions = { ...presets.policies.service, attemptTimeoutMs: 50 };
  const asked = subject.client(createRetrier(policy, { sleep: waits.sleep }))(lab.origin);
  await lab.until(({ requests }) => requests.length === 1);
  await waits.strike(50);
  expect((await asked).status).toBe(200);
  expect(lab.requests).toHaveLength(2);
});
