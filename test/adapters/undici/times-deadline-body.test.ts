/** `deadlineMs` limits the whole request, waits included; nothing happens after it. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { createRetrier, DeadlineError, historyOf } from '../../../src/index.js';
import {
  answer,
  contentOf,
  dripBody,
  fin,
  type LabScript,
  onCue,
  type Play,
  rst,
  silence,
  stallInBody,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab } from '../kit.js';
import { openAgent } from './kit.js';
import { errorsBelow, readAll, record } from './recorder.js';
import { etag, partly } from './resume-file.js';

/** Different from every time that the library uses itself. */
const deadline = 3_000;
const wait = 7;

function timed(policy: PolicyOptions = {}, base = openAgent()) {
  const time = new HandTime();
  const below: unknown[] = [];
  const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
  const retrier = createRetrier({ deadlineMs: deadline, schedule, ...policy }, time.ports);
  return { time, below, agent: base.compose(errorsBelow(below), retry(retrier)) };
}

async function get(script: LabScript, policy: PolicyOptions = {}) {
  const lab = await openLab(script);
  const set = timed(policy);
  return { lab, ...set, recorder: record(set.agent, { origin: lab.origin }) };
}

describe('until the head', () => {
  test('a later attempt: the cause is the last answer', async () => {
    const { lab, time, recorder } = await get([
      answer(500),
      answer(503, 'busy', { 'x-why': 'load' }),
      silence(),
    ]);
    await time.fire(wait);
    await time.fire(wait);
    await lab.until(({ requests }) => requests.length === 3);
    await time.fire(deadline);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    expect((recorder.errors[0] as Error).cause).toMatchObject({ status: 503, headers: { 'x-why': 'load' } });
    expect(recorder.heads).toEqual([]);
    expect(historyOf(recorder.errors[0])?.map(({ decision }) => decision.attempt)).toEqual([1, 2, 3]);
    expect(time.pending).not.toContain(wait);
    expect(lab.requests).toHaveLength(3);
  });

  test.each<[string, Play]>([
    ['a reset', rst()],
    ['a FIN', fin()],
  ])('a later attempt: the cause is the last error: %s', async (_name, first) => {
    const { lab, time, below, recorder } = await get([first, silence()]);
    await time.fire(wait);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(deadline);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    expect((recorder.errors[0] as Error).cause).toBe(below[0]);
  });

  test('an error that cannot be waited for comes itself', async () => {
    const { time, below, recorder } = await get(rst(), { schedule: () => 5_000 });
    await recorder.end();
    expect([recorder.errors.length, recorder.errors[0] === below[0]]).toEqual([1, true]);
    expect(time.pending).toEqual([]);
  });

  test('a request that is still queued is never sent', async () => {
    const lab = await openLab((request) =>
      request.path === '/busy' ? onCue('free', answer(200)) : answer(200),
    );
    const pool = openAgent({ connections: 1, pipelining: 1 });
    const { time, agent } = timed({}, pool);
    const busy = pool.request({ origin: lab.origin, path: '/busy', method: 'GET' });
    await lab.until(({ requests }) => requests.length === 1);
    const recorder = record(agent, { origin: lab.origin, path: '/late' });
    await time.fire(deadline);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    lab.cue('free');
    await (await busy).body.dump();
    await (await pool.request({ origin: lab.origin, path: '/next', method: 'GET' })).body.dump();
    expect(lab.requests.map(({ path }) => path)).toEqual(['/busy', '/next']);
  });

  test('it runs while a body is read for a hint', async () => {
    const { lab, time, recorder } = await get(stallInBody(10, 503), { bodyHintBytes: 4096 });
    await time.until(({ timers }) => timers.length === 2);
    await time.fire(deadline);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests).toHaveLength(1);
  });
});

describe('and the body', () => {
  const body = { deadlineCovers: 'body' } as const;

  test("'body': a body that drips in is broken off", async () => {
    const { lab, time, recorder } = await get(dripBody('abcdefgh', 1_000), body);
    await recorder.until(({ bytes }) => bytes.length > 0);
    await time.fire(deadline);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    expect(recorder.ends).toBe(1);
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });

  test("'body': request() says so in the body", async () => {
    const lab = await openLab(stallInBody(100));
    const { time, agent } = timed(body);
    const response = await agent.request({ origin: lab.origin, path: '/', method: 'GET' });
    const read = readAll(response.body);
    await time.fire(deadline);
    expect((await read).error).toBeInstanceOf(DeadlineError);
  });

  test("'body': no timer is left after the last byte", async () => {
    const { time, recorder } = await get(answer(200, 'yes'), body);
    await recorder.end();
    expect(time.timers.map(({ delayMs }) => delayMs)).toEqual([deadline]);
    expect(time.pending).toEqual([]);
  });

  test("'head': a body may take longer, and no timer runs", async () => {
    const { steps } = answer(200, 'late');
    const [head, ...rest] = steps;
    if (head === undefined) throw new Error('an answer has a head');
    const { lab, time, recorder } = await get({ steps: [head, { do: 'cue', name: 'body' }, ...rest] });
    await recorder.until(({ heads }) => heads.length === 1);
    expect(time.pending).toEqual([]);
    time.now = 10 * deadline;
    lab.cue('body');
    await recorder.end();
    expect(recorder.bytes.toString()).toBe('late');
  });
});

describe('a resume', () => {
  const content = contentOf('a', 0, 1000);
  const head = { 'content-length': '1000', 'accept-ranges': 'bytes', etag };
  const rest = { 'content-length': '600', 'content-range': 'bytes 400-999/1000', etag };
  const broken: Play = {
    steps: [
      { do: 'head', status: 200, headers: head },
      { do: 'fill', bytes: 400 },
      { do: 'cue', name: 'break' },
      { do: 'fin' },
    ],
  };
  const whole = partly(206, rest, { from: 400, sent: 600, ends: 'end' });

  async function brokenAt(now: number, plays: readonly Play[], policy: PolicyOptions = {}) {
    const set = await get([broken, ...plays], policy);
    await set.recorder.until(({ bytes }) => bytes.length === 400);
    set.time.now = now;
    set.lab.cue('break');
    return set;
  }

  test.each([
    ['head', deadline - 100],
    ['head', 10 * deadline],
    ['body', deadline - 100],
  ] as const)("'%s', of what breaks off at %d: resumed in time", async (deadlineCovers, now) => {
    const { time, recorder } = await brokenAt(now, [whole], { deadlineCovers });
    await time.fire(wait);
    await recorder.end();
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes.equals(content)).toBe(true);
    expect(time.pending).toEqual([]);
  });

  test.each([
    ['head', 10 * deadline, 11 * deadline],
    ['body', deadline - 100, deadline],
  ] as const)("'%s', of what breaks off at %d: no answer until %d", async (deadlineCovers, now, end) => {
    const { lab, time, below, recorder } = await brokenAt(now, [silence()], { deadlineCovers });
    await time.fire(wait);
    await lab.until(({ requests }) => requests.length === 2);
    expect(time.pending).toEqual([deadline]);
    await time.fire(deadline);
    expect(time.now).toBe(end);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    expect((recorder.errors[0] as Error).cause).toBe(below[0]);
    expect(recorder.bytes.equals(content.subarray(0, 400))).toBe(true);
    expect(time.pending).toEqual([]);
  });

  test("'head': one time for all attempts of one resumption, and the next resumption has its own", async () => {
    const last = { 'content-length': '300', 'content-range': 'bytes 700-999/1000', etag };
    const plays = [
      answer(503),
      partly(206, rest, { from: 400, sent: 300, ends: 'fin' }),
      partly(206, last, { from: 700, sent: 300, ends: 'end' }),
    ];
    const { time, recorder } = await brokenAt(10 * deadline, plays);
    await time.fire(wait);
    await time.fire(wait);
    await recorder.until(({ bytes }) => bytes.length === 700);
    await time.fire(wait);
    await recorder.end();
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes.equals(content)).toBe(true);
    // One timer for the request, and one for each resumption.
    expect(time.timers.filter(({ delayMs }) => delayMs === deadline)).toHaveLength(3);
    expect(time.pending).toEqual([]);
  });

  test.each<[string, PolicyOptions]>([
    ['beforeRetry', { beforeRetry: () => new Promise(() => undefined) }],
    ['retryIf', { retryIf: ({ kind }) => (kind === 'error' ? new Promise(() => undefined) : undefined) }],
  ])("'head': its time runs while %s thinks", async (name, policy) => {
    const { lab, time, recorder } = await brokenAt(10 * deadline, [], policy);
    if (name === 'beforeRetry') await time.fire(wait);
    await time.fire(deadline);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });

  test.each([
    ['body', deadline - 5, wait],
    ['head', 10 * deadline, deadline],
  ] as const)(
    "'%s', too late at %d: the error itself, and nothing is sent",
    async (deadlineCovers, now, waitMs) => {
      const schedule = (): number => waitMs;
      const { lab, time, below, recorder } = await brokenAt(now, [answer(200)], { deadlineCovers, schedule });
      await recorder.end();
      expect(recorder.errors).toEqual([below[0]]);
      expect(historyOf(recorder.errors[0])?.at(-1)?.decision.reason).toBe('wait-past-deadline');
      expect(lab.requests).toHaveLength(1);
      expect(time.pending).toEqual([]);
    },
  );

  test("'body': a rest that drips in is broken off", async () => {
    const drip = { do: 'drip', text: 'x'.repeat(600), everyMs: 1_000 } as const;
    const { lab, time, recorder } = await get(
      [broken, { steps: [{ do: 'head', status: 206, headers: rest }, drip] }],
      {
        deadlineCovers: 'body',
      },
    );
    await recorder.until(({ bytes }) => bytes.length === 400);
    lab.cue('break');
    await time.fire(wait);
    await recorder.until(({ bytes }) => bytes.length > 400);
    await time.fire(deadline);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests).toHaveLength(2);
  });
});
