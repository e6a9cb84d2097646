/**
 * undici 6.19 to 7.10, whose fetch Node had up to 24, cancels the body of an answer once the copy of it is collected that
 * `clone()` has made. The copy that was read aside must not take the body from the caller.
 */

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import type { PolicyOptions } from '../../../src/index.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const text = 'data: {"a":1}\n\n';

const cancelled: Set<string> = new Set();
const registry = new FinalizationRegistry(
  ({ name, body }: { name: string; body: WeakRef<ReadableStream> }) => {
    const stream = body.deref();
    if (stream === undefined || stream.locked) return;
    cancelled.add(name);
    void stream.cancel();
  },
);

/** An answer that does with its copies what the one of these versions does. */
function answerOf(name: string, type: string): Response {
  const answer = new Response(text, { headers: { 'content-type': type } });
  const clone = answer.clone.bind(answer);
  answer.clone = () => {
    const copy = clone();
    registry.register(copy, { name, body: new WeakRef(answer.body as ReadableStream) });
    return copy;
  };
  return answer;
}

/** Collects until an answer has lost its body whose copy nothing keeps. */
async function collect(name: string): Promise<void> {
  const bare = answerOf(name, 'text/plain');
  bare.clone();
  while (!cancelled.has(name)) {
    collectGarbage();
    await setImmediate();
  }
  expect(bare.bodyUsed).toBe(true);
}

test.each<[what: string, type: string, policy: PolicyOptions]>([
  ['waits for its body', 'application/json', { wholeBodyBytes: 1_000 }],
  ['waits for its stream to begin', 'text/event-stream', { streamStart: {} }],
  [
    'is read for a hint',
    'application/json',
    { hints: { name: 'own', statuses: [200], body: [{ at: '/a', is: ['busy'], means: 'transient' }] } },
  ],
  ['is read by retryIf', 'application/json', { retryIf: async ({ body }) => void (await body()) }],
])('an answer that %s can be read after a collection', async (what, type, policy) => {
  const plain: typeof fetch = async () => answerOf(what, type);
  const send = withRetry(plain, policy);
  const answer = await send('http://a.example/');
  await collect(`beside one that ${what}`);
  await collect(`once more, beside one that ${what}`);
  expect([cancelled.has(what), await answer.text().catch(String)]).toEqual([false, text]);
});
