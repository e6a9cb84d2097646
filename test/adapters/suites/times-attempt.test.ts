/** `attemptTimeoutMs`: an attempt has this long, wherever the server is slow, and the next one may succeed. */

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { AttemptTimeoutError } from '../../../src/index.js';
import {
  type Answer,
  answer,
  dripBody,
  dripHead,
  fin,
  halfHead,
  informational,
  type Play,
  silence,
  stallAfterHead,
} from '../../faults/lab.js';
import { openFullBacklog, openLab, soon } from '../kit.js';
import { theSubject } from './subject.js';
import { expectForgotten, reasonsOf, timed } from './timed.js';

const subject = await theSubject();
const ways = [...subject.ways, ...subject.overH2];
const policy: PolicyOptions = { ...soon, attemptTimeoutMs: 5_000, maxRetries: 1 };

/** Plays that take longer than any caller waits, and begin at once. */
const slow: readonly (readonly [string, Answer])[] = [
  ['says nothing', silence()],
  ...(subject.attemptEnds === 'with the head'
    ? []
    : ([
        ['stalls after the head', stallAfterHead()],
        ['drips its body', dripBody('x'.repeat(100_000), 5)],
      ] as const)),
];

const slowInTheHead: readonly [string, Play][] = [
  ['says half a head', halfHead('stall')],
  ['drips its head', dripHead(5_000)],
  ['says something in the meantime, and no more', informational(103, { link: '</a>' }, silence())],
];

describe.each(ways)('$name', (way) => {
  test.each(slow)('a server that %s', async (_, play) => {
    const lab = await way.open([play, answer(200, 'yes')]);
    const { time, decisions, ask } = timed(way, policy);
    const { signal } = new AbortController();
    const asked = ask(lab.origin, { signal });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(5_000);
    await time.fire(1);
    const { value } = await asked;
    expect(value).toMatchObject({ status: 200, text: 'yes' });
    subject.expectOwn(value?.given, { signal });
    expect(reasonsOf(decisions)).toEqual(['attempt-timeout', 'success']);
    expect(lab.requests).toHaveLength(2);
    await expectForgotten(way, signal);
    expect(time.pending).toEqual([]);
  });

  test('a POST without an answer is sent once, and fails', async () => {
    const lab = await way.open(silence());
    const { time, decisions, ask } = timed(way, policy);
    const { signal } = new AbortController();
    const asked = ask(lab.origin, { method: 'POST', body: 'pay', signal });
    await lab.until(({ requests }) => requests[0]?.complete === true);
    await time.fire(5_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', attemptTimeoutMs: 5_000 });
    subject.expectOwn(error, { method: 'POST', body: 'pay', signal });
    expect(reasonsOf(decisions)).toEqual(['unsafe-method']);
    expect(lab.requests).toHaveLength(1);
    await expectForgotten(way, signal);
    expect(time.pending).toEqual([]);
  });

  test.skipIf(!way.takesOverride)('it holds where retries are off', async () => {
    const lab = await way.open(silence());
    const { time, decisions, ask } = timed(way, policy);
    const asked = ask(lab.origin, { retry: false });
    await time.fire(5_000);
    expect((await asked).error).toBeInstanceOf(AttemptTimeoutError);
    expect(reasonsOf(decisions)).toEqual(['retries-off']);
  });

  test('a quick answer leaves no timer and no listener, and a failure neither', async () => {
    const lab = await way.open([answer(200), answer(404)]);
    const { time, ask } = timed(way, policy);
    const { signal } = new AbortController();
    await ask(lab.origin, { signal });
    await ask(lab.origin, { signal });
    expect(time.timers).toHaveLength(2);
    expect(time.pending).toEqual([]);
    await expectForgotten(way, signal);
  });

  test('each attempt has a time of its own; the last timeout surfaces', async () => {
    const lab = await way.open(silence());
    const { time, decisions, ask } = timed(way, { ...policy, maxRetries: 2 });
    const asked = ask(lab.origin);
    for (const attempt of [1, 2, 3]) {
      await lab.until(({ requests }) => requests.length === attempt);
      await time.fire(5_000);
      if (attempt < 3) await time.fire(1);
    }
    const { error } = await asked;
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', attemptTimeoutMs: 5_000 });
    expect(reasonsOf(decisions)).toEqual(['attempt-timeout', 'attempt-timeout', 'retries-spent']);
    expect(time.pending).toEqual([]);
    expect(lab.requests).toHaveLength(3);
  });
});

describe.each(subject.ways)('$name', (way) => {
  test.each(slowInTheHead)('a server that %s', async (_, play) => {
    const lab = await openLab([play, answer(200, 'yes')]);
    const { time, decisions, ask } = timed(way, policy);
    const asked = ask(lab.origin);
    await lab.until(({ bytesSent }) => bytesSent > 0);
    expect(time.pending).toEqual([5_000]);
    await time.fire(5_000);
    await time.fire(1);
    expect((await asked).value).toMatchObject({ status: 200, text: 'yes' });
    expect(reasonsOf(decisions)).toEqual(['attempt-timeout', 'success']);
    expect(time.pending).toEqual([]);
  });

  test.each<[string, Play]>([
    ['did not even read the body', silence('head')],
    ['said half a head', halfHead('stall')],
  ])('a POST to a server that %s is sent once', async (_, play) => {
    const lab = await openLab([play, answer(200)]);
    const { time, decisions, ask } = timed(way, policy);
    const asked = ask(lab.origin, { method: 'POST', headers: { 'x-id': 'write' }, body: 'pay' });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(5_000);
    expect((await asked).error).toBeInstanceOf(AttemptTimeoutError);
    expect(reasonsOf(decisions)).toEqual(['unsafe-method']);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });

  test('a head that was cut off in time is not a timeout', async () => {
    const lab = await openLab([fin(), answer(200)]);
    const { time, decisions, ask } = timed(way, policy);
    const asked = ask(lab.origin);
    await time.fire(1);
    expect((await asked).value?.status).toBe(200);
    expect(reasonsOf(decisions)).toEqual(['transport-error', 'success']);
    expect(time.pending).toEqual([]);
  });
});

test.each(subject.ways)('the connection of an attempt that is over is closed: $name', async (way) => {
  const lab = await openLab([silence(), answer(200)]);
  const { time, ask } = timed(way, policy);
  const asked = ask(lab.origin);
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(5_000);
  await lab.until(({ connections, openSockets }) => openSockets < connections);
  await time.fire(1);
  expect((await asked).value?.status).toBe(200);
});

const [plain] = subject.ways;

test.each(subject.impatient)(
  "the client's own timeout is an outcome like any other, and the attempt's time goes with it: $name",
  async (way) => {
    const lab = await openLab([silence(), answer(200)]);
    const { time, decisions, ask } = timed(way, policy);
    const asked = ask(lab.origin);
    await time.fire(1);
    await asked;
    expect(reasonsOf(decisions)).toEqual(['transport-error', 'success']);
    expect(time.pending).toEqual([]);
  },
);

test('a POST that never got a connection may be sent again', async () => {
  const origin = await openFullBacklog();
  const { time, decisions, ask } = timed(plain, policy);
  const asked = ask(origin, { method: 'POST', body: 'pay' });
  await time.fire(5_000);
  if (subject.knowsUnsent) {
    await time.fire(1);
    await time.fire(5_000);
  }
  expect((await asked).error).toBeInstanceOf(AttemptTimeoutError);
  const evidence = decisions.map(({ finding }) => finding.kind === 'error' && finding.evidence);
  expect(new Set(evidence)).toEqual(new Set([subject.knowsUnsent ? 'unsent' : 'unknown']));
  expect(reasonsOf(decisions)).toEqual(
    subject.knowsUnsent ? ['attempt-timeout', 'retries-spent'] : ['unsafe-method'],
  );
  expect(time.pending).toEqual([]);
});

test('an upload that is given up is cut off, not ended: half a body never looks whole', async () => {
  const lab = await openLab({ at: 'head', steps: [{ do: 'stall' }] });
  const { time, ask } = timed(plain, { ...policy, maxRetries: 0 });
  let pulled = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      pulled += 1;
      yield Buffer.alloc(1024);
      await setImmediate();
    }
  }
  const asked = ask(lab.origin, {
    method: 'PUT',
    headers: { 'x-id': 'up' },
    body: Readable.from(endless(), { objectMode: false }),
  });
  await lab.until(({ requests }) => (requests[0]?.body.length ?? 0) > 4096);
  await time.fire(5_000);
  expect((await asked).error).toBeInstanceOf(AttemptTimeoutError);
  await lab.until(({ connections, openSockets }) => openSockets < connections);
  expect(lab.applied('up')).toBe(0);
  const soFar = pulled;
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect(pulled).toBeLessThanOrEqual(soFar + 1);
});
