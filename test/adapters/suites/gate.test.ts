/** The gate of a scope: while its server seems dead, requests fail fast or wait for the gate to open. */

import { describe, expect, test } from 'vitest';
import { createRetrier, GateShutError } from '../../../src/index.js';
import type { Play } from '../../faults/lab.js';
import { answer, onCue, rst, silence } from '../../faults/plays.js';
import { Clock } from '../clock.js';
import { openLab, settled } from '../kit.js';
import { gated, patient } from '../scope-policies.js';
import { headIn } from './causes.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

describe.each(subject.ways)('over $name', ({ client }) => {
  test('that is shut fails requests at once, without a socket', async () => {
    const lab = await openLab(answer(503));
    const retrier = createRetrier(gated, new Clock().ports);
    const send = client(retrier);
    const asked = { method: 'POST', body: 'x', headers: { 'x-token': 'secret' } };
    for (let request = 0; request < 2; request += 1) expect((await send(lab.origin, asked)).status).toBe(503);
    const { connections } = lab;
    const { error } = await settled(send(lab.origin, asked));
    expect(error).toBeInstanceOf(GateShutError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_GATE_SHUT', scope: lab.origin });
    subject.expectOwn(error, asked);
    expect((error as Error).cause).toEqual({
      ...{ kind: 'response', class: 'transient', evidence: 'unknown', status: 503 },
      ...{ hint: undefined, aborted: false },
    });
    expect(JSON.stringify(error)).not.toContain('secret');
    expect([lab.requests.length, lab.connections]).toEqual([2, connections]);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'shut' }]);
  });

  test('names the last failure, its probe’s, to a request that was never sent', async () => {
    const lab = await openLab([answer(503), answer(503), rst()]);
    const clock = new Clock();
    const send = client(createRetrier({ ...gated, maxRetries: 0 }, clock.ports));
    for (let request = 0; request < 2; request += 1) await send(lab.origin);
    clock.now = 5_000;
    await settled(send(lab.origin));
    const { error } = await settled(send(lab.origin));
    expect(error).toBeInstanceOf(GateShutError);
    const code = expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET|ERR_NETWORK/);
    const { cause } = error as GateShutError;
    expect(cause).toMatchObject({ kind: 'error', class: 'transient', code });
    // Plain data: nothing in it leads to a connection, a body or a request.
    expect(structuredClone(cause)).toEqual(cause);
  });

  test('shuts after attempts without an answer, and not after 429', async () => {
    const lab = await openLab([answer(429), answer(408), answer(425), rst(), rst()]);
    const send = client(createRetrier(gated, new Clock().ports));
    const errors: unknown[] = [];
    for (let request = 0; request < 6; request += 1) errors.push((await settled(send(lab.origin))).error);
    expect(errors.map((error) => error instanceof GateShutError)).toEqual([...Array(5).fill(false), true]);
    expect(lab.requests).toHaveLength(5);
  });

  test.each<[string, Play]>([
    ['an answer', answer(503, '', { 'x-served-by': 'a' })],
    ['an error', rst()],
  ])('that shuts while a request waits fails it, with what it met (%s) as the cause', async (what, play) => {
    const lab = await openLab(play);
    const clock = new Clock();
    const send = client(createRetrier({ ...gated, maxRetries: 1 }, clock.ports));
    const waiting = settled(send(lab.origin));
    await clock.waits.until(1);
    await settled(send(lab.origin));
    clock.waits.wake();
    const { error } = await waiting;
    expect(error).toBeInstanceOf(GateShutError);
    const met = { status: 503, headers: { 'x-served-by': 'a' } };
    if (what === 'an answer') expect(headIn(error)).toMatchObject(met);
    else
      expect(((error as GateShutError).cause as { code: string }).code).toMatch(
        /ECONNRESET|UND_ERR_SOCKET|ERR_NETWORK/,
      );
    expect(lab.requests).toHaveLength(2);
  });

  test('lets one probe through at a time, and opens when it succeeds', async () => {
    const lab = await openLab([answer(503), answer(503), onCue('probed', answer(200))]);
    const clock = new Clock();
    const retrier = createRetrier(gated, clock.ports);
    const send = client(retrier);
    for (let request = 0; request < 2; request += 1) await send(lab.origin);

    clock.now = 5_000;
    const probe = send(lab.origin);
    await lab.until(({ requests }) => requests.length === 3);
    const other = settled(send(lab.origin));
    await clock.waits.until(1);
    clock.now = 5_400;
    clock.waits.wake();
    expect((await other).error).toBeInstanceOf(GateShutError);
    lab.cue('probed');
    expect((await probe).status).toBe(200);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'ramping' }]);

    clock.now = 10_000;
    expect((await send(lab.origin)).status).toBe(200);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'open' }]);
  });
});

test('that a failure shuts: the caller gets that failure, because no retry would get through', async () => {
  const lab = await openLab(answer(503, 'dead'));
  const send = subject.client(createRetrier({ ...gated, maxRetries: 5 }, new Clock('at once').ports));
  await send(lab.origin, { retry: { retry: false } });
  expect(await send(lab.origin)).toMatchObject({ status: 503, text: 'dead' });
  expect(lab.requests).toHaveLength(2);
});

test("that a request meets with a probe under way waits for the probe's answer", async () => {
  const lab = await openLab([answer(503), answer(503), onCue('probed', answer(200)), answer(200)]);
  const clock = new Clock();
  const send = subject.client(createRetrier(gated, clock.ports));
  for (let request = 0; request < 2; request += 1) await send(lab.origin);
  clock.now = 5_000;
  const probe = send(lab.origin);
  await lab.until(({ requests }) => requests.length === 3);
  const other = send(lab.origin);
  await clock.waits.until(1);
  lab.cue('probed');
  expect((await probe).status).toBe(200);
  clock.waits.wake();
  expect((await other).status).toBe(200);
  expect(clock.waits.delays).toEqual([10]);
});

describe('gets its probe back from a request that ends by', () => {
  const fail = (): never => {
    throw new Error('broken');
  };

  test.each<[string, Play, Asked]>([
    ['an abort', silence(), {}],
    ['the attempt timeout', silence(), { retry: { attemptTimeoutMs: 20 } }],
    ['the deadline', silence(), { retry: { deadlineMs: 20 } }],
    [
      'a key that cannot be made',
      answer(200),
      { method: 'POST', retry: { idempotencyKey: { generate: fail } } },
    ],
    ['a body that cannot be made', answer(200), { method: 'PUT', body: fail }],
    ['a retryIf that throws', answer(200), { retry: { retryIf: fail } }],
  ])('%s', async (how, play, asked) => {
    const lab = await openLab([answer(503), answer(503), play]);
    const clock = new Clock();
    const send = subject.client(createRetrier(gated, clock.ports));
    for (let request = 0; request < 2; request += 1) await send(lab.origin);

    clock.now = 5_000;
    const aborter = new AbortController();
    const probe = settled(send(lab.origin, { signal: aborter.signal, ...asked }));
    if (play.steps.some((step) => step.do === 'stall')) {
      await lab.until(({ requests }) => requests.length === 3);
      if (how === 'an abort') aborter.abort();
      else await clock.waits.strike(20);
    }
    expect((await probe).error).toBeInstanceOf(Error);

    // Earlier than the time at which a hanging probe would be given up.
    clock.now = 9_000;
    lab.play(answer(200));
    expect((await send(lab.origin)).status).toBe(200);
  });
});

describe("with whenShut: 'wait'", () => {
  async function shutGate() {
    const lab = await openLab([answer(503), answer(200)]);
    const clock = new Clock();
    const retrier = createRetrier(patient, clock.ports);
    const send = subject.client(retrier);
    await send(lab.origin);
    return { lab, clock, send, waiting: () => retrier.snapshot().scopes[0]?.waiting };
  }

  test('requests wait for it, no more than maxWaiting of them', async () => {
    const { lab, clock, send, waiting } = await shutGate();
    const patients = [send(lab.origin), send(lab.origin)];
    await clock.waits.until(2);
    expect(waiting()).toBe(2);
    expect((await settled(send(lab.origin))).error).toBeInstanceOf(GateShutError);
    expect(lab.requests).toHaveLength(1);

    clock.now = 5_000;
    clock.waits.wake();
    await lab.until(({ requests }) => requests.length > 1);
    clock.now = 10_000;
    while (waiting() !== 0) {
      clock.waits.wake();
      await new Promise(setImmediate);
    }
    expect((await Promise.all(patients)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('a wait that an abort ends leaves nothing behind', async () => {
    const { lab, clock, send, waiting } = await shutGate();
    const aborter = new AbortController();
    const given = settled(send(lab.origin, { signal: aborter.signal }));
    await clock.waits.until(1);
    aborter.abort();
    expect(String(((await given).error as { code: unknown }).code)).toBe(subject.abortCode);
    expect(waiting()).toBe(0);
    expect(clock.waits.pending).toBe(0);
    expect(lab.requests).toHaveLength(1);
  });

  test('a wait that would end after the deadline does not start', async () => {
    const { lab, clock, send, waiting } = await shutGate();
    const { error } = await settled(send(lab.origin, { retry: { deadlineMs: 1 } }));
    expect(error).toBeInstanceOf(GateShutError);
    expect(waiting()).toBe(0);
    expect(clock.waits.delays).toEqual([]);
  });
});
