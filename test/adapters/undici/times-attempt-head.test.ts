/** `attemptTimeoutMs`: an attempt has this long for its head; then it is given up, and another one follows. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { answer, contentOf, onCue, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab } from '../kit.js';
import { showsQueued } from './client.js';
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

test('a handler is started once, and gets the answer that came', async () => {
  const lab = await openLab([silence(), answer(200, 'yes')]);
  const { time, agent } = timed();
  const recorder = record(agent, { origin: lab.origin });
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(timeout);
  await time.fire(wait);
  await recorder.end();
  expect(recorder.bytes.toString()).toBe('yes');
  expect(recorder.starts).toBe(1);
  expect(recorder.heads).toMatchObject([{ status: 200 }]);
  expect(historyOf(recorder)).toMatchObject([
    { decision: { finding: { code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' }, reason: 'attempt-timeout' } },
    { decision: { finding: { status: 200 } } },
  ]);
});

test('… or of one error, with all attempts', async () => {
  const lab = await openLab(silence());
  const { time, agent } = timed({ maxRetries: 1 });
  const recorder = record(agent, { origin: lab.origin });
  await time.fire(timeout);
  await time.fire(wait);
  await time.fire(timeout);
  await recorder.end();
  expect(historyOf(recorder.errors[0])?.map(({ decision }) => decision.reason)).toEqual([
    'attempt-timeout',
    'retries-spent',
  ]);
  expect([recorder.starts, recorder.ends]).toEqual([1, 1]);
});

describe('it covers the head only', () => {
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

  test('a body may take longer', async () => {
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
    if (!showsQueued) {
      await recorder.end();
      lab.cue('free');
      await (await busy).body.dump();
      expect(recorder.errors).toMatchObject([{ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' }]);
      expect(lab.requests.map(({ path }) => path)).toEqual(['/busy']);
      return;
    }
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
});
