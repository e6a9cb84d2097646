/** The beginning of a body is read for a hint even if its end comes too late, or never. */

import { expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { Waits } from '../waits.js';

/** A 400 is retried only if its code means throttling. */
const throttled = '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>';
const gatherMs = 1_000;

type Source = UnderlyingDefaultSource<Uint8Array>;

/** Requests a body in these two parts, the only ones that arrive in time. */
async function statusOf(first: string, second: Source['pull'], policy: PolicyOptions): Promise<number> {
  const source: Source = {
    start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
    ...(second !== undefined && { pull: second }),
  };
  const answers = [new Response(new ReadableStream(source), { status: 400 }), new Response('ok')];
  const waits = new Waits();
  const retrier = createRetrier({ hints: 'aws', ...policy }, { random: () => 0, sleep: waits.sleep });
  const asked = withRetry(
    (async () => answers.shift()) as unknown as typeof fetch,
    retrier,
  )('http://a.example/');
  // Everything in memory has been read by then.
  await new Promise(setImmediate);
  if (second === hangs) await Promise.race([asked, waits.strike(gatherMs)]);
  const { status, bodyUsed } = await asked;
  expect(bodyUsed).toBe(false);
  return status;
}

const hangs = (): Promise<void> => new Promise(() => undefined);

/** Breaks off once the part before has been read. */
async function breaksOff(controller: ReadableStreamDefaultController): Promise<void> {
  await new Promise(setImmediate);
  controller.error(new Error('cut'));
}

test.each<[string, string, Source['pull'], PolicyOptions]>([
  ['whose rest does not come in time', throttled, hangs, {}],
  ['that breaks off', throttled, breaksOff, {}],
  [
    'that is longer than may be read',
    throttled + 'x'.repeat(100),
    (controller) => controller.enqueue(new Uint8Array(16_384)),
    { bodyHintBytes: 100 },
  ],
])('a code at the beginning of a body %s', async (_what, text, second, policy) => {
  expect(await statusOf(text, second, policy)).toBe(200);
});

test.each([
  ['of JSON', '{"__type":"SlowDown"', {}],
  ['of an element', throttled, { bodyHintBytes: 45 }],
])('half %s says nothing', async (_what, text, policy) => {
  expect(await statusOf(text, hangs, policy)).toBe(400);
});
