/** A promised body that arrives after its request is over: nothing is sent, nothing breaks. */

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answer } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { Deferred, retryingAgent } from './kit.js';
import { record } from './recorder.js';

test.each<[string, unknown]>([
  ['a text', 'late'],
  ['bytes', Buffer.from('late')],
  ['nothing', undefined],
  ['null', null],
  ['a Blob', new Blob(['late'])],
])('%s', async (_name, body) => {
  const lab = await openLab(answer(200));
  const made = new Deferred<unknown>();
  const heard = record(retryingAgent(), { origin: lab.origin, method: 'PUT', body: () => made.promise });
  const why = new Error('enough');
  heard.controller?.abort(why);
  made.resolve(body);
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect(heard.errors).toEqual([why]);
  expect([heard.ends, lab.connections]).toEqual([1, 0]);
});
