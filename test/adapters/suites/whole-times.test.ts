/** For how long an answer waits for its body. A slow body is no failure, and an abort ends the wait. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import type { Answer, AnswerStep, Step } from '../../faults/lab.js';
import { answer } from '../../faults/lab.js';
import { stageOf } from '../hand-time.js';
import { settled } from '../kit.js';
import { hedgeMs, hedging, onCue } from './hedged.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

// axios itself waits for bodies, for as long as it takes.
beforeEach(({ skip }) => skip(subject.name === 'axios'));

const policy: PolicyOptions = {
  wholeBodyBytes: 1_000,
  schedule: { kind: 'fixed', waitMs: 7, jitter: 'none' },
};

/** The half of a body, and this afterwards, once the test calls `lab.cue('rest')`. */
function halved(...rest: readonly Step[]): Answer {
  const steps = [
    { do: 'head', status: 200, headers: { 'content-length': '6' } },
    { do: 'body', text: 'abc' },
    { do: 'cue', name: 'rest' },
    ...rest,
  ];
  return { steps } as Answer;
}

const slow = halved({ do: 'body', text: 'def' }, { do: 'end' });
const cut = halved({ do: 'fin' });

const json = { 'content-type': 'application/json' };
const jsonHead: AnswerStep = { do: 'head', status: 200, headers: { ...json, 'content-length': '6' } };

const stage = (options: PolicyOptions = {}) => stageOf({ ...policy, ...options });

describe.each(subject.ways)('over $name', (way) => {
  test.each<[string, PolicyOptions, number]>([
    ['wholeBodyMs', { wholeBodyMs: 90 }, 90],
    ['half a second', {}, 500],
    ['the time limit of an attempt', { attemptTimeoutMs: 300 }, 300],
    ['the deadline', { deadlineMs: 200 }, 200],
  ])('after %s, a body that is not whole is handed over', async (_what, options, ms) => {
    const lab = await way.open([slow]);
    const { time, told, retrier } = stage(options);
    const asked = way.client(retrier)(lab.origin);
    // Beside the one of the limit, if there is one, the timer of the answer that waits.
    const isLimited = Object.keys(options).some((key) => key !== 'wholeBodyMs');
    await time.until(({ timers }) => timers.length === (isLimited ? 2 : 1));
    await time.fire(ms);
    // What it is handed over with, the caller reads.
    while (told.length === 0) await new Promise(setImmediate);
    expect(told).toEqual(['settled 200 after 1']);
    lab.cue('rest');
    expect(await asked).toMatchObject({ status: 200, text: 'abcdef' });
    expect(lab.requests).toHaveLength(1);
    await time.until(({ pending }) => pending.length === 0);
  });

  test('a body of 200 kB that takes longer than all limits is no failure', async () => {
    const half = 'x'.repeat(100_000);
    const steps = [
      { do: 'head', status: 200, headers: { 'content-length': String(2 * half.length) } },
      { do: 'body', text: half },
      { do: 'cue', name: 'rest' },
      { do: 'body', text: half },
      { do: 'end' },
    ];
    const lab = await way.open([{ steps } as Answer]);
    const limits = { attemptTimeoutMs: 300, deadlineMs: 400 };
    const { time, told, retrier } = stage({ wholeBodyBytes: 262_144, ...limits });
    const asked = way.client(retrier)(lab.origin);
    // Beside those of the limits, which are one in fetch, the timer of the answer that waits.
    await time.until(({ timers }) => timers.length === (subject.name === 'fetch' ? 2 : 3));
    await time.fire(300);
    while (told.length === 0) await new Promise(setImmediate);
    // Long after all of them.
    time.now += 60_000;
    lab.cue('rest');
    expect((await asked).text === half + half).toBe(true);
    expect([lab.requests.length, told]).toEqual([1, ['settled 200 after 1']]);
    await time.until(({ pending }) => pending.length === 0);
  });

  test('the head of a text that goes on for ever comes after half a second', async () => {
    const steps = [
      { do: 'head', status: 200, headers: { 'content-type': 'text/plain' } },
      { do: 'drip', text: 'tick '.repeat(10_000), everyMs: 50 },
    ];
    const lab = await way.open([{ steps } as Answer]);
    const { time, told, retrier } = stage();
    const abort = new AbortController();
    const asked = settled(way.client(retrier)(lab.origin, { signal: abort.signal }));
    await time.fire(500);
    while (told.length === 0) await new Promise(setImmediate);
    expect(told).toEqual(['settled 200 after 1']);
    // No other timer was ever set.
    expect(time.timers.map(({ delayMs }) => delayMs)).toEqual([500]);
    abort.abort();
    expect((await asked).error).toMatchObject({ name: 'AbortError' });
  });

  test.each(['text/event-stream', 'application/x-ndjson', 'multipart/x-mixed-replace'])(
    '%s waits for nothing',
    async (type) => {
      const steps = [
        { do: 'head', status: 200, headers: { 'content-type': type, 'content-length': '9' } },
        { do: 'body', text: 'data: 1\n\n' },
        { do: 'cue', name: 'rest' },
        { do: 'end' },
      ];
      const lab = await way.open([{ steps } as Answer]);
      const { time, told, retrier } = stage();
      const asked = way.client(retrier)(lab.origin);
      for (let turn = 0; turn < 2000 && told.length === 0; turn += 1) await new Promise(setImmediate);
      expect([told, time.timers]).toEqual([['settled 200 after 1'], []]);
      lab.cue('rest');
      expect((await asked).text).toBe('data: 1\n\n');
    },
  );

  describe('an answer that hints of your own look into', () => {
    const busy = { at: '/busy', means: 'transient' } as const;
    const hints: PolicyOptions = {
      wholeBodyBytes: 0,
      hints: { name: 'acme', statuses: [200], body: [busy] },
    };

    test.each<[string, PolicyOptions, number]>([
      ['half a second', {}, 500],
      ['wholeBodyMs', { wholeBodyMs: 90 }, 90],
      ['wholeBodyMs, with whole answers', { wholeBodyMs: 90, wholeBodyBytes: 1_000 }, 90],
    ])('is handed over after %s, if it is not whole by then', async (_what, options, ms) => {
      const lab = await way.open([{ steps: [jsonHead, ...slow.steps.slice(1)] }]);
      const { time, told, retrier } = stage({ ...hints, ...options });
      const asked = way.client(retrier)(lab.origin);
      await time.fire(ms);
      while (told.length === 0) await new Promise(setImmediate);
      expect(told).toEqual(['success', 'settled 200 after 1']);
      lab.cue('rest');
      expect(await asked).toMatchObject({ status: 200, text: 'abcdef' });
      expect(time.timers.map(({ delayMs }) => delayMs)).toEqual([ms]);
    });

    test('is fetched again if it breaks off before', async () => {
      const lab = await way.open([{ steps: [jsonHead, ...cut.steps.slice(1)] }, answer(200, 'again')]);
      const { time, told, retrier } = stage(hints);
      const asked = way.client(retrier)(lab.origin);
      await time.until(({ pending }) => pending.includes(500));
      lab.cue('rest');
      await time.fire(7);
      expect(await asked).toMatchObject({ text: 'again' });
      expect(told).toEqual(['transport-error', 'success', 'settled 200 after 2']);
    });

    test('is judged by what it says once it is whole', async () => {
      const lab = await way.open([answer(200, '{"busy":true}', json), answer(200, '{"busy":false}', json)]);
      const { time, told, retrier } = stage(hints);
      const asked = way.client(retrier)(lab.origin);
      await time.fire(7);
      expect(await asked).toMatchObject({ text: '{"busy":false}' });
      expect(told).toEqual(['server-asks', 'success', 'settled 200 after 2']);
    });
  });

  test("one that breaks off after that is the caller's", async () => {
    const lab = await way.open([cut, answer(200, 'again')]);
    const { time, told, retrier } = stage();
    const asked = settled(way.client(retrier)(lab.origin));
    await time.fire(500);
    while (told.length === 0) await new Promise(setImmediate);
    lab.cue('rest');
    expect((await asked).error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(1);
  });

  test('one that breaks off before is fetched again', async () => {
    const lab = await way.open([cut, answer(200, 'again')]);
    const { time, told, retrier } = stage();
    const asked = way.client(retrier)(lab.origin);
    await time.until(({ pending }) => pending.includes(500));
    lab.cue('rest');
    await time.fire(7);
    expect(await asked).toMatchObject({ text: 'again' });
    expect(told).toEqual(['transport-error', 'success', 'settled 200 after 2']);
  });

  test('a deadline that covers the body ends it', async () => {
    const lab = await way.open([slow]);
    const { time, retrier } = stage({ deadlineMs: 200, deadlineCovers: 'body' });
    const asked = settled(way.client(retrier)(lab.origin));
    await time.until(({ pending }) => pending.includes(500));
    await time.fire(200);
    if (subject.name === 'fetch') {
      await time.until(({ timers }) => timers.length > 2);
      // The caller has begun to read it.
      await new Promise(setImmediate);
      await time.fire(0);
    }
    const { error } = await asked;
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE' });
    expect(lab.requests).toHaveLength(1);
  });

  test("the caller's abort ends the wait, as it ends any attempt", async () => {
    const lab = await way.open([slow]);
    const { time, told, retrier } = stage();
    const abort = new AbortController();
    const asked = settled(way.client(retrier)(lab.origin, { signal: abort.signal }));
    await time.until(({ pending }) => pending.includes(500));
    abort.abort();
    const { error } = await asked;
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(told[0]).toBe('aborted');
    expect(time.pending).toEqual([]);
  });

  test('a hedge whose answer is whole wins over a first one that is not', async () => {
    const lab = await way.open([slow, answer(200, 'hedge')]);
    const { time, told, ask } = hedging(way, policy);
    const asked = ask(lab.origin);
    await time.until(({ pending }) => pending.includes(500));
    await time.fire(hedgeMs);
    expect((await asked).value).toMatchObject({ text: 'hedge' });
    expect(told).toEqual([`hedge 2 after ${hedgeMs}`, '2 success', 'settled 200 after 2, hedge won']);
  });

  test('a first answer that is whole before its hedge wins', async () => {
    const lab = await way.open([slow, onCue('hedge', answer(200, 'hedge'))]);
    const { time, told, ask } = hedging(way, policy);
    const asked = ask(lab.origin);
    await time.until(({ pending }) => pending.includes(500));
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    lab.cue('rest');
    expect((await asked).value).toMatchObject({ text: 'abcdef' });
    expect(told).toEqual([`hedge 2 after ${hedgeMs}`, '1 success', 'settled 200 after 2, hedge lost']);
    lab.cue('hedge');
    await time.until(({ pending }) => pending.length === 0);
  });

  test('a first answer that breaks off leaves the race to the hedge', async () => {
    const lab = await way.open([cut, onCue('hedge', answer(200, 'hedge'))]);
    const { time, told, ask } = hedging(way, policy);
    const asked = ask(lab.origin);
    await time.until(({ pending }) => pending.includes(500));
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    lab.cue('rest');
    // The first has ended, the hedge has not.
    await time.until(({ pending }) => !pending.includes(500));
    lab.cue('hedge');
    expect((await asked).value).toMatchObject({ text: 'hedge' });
    expect(told).toEqual([`hedge 2 after ${hedgeMs}`, '2 success', 'settled 200 after 2, hedge won']);
  });

  test('at the deadline, the answer that is there goes to the caller, whichever attempt it is of', async () => {
    const lab = await way.open([onCue('first', answer(200, 'first')), slow]);
    const { time, ask } = hedging(way, { ...policy, deadlineMs: 1_000 });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await time.until(({ pending }) => pending.includes(500));
    await time.fire(1_000);
    lab.cue('rest');
    expect((await asked).value).toMatchObject({ text: 'abcdef' });
    lab.cue('first');
  });
});
