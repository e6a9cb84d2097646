/** When the body of an answer is over, for callers of undici that read it themselves, or not at all. */

import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, connectTunnel, cutBody, type LabScript, stallInBody, upgrade101 } from '../../faults/lab.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { toldEnds } from '../told-ends.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';
import { Recorder, record } from './recorder.js';
import { file } from './resume-file.js';

async function open(script: LabScript, policy: PolicyOptions = soon) {
  const lab = await openLab(script);
  const retrier = createRetrier(policy);
  const told = toldEnds(retrier);
  const agent = retryingAgent(retrier);
  const ends = (): (number | undefined)[] => told.map((each) => each.ends);
  return { lab, agent, ends, ask: () => agent.request({ origin: lab.origin, path: '/', method: 'GET' }) };
}

const long = 'x'.repeat(1_000_000);

describe('a body that the caller has', () => {
  test('is not over while nobody reads it, since it occupies its connection', async () => {
    const { ask, ends } = await open(answer(200, long));
    const { body } = await ask();
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(ends()).toEqual([0]);
    await body.text();
    expect(ends()).toEqual([1]);
  });

  test.each<[string, (body: Dispatcher.ResponseData['body']) => unknown]>([
    ['destroyed unread', (body) => body.on('error', () => undefined).destroy()],
    ['dumped', (body) => body.dump()],
    [
      'destroyed in the middle',
      async (body) => {
        for await (const _piece of body) break;
      },
    ],
  ])('%s', async (_name, leave) => {
    const { ask, ends } = await open(answer(200, long));
    const { body } = await ask();
    await leave(body);
    expect(await comesTrue(() => ends()[0] === 1)).toBe(true);
    await setImmediate();
    expect(ends()).toEqual([1]);
  });

  test('that breaks off', async () => {
    const { ask, ends } = await open(cutBody(1_000, 10, 'rst'));
    const { body } = await ask();
    expect((await settled(body.text())).error).toBeDefined();
    expect(ends()).toEqual([1]);
  });

  test('that a later attempt continues is over when the rest is', async () => {
    const { lab, agent, ends } = await open(file({ bytes: 1_000, cuts: [400, 700] }));
    const seen: (number | undefined)[] = [];
    const recorder = new (class extends Recorder {
      override onResponseData(...given: Parameters<Recorder['onResponseData']>): void {
        seen.push(ends()[0]);
        super.onResponseData(...given);
      }
    })();
    agent.dispatch(
      { origin: lab.origin, path: '/', method: 'GET' },
      recorder as unknown as Dispatcher.DispatchHandler,
    );
    await recorder.end();
    expect(recorder.bytes).toHaveLength(1_000);
    expect(lab.requests).toHaveLength(3);
    expect(new Set(seen)).toEqual(new Set([0]));
    expect(ends()).toEqual([1]);
  });

  test('that the deadline ends', async () => {
    const { ask, ends } = await open(stallInBody(10), { ...soon, deadlineMs: 50, deadlineCovers: 'body' });
    const { body } = await ask();
    expect((await settled(body.text())).error).toBeDefined();
    expect(ends()).toEqual([1]);
  });
});

test.each(['onRequestStart', 'onResponseStart', 'onResponseData', 'onResponseEnd'] as const)(
  'a handler that throws in %s',
  async (callback) => {
    const { lab, agent, ends } = await open(answer(200, 'ok'));
    const recorder = new Recorder();
    recorder[callback] = () => {
      throw new Error('of the caller');
    };
    agent.dispatch(
      { origin: lab.origin, path: '/', method: 'GET' },
      recorder as unknown as Dispatcher.DispatchHandler,
    );
    await recorder.end();
    await setImmediate();
    expect(ends()).toEqual([1]);
  },
);

describe('a socket that the caller gets', () => {
  test.each(['upgrade', 'connect'] as const)('%s()', async (way) => {
    const { lab, agent, ends } = await open(way === 'upgrade' ? upgrade101() : connectTunnel(200, 'echo'));
    const { socket } = await (way === 'upgrade'
      ? undici.upgrade(lab.origin, { dispatcher: agent, protocol: 'echo' })
      : agent.connect({ origin: lab.origin, path: 'example.com:80' }));
    expect(ends()).toEqual([1]);
    socket.on('error', () => undefined).destroy();
    await setImmediate();
    expect(ends()).toEqual([1]);
  });

  test('refused by the caller', async () => {
    const { lab, agent, ends } = await open(upgrade101());
    const recorder = new Recorder();
    Object.assign(recorder, {
      onRequestUpgrade: () => {
        throw new Error('of the caller');
      },
    });
    const options = { origin: lab.origin, path: '/', method: 'GET' as const, upgrade: 'echo' };
    agent.dispatch(options, recorder as unknown as Dispatcher.DispatchHandler);
    // Not every undici reports the caller's error.
    expect(await comesTrue(() => ends()[0] === 1)).toBe(true);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(ends()).toEqual([1]);
  });
});

test('a retry() further out tells of the request, the one beneath it does not', async () => {
  const lab = await openLab([answer(503), answer(200, 'ok')]);
  const [outer, inner] = [createRetrier(soon), createRetrier(soon)];
  const told = [toldEnds(outer), toldEnds(inner)];
  const agent = retryingAgent(inner).compose(retry(outer));
  await (await agent.request({ origin: lab.origin, path: '/', method: 'GET' })).body.text();
  expect(told[0]).toMatchObject([{ ends: 1 }]);
  expect(told[1]).toMatchObject([
    { isAdmitted: false, ends: 0 },
    { isAdmitted: false, ends: 0 },
  ]);
});

test('record() is over with its request', async () => {
  const { lab, agent, ends } = await open(answer(200, 'ok'));
  await record(agent, { origin: lab.origin }).end();
  expect(ends()).toEqual([1]);
});
