/** Memory of hedged requests: no answer is kept by a wait, nor by an attempt that has lost and is still out. */

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AxiosAdapter } from 'axios';
import { expect, test } from 'vitest';
import { hedgeMs, retryMs, warmedUp } from '../suites/hedged.js';
import { retryingInstance } from './kit.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Objects created or read in this turn are not collected in it. */
async function aliveOf(references: readonly WeakRef<object>[]): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  collectGarbage();
  return references.filter((reference) => reference.deref() !== undefined).length;
}

/** The adapter answers with these statuses; `never` is still out at the end. */
function answering(...statuses: readonly (number | 'never')[]) {
  const references: WeakRef<object>[] = [];
  const late: (() => void)[] = [];
  let sent = 0;
  const adapter: AxiosAdapter = (config) => {
    const status = statuses[sent];
    sent += 1;
    return new Promise((resolve) => {
      if (status === 'never') return;
      late.push(() => {
        const response = { data: 'x', status: status ?? 0, statusText: '', headers: {}, config };
        references.push(new WeakRef(response));
        resolve(response);
      });
    });
  };
  const answerAll = (): void => {
    for (const answer of late.splice(0)) answer();
  };
  return { adapter, references, answerAll };
}

test('while a retry waits after two attempts that failed, their answers are not kept', async () => {
  const { adapter, references, answerAll } = answering(503, 503, 200);
  const { time, retrier } = warmedUp();
  const instance = retryingInstance(retrier, { adapter });
  const asked = instance.get('http://127.0.0.1/').then(({ status }) => status);
  await time.fire(hedgeMs);
  answerAll();
  await time.until(({ pending }) => pending.includes(retryMs));
  expect(await aliveOf(references)).toBe(0);
  await time.fire(retryMs);
  await setImmediate();
  answerAll();
  expect(await asked).toBe(200);
});

test('the answer that won is not kept while the other attempt is still out', async () => {
  const { adapter, references, answerAll } = answering('never', 200);
  const { time, retrier } = warmedUp();
  const instance = retryingInstance(retrier, { adapter });
  const asked = instance.get('http://127.0.0.1/').then(({ status }) => status);
  await time.fire(hedgeMs);
  answerAll();
  expect(await asked).toBe(200);
  expect(time.pending).toHaveLength(1);
  expect(await aliveOf(references)).toBe(0);
  await time.fire(time.pending[0] ?? 0);
});
