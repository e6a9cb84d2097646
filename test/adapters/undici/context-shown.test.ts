/** The `context` beside a response is ours: it can be walked through, and does not keep the request alive. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { historyOf } from '../../../src/index.js';
import { answer, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

/** Whether a value refers back to itself through enumerable properties. */
function isCircular(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (above.includes(value)) return true;
  return Object.values(value).some((part) => isCircular(part, [...above, value]));
}

test.each([
  ['a success at once', [answer(200)]],
  ['a success after a retry', [answer(503), answer(200)]],
])('%s: the context does not lead back to itself', async (_name, plays) => {
  const lab = await openLab(plays);
  const response = await undici.request(lab.origin, {
    dispatcher: retryingAgent(),
    method: 'PUT',
    body: 'x',
  });
  await response.body.dump();
  expect(isCircular(response.context)).toBe(false);
  expect(JSON.stringify(response.context)).toBe('{}');
  expect(historyOf({ ...response, context: { ...(response.context as object) } })).toHaveLength(plays.length);
});

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test.each([
  ['the context of a response', [answer(200)]],
  ['the context of a response after a retry', [answer(503), answer(200)]],
  ['an error', [rst(), rst(), rst(), rst()]],
])('%s does not keep the body of its request', async (_name, plays) => {
  const lab = await openLab(plays);
  const dispatcher = retryingAgent(soon);
  const send = async (): Promise<{ kept: unknown; body: WeakRef<Buffer> }> => {
    const body = Buffer.from('hello');
    const { value, error } = await settled(undici.request(lab.origin, { dispatcher, method: 'PUT', body }));
    await value?.body.dump();
    return { kept: value?.context ?? error, body: new WeakRef(body) };
  };
  const { kept, body } = await send();
  for (let turn = 0; turn < 50 && body.deref() !== undefined; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }
  expect(body.deref()).toBeUndefined();
  expect(historyOf({ context: kept }) ?? historyOf(kept)).toHaveLength(plays.length);
});
