/** When the body of an answer is over, for callers of fetch that read it themselves, or not at all. */

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, cutBody, type LabScript, stallInBody } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled } from '../kit.js';
import { toldEnds } from '../told-ends.js';
import { nodeFetch, undiciFetch } from './client.js';

const long = 'x'.repeat(1_000_000);
/** A caller who has not begun to read by then is taken for one who looks only at the head. */
const begunMs = 1_000;

async function open(doFetch: typeof fetch, script: LabScript) {
  const lab = await openLab(script);
  const stage = spied(doFetch);
  return { ...stage, ask: (init?: RequestInit) => stage.retrying(lab.origin, init) };
}

function spied(doFetch: (...given: never[]) => Promise<unknown>) {
  const time = new HandTime();
  const retrier = createRetrier({}, time.ports);
  const told = toldEnds(retrier);
  const ends = (): number | undefined => told[0]?.ends;
  return { time, ends, retrying: withRetry(doFetch, retrier) as unknown as typeof fetch };
}

async function expectOver(ends: () => number | undefined): Promise<void> {
  expect(await comesTrue(() => ends() === 1)).toBe(true);
  await setImmediate();
  expect(ends()).toBe(1);
}

describe.each([
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
])('%s', (_name, doFetch) => {
  test('is over when it was read, however long that takes', async () => {
    const { ask, ends, time } = await open(doFetch, answer(200, long));
    const reader = (await ask()).body?.getReader();
    await reader?.read();
    await time.fire(begunMs);
    expect(ends()).toBe(0);
    while ((await reader?.read())?.done === false);
    await expectOver(ends);
  });

  test('… also a body whose bytes have not come yet', async () => {
    const { ask, ends, time } = await open(doFetch, stallInBody(0, 200, { 'content-length': '10' }));
    const caller = new AbortController();
    const text = settled((await ask({ signal: caller.signal })).text());
    await time.fire(begunMs);
    expect(ends()).toBe(0);
    caller.abort();
    expect((await text).error).toBeDefined();
    await expectOver(ends);
  });

  test('… and a body of which the caller has let go for now', async () => {
    const { ask, ends, time } = await open(doFetch, answer(200, long));
    const response = await ask();
    const reader = response.body?.getReader();
    await reader?.read();
    reader?.releaseLock();
    await time.fire(begunMs);
    expect(ends()).toBe(0);
    await response.body?.cancel();
    await expectOver(ends);
  });

  test('of which nothing is read is over after a second', async () => {
    const { ask, ends, time } = await open(doFetch, answer(200, long));
    const response = await ask();
    expect(ends()).toBe(0);
    await time.fire(begunMs);
    expect(ends()).toBe(1);
    await response.text();
    await expectOver(ends);
    expect(time.pending).toEqual([]);
  });

  test.each<[string, (response: Response) => unknown]>([
    ['cancelled unread', (response) => response.body?.cancel()],
    [
      'cancelled in the middle',
      async (response) => {
        const reader = response.body?.getReader();
        await reader?.read();
        await reader?.cancel();
      },
    ],
    ['read through a copy', (response) => Promise.all([response.clone().text(), response.text()])],
  ])('%s', async (_case, leave) => {
    const { ask, ends, time } = await open(doFetch, answer(200, long));
    await leave(await ask());
    await expectOver(ends);
    expect(time.pending).toEqual([]);
  });

  test('that breaks off', async () => {
    const { ask, ends } = await open(doFetch, cutBody(1_000, 10, 'rst'));
    expect((await settled((await ask()).text())).error).toBeDefined();
    await expectOver(ends);
  });
});

describe('a fetch of another kind', () => {
  test('whose answer has a Node stream', async () => {
    const body = Readable.from(['a', 'b']);
    const { retrying, ends, time } = spied(async () => ({ status: 200, headers: new Headers(), body }));
    await retrying('http://a.example/');
    expect(ends()).toBe(0);
    for await (const _piece of body);
    await expectOver(ends);
    expect(time.pending).toEqual([]);
  });

  test('… that was destroyed already', async () => {
    const body = Readable.from(['a']).destroy();
    const { retrying, ends } = spied(async () => ({ status: 200, headers: new Headers(), body }));
    await retrying('http://a.example/');
    await expectOver(ends);
  });

  test('… that nobody reads', async () => {
    const body = Readable.from(['a']);
    const { retrying, ends, time } = spied(async () => ({ status: 200, headers: new Headers(), body }));
    await retrying('http://a.example/');
    await time.fire(begunMs);
    await expectOver(ends);
  });

  test.each<[string, unknown]>([
    ['no body', null],
    ['a body of its own kind', { text: 'ok' }],
    ['a stream of another realm', { getReader: () => undefined }],
  ])('whose answer has %s is over with its head', async (_case, body) => {
    const { retrying, ends } = spied(async () => ({ status: 200, headers: new Headers(), body }));
    await retrying('http://a.example/');
    expect(ends()).toBe(1);
  });
});
