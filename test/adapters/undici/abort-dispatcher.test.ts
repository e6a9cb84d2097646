/** An abort gives shared places back to other requests; and what happens to a request whose dispatcher is closed. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, onCue, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';
import { record } from './recorder.js';
import { etag, partly } from './resume-file.js';

const wait = 7;
const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;

function timed(policy: object = {}, base = openAgent()) {
  const time = new HandTime();
  const retrier = createRetrier({ schedule, ...policy }, time.ports);
  return { time, retrier, base, agent: base.compose(retry(retrier)) };
}

describe('the place in the scope is given back', () => {
  test('of a probe: the next request may be the probe', async () => {
    const lab = await openLab([answer(503), silence(), answer(200, 'back')]);
    const { time, agent } = timed({ maxRetries: 0, gate: { failures: 1, deadForMs: 0, probeMs: 1_000 } });
    await record(agent, { origin: lab.origin }).end();
    time.now = 5_000;
    const probe = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 2);
    // A request that comes during a probe waits for the probe's answer.
    const meets = record(agent, { origin: lab.origin });
    const [waitMs = 0] = time.pending;
    probe.controller?.abort(new Error('enough'));
    await probe.end();
    const next = await record(agent, { origin: lab.origin }).end();
    await time.fire(waitMs);
    expect((await meets.end()).bytes.toString()).toBe('back');
    expect(next.errors).toEqual([]);
    expect(next.bytes.toString()).toBe('back');
  });

  test('of one that waits at a shut gate', async () => {
    const lab = await openLab(answer(503));
    const gate = { failures: 1, deadForMs: 0, probeMs: 60_000, whenShut: 'wait' };
    const { time, agent, retrier } = timed({ maxRetries: 0, gate, deadlineMs: 100_000 });
    await record(agent, { origin: lab.origin }).end();
    const waiting = record(agent, { origin: lab.origin });
    expect(retrier.snapshot().scopes[0]?.waiting).toBe(1);
    waiting.controller?.abort(new Error('enough'));
    await waiting.end();
    expect(waiting.errors).toMatchObject([{ message: 'enough' }]);
    expect(retrier.snapshot().scopes[0]?.waiting).toBe(0);
    expect(time.pending.filter((delayMs) => delayMs !== 1_000)).toEqual([]);
    expect(lab.requests).toHaveLength(1);
  });

  test('an abort is not a failure of the server, and costs nothing', async () => {
    const lab = await openLab([silence(), silence(), answer(200)]);
    const { agent, retrier } = timed({ gate: { failures: 1, deadForMs: 0, probeMs: 60_000 } });
    for (const number of [1, 2]) {
      const recorder = record(agent, { origin: lab.origin });
      await lab.until(({ requests }) => requests.length === number);
      recorder.controller?.abort(new Error('enough'));
      await recorder.end();
    }
    const next = await record(agent, { origin: lab.origin }).end();
    expect(next.heads).toMatchObject([{ status: 200 }]);
    expect(retrier.snapshot().scopes).toMatchObject([{ name: lab.origin }]);
    for (const { tokens } of retrier.snapshot().scopes[0]?.budgets ?? []) expect(tokens).toBe(50);
  });
});

describe('the controller', () => {
  test('aborts once, and only the first reason counts', async () => {
    const lab = await openLab(answer(503));
    const { time, agent } = timed();
    const recorder = record(agent, { origin: lab.origin });
    await time.until(({ pending }) => pending.includes(wait));
    const first = new Error('first');
    recorder.controller?.abort(first);
    recorder.controller?.abort(new Error('second'));
    recorder.controller?.resume();
    recorder.controller?.pause();
    expect(recorder.errors).toEqual([first]);
    expect(recorder.controller).toMatchObject({ aborted: true, reason: first });
    expect(lab.requests).toHaveLength(1);
  });

  test('after the end, an abort does nothing', async () => {
    const lab = await openLab(answer(200, 'yes'));
    const { agent } = timed({}, openAgent({ connections: 1 }));
    const recorder = await record(agent, { origin: lab.origin }).end();
    recorder.controller?.abort(new Error('too late'));
    expect(recorder.ends).toBe(1);
    const next = await record(agent, { origin: lab.origin }).end();
    expect(next.bytes.toString()).toBe('yes');
    expect(lab.connections).toBe(1);
  });
});

describe('close()', () => {
  test('during a wait: does not wait for it; the request ends as one that came after it', async () => {
    const lab = await openLab(answer(503));
    const { time, agent, base } = timed();
    const answered = settled(agent.request({ origin: lab.origin, path: '/', method: 'GET' }));
    await time.until(({ pending }) => pending.includes(wait));
    await base.close();
    await time.fire(wait);
    const get = { origin: lab.origin, path: '/', method: 'GET' } as const;
    expect((await answered).error).toEqual((await settled(base.request(get))).error);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).not.toContain(wait);
  });

  test('during a later attempt: waits for its answer', async () => {
    const lab = await openLab([answer(503), onCue('go', answer(200, 'yes'))]);
    const { time, agent, base } = timed();
    const answered = agent.request({ origin: lab.origin, path: '/', method: 'GET' });
    await time.fire(wait);
    await lab.until(({ requests }) => requests.length === 2);
    const order: string[] = [];
    const closed = base.close().then(() => order.push('closed'));
    const read = answered.then(({ body }) => body.text()).then((text) => order.push(text));
    lab.cue('go');
    await Promise.all([closed, read]);
    expect(order.toSorted()).toEqual(['closed', 'yes']);
    expect(lab.requests).toHaveLength(2);
  });
});

describe('destroy()', () => {
  test('during a wait', async () => {
    const lab = await openLab(answer(503));
    const { time, agent, base } = timed();
    const answered = settled(agent.request({ origin: lab.origin, path: '/', method: 'GET' }));
    await time.until(({ pending }) => pending.includes(wait));
    await base.destroy();
    await time.fire(wait);
    expect((await answered).error).toBeInstanceOf(undici.errors.ClientDestroyedError);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).not.toContain(wait);
  });

  test.each([[[silence()]], [[answer(503), silence()]]])('during an attempt: %#', async (plays) => {
    const lab = await openLab(plays);
    const { time, agent, base } = timed();
    const answered = settled(agent.request({ origin: lab.origin, path: '/', method: 'GET' }));
    if (plays.length > 1) await time.fire(wait);
    await lab.until(({ requests }) => requests.length === plays.length);
    await base.destroy();
    expect((await answered).error).toBeInstanceOf(undici.errors.ClientDestroyedError);
    expect(lab.requests).toHaveLength(plays.length);
    expect(time.pending).not.toContain(wait);
  });

  test('with an error of its own: the caller gets that error', async () => {
    const lab = await openLab(silence());
    const { time, agent, base } = timed();
    const answered = settled(agent.request({ origin: lab.origin, path: '/', method: 'GET' }));
    await lab.until(({ requests }) => requests.length === 1);
    const error = new Error('shutting down');
    await base.destroy(error);
    expect((await answered).error).toBe(error);
    expect(time.pending).toEqual([]);
  });

  test('during the wait for the rest of a body: the caller gets the error that broke it', async () => {
    const head = { 'content-length': '1000', 'accept-ranges': 'bytes', etag };
    const lab = await openLab(partly(200, head, { sent: 400, ends: 'fin' }));
    const { time, agent, base } = timed();
    const recorder = record(agent, { origin: lab.origin });
    await time.until(({ pending }) => pending.includes(wait));
    await base.destroy();
    await time.fire(wait);
    await recorder.end();
    expect(recorder.errors).toMatchObject([{ code: 'UND_ERR_SOCKET' }]);
    expect(recorder.bytes).toHaveLength(400);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });
});
