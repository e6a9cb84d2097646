/** `attemptTimeoutMs`: an attempt has so long until its head is there, and is then given up for another one. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { AttemptTimeoutError, createRetrier, historyOf } from '../../../src/index.js';
import {
  answer,
  contentOf,
  dripHead,
  halfHead,
  informational,
  onCue,
  type Play,
  silence,
  stallAfterHead,
  startFullBacklog,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { openAgent } from './kit.js';
import { record } from './recorder.js';
import { etag, partly } from './resume-file.js';

const timeout = 500;
const wait = 7;

function timed(policy: PolicyOptions = {}, agent = openAgent()) {
  const time = new HandTime();
  const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
  const retrier = createRetrier({ attemptTimeoutMs: timeout, schedule, ...policy }, time.ports);
  return { time, agent: agent.compose(retry(retrier)) };
}

describe('given up and sent again', () => {
  test.each<[string, Play]>([
    ['no answer', silence()],
    ['half a head', halfHead('stall')],
    ['a head that drips in', dripHead(1_000)],
    ['an interim answer and no other', informational(103, { link: '</a>' }, silence())],
  ])('%s', async (_name, first) => {
    const lab = await openLab([first, answer(200, 'yes')]);
    const { time, agent } = timed();
    const recorder = record(agent, { origin: lab.origin });
    await lab.until(
      ({ requests, bytesSent }) => requests.length === 1 && (bytesSent > 0 || first.steps[0]?.do === 'stall'),
    );
    expect(time.pending).toEqual([timeout]);
    await time.fire(timeout);
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(time.pending).toEqual([wait]);
    await time.fire(wait);
    await recorder.end();
    expect(recorder.bytes.toString()).toBe('yes');
    expect(recorder.starts).toBe(1);
    expect(recorder.heads.at(-1)?.status).toBe(200);
    expect(historyOf(recorder)).toMatchObject([
      { decision: { finding: { code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' }, reason: 'attempt-timeout' } },
      { decision: { finding: { status: 200 } } },
    ]);
    expect(time.pending).toEqual([]);
  });

  test('each attempt has a time of its own; the last timeout surfaces', async () => {
    const lab = await openLab(silence());
    const { time, agent } = timed({ maxRetries: 2 });
    const recorder = record(agent, { origin: lab.origin });
    for (const attempt of [1, 2, 3]) {
      await lab.until(({ requests }) => requests.length === attempt);
      await time.fire(timeout);
      if (attempt < 3) await time.fire(wait);
    }
    await recorder.end();
    const [error] = recorder.errors;
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', attemptTimeoutMs: timeout });
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual([
      'attempt-timeout',
      'attempt-timeout',
      'retries-spent',
    ]);
    expect(recorder.ends).toBe(1);
    expect(time.pending).toEqual([]);
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests).toHaveLength(3);
  });

  test('request(): the timeout is what it rejects with', async () => {
    const lab = await openLab(silence());
    const { time, agent } = timed({ maxRetries: 0 });
    const answered = settled(agent.request({ origin: lab.origin, path: '/', method: 'GET' }));
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(timeout);
    expect((await answered).error).toBeInstanceOf(AttemptTimeoutError);
  });

  test('the rest of a body is waited for no longer than a first head', async () => {
    const content = contentOf('a', 0, 1000);
    const lab = await openLab([
      partly(200, { 'content-length': '1000', 'accept-ranges': 'bytes', etag }, { sent: 400, ends: 'fin' }),
      silence(),
      partly(
        206,
        { 'content-length': '600', 'content-range': 'bytes 400-999/1000', etag },
        { from: 400, sent: 600, ends: 'end' },
      ),
    ]);
    const { time, agent } = timed();
    const recorder = record(agent, { origin: lab.origin });
    await time.fire(wait);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(timeout);
    await time.fire(wait);
    await recorder.end();
    expect(recorder.bytes.equals(content)).toBe(true);
    expect(time.pending).toEqual([]);
  });

  test('the head is what it is about: a body may take longer', async () => {
    const { steps } = answer(200, 'late');
    const [head, ...body] = steps;
    if (head === undefined) throw new Error('an answer has a head');
    const lab = await openLab({ steps: [head, { do: 'cue', name: 'body' }, ...body] });
    const { time, agent } = timed();
    const recorder = record(agent, { origin: lab.origin });
    await recorder.until(({ heads }) => heads.length === 1);
    expect(time.pending).toEqual([]);
    lab.cue('body');
    await recorder.end();
    expect(recorder.bytes.toString()).toBe('late');
  });
});

describe('POST', () => {
  const post = { method: 'POST', headers: { 'x-id': 'write' }, body: 'pay' };

  test.each<[string, Play]>([
    ['nothing came back', silence()],
    ['the server did not even read the body', silence('head')],
    ['half a head came back', halfHead('stall')],
  ])('that was sent is not sent again: %s', async (_name, play) => {
    const lab = await openLab([play, answer(200)]);
    const { time, agent } = timed();
    const recorder = record(agent, { origin: lab.origin, ...post });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(timeout);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(AttemptTimeoutError);
    expect(historyOf(recorder.errors[0])).toMatchObject([{ decision: { reason: 'unsafe-method' } }]);
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });

  test('that was still queued is: and is sent once', async () => {
    const lab = await openLab((request) =>
      request.path === '/busy' ? onCue('free', answer(200)) : answer(201, 'paid'),
    );
    const pool = openAgent({ connections: 1, pipelining: 1 });
    const { time, agent } = timed({}, pool);
    const busy = pool.request({ origin: lab.origin, path: '/busy', method: 'GET' });
    await lab.until(({ requests }) => requests.length === 1);
    const recorder = record(agent, { origin: lab.origin, path: '/pay', ...post });
    await time.fire(timeout);
    await time.fire(wait);
    await time.until(({ pending }) => pending.includes(timeout));
    lab.cue('free');
    await (await busy).body.dump();
    await recorder.end();
    expect(recorder.heads).toMatchObject([{ status: 201 }]);
    expect(recorder.bytes.toString()).toBe('paid');
    expect(lab.requests.map(({ path }) => path)).toEqual(['/busy', '/pay']);
    expect(lab.applied('write')).toBe(1);
    expect(time.pending).toEqual([]);
  });

  test('that never got a connection is', async () => {
    await using backlog = await startFullBacklog();
    const { time, agent } = timed({ maxRetries: 1 });
    const recorder = record(agent, { origin: backlog.origin, ...post });
    await time.fire(timeout);
    await time.fire(wait);
    await time.fire(timeout);
    await recorder.end();
    expect(recorder.errors[0]).toBeInstanceOf(AttemptTimeoutError);
    expect(historyOf(recorder.errors[0])).toMatchObject([
      { decision: { finding: { evidence: 'unsent' }, reason: 'attempt-timeout' } },
      { decision: { finding: { evidence: 'unsent' }, reason: 'retries-spent' } },
    ]);
    expect(time.pending).toEqual([]);
  });
});

test('an upload that is given up is cut off, not ended: half a body never looks whole', async () => {
  const lab = await openLab([stallAfterHead(), answer(200)].map((play) => ({ ...play, at: 'head' })));
  const { time, agent } = timed({ maxRetries: 0, idempotent: true });
  let pulled = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      pulled += 1;
      yield Buffer.alloc(1024);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  lab.play({ at: 'head', steps: [{ do: 'stall' }] });
  const recorder = record(agent, {
    origin: lab.origin,
    method: 'PUT',
    headers: { 'x-id': 'up' },
    body: endless(),
  });
  await lab.until(({ requests }) => (requests[0]?.body.length ?? 0) > 4096);
  await time.fire(timeout);
  await recorder.end();
  await lab.until(({ openSockets }) => openSockets === 0);
  expect(lab.applied('up')).toBe(0);
  const soFar = pulled;
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(pulled).toBeLessThanOrEqual(soFar + 1);
});
