/** `hedge`: a second attempt beside a slow first one. The caller gets one answer, and sees one request. */

import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { answer, silence } from '../../faults/lab.js';
import { reasons } from '../decisions.js';
import { bothOut, hedgeMs, hedging, numbersIn, onCue, retryMs } from './hedged.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

beforeEach(({ skip }) => skip(subject.hedges !== true));

const [plain] = subject.ways;
const ways = [...subject.ways, ...subject.overH2.filter(({ sendsOneAtATime }) => !sendsOneAtATime)];

describe.each(ways)('$name', (way) => {
  const knowsHistory = way.knowsHistory ?? true;

  test('the hedge answers first: it wins', async () => {
    const lab = await way.open([onCue('first', answer(200, 'first')), answer(200, 'hedge')]);
    const { time, told, ask } = hedging(way);
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    const { value } = await asked;
    expect(value).toMatchObject({ status: 200, text: 'hedge' });
    subject.expectOwn(value?.given, {});
    if (knowsHistory) expect(reasons(value?.given)).toEqual(['1 cut', '2 success']);
    expect(told).toEqual([`hedge 2 after ${hedgeMs}`, '2 success', 'settled 200 after 2, hedge won']);
    expect(numbersIn(lab.requests)).toEqual([0, 1]);
    lab.cue('first');
    await time.until(({ pending }) => pending.length === 0);
  });

  test('the first answers after all: the hedge loses', async () => {
    const lab = await way.open([onCue('first', answer(200, 'first')), onCue('hedge', answer(200, 'hedge'))]);
    const { time, told, ask } = hedging(way);
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    lab.cue('first');
    const { value } = await asked;
    expect(value).toMatchObject({ status: 200, text: 'first' });
    if (knowsHistory) expect(reasons(value?.given)).toEqual(['2 cut', '1 success']);
    expect(told).toEqual([`hedge 2 after ${hedgeMs}`, '1 success', 'settled 200 after 2, hedge lost']);
    lab.cue('hedge');
    await time.until(({ pending }) => pending.length === 0);
  });

  test('an answer in time: there is no hedge, and no timer is left', async () => {
    const lab = await way.open(answer(200, 'in time'));
    const { time, told, ask } = hedging(way);
    expect((await ask(lab.origin)).value?.text).toBe('in time');
    expect(told).toEqual(['settled 200 after 1']);
    expect(time.timers.map(({ unref }) => unref)).toEqual([true]);
    expect(time.pending).toEqual([]);
  });

  test.each([
    ['the first', 'the hedge'],
    ['the hedge', 'the first'],
  ])('both fail, %s before %s: one decision, and the retry is the third attempt', async (...order) => {
    const lab = await way.open([
      onCue('the first', answer(503)),
      onCue('the hedge', answer(503)),
      answer(200, 'retried'),
    ]);
    const { time, told, ask } = hedging(way);
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    for (const name of order) {
      lab.cue(name);
      await time.until(({ pending }) => pending.length === 0 || pending.includes(retryMs));
    }
    await time.fire(retryMs);
    const { value } = await asked;
    expect(value?.text).toBe('retried');
    if (knowsHistory) {
      expect(reasons(value?.given)?.map((reason) => reason.split(' ')[1])).toEqual([
        'other-pending',
        'transient-status',
        'success',
      ]);
    }
    expect(numbersIn(lab.requests)).toEqual([0, 1, 2]);
    expect(told.filter((line) => line.startsWith('settled'))).toEqual(['settled 200 after 3, hedge lost']);
    expect(told).toHaveLength(4);
    await time.until(({ pending }) => pending.length === 0);
  });

  test('a retry may be slow, too, and gets a hedge of its own', async () => {
    const lab = await way.open([answer(503), onCue('slow', answer(200, 'slow')), answer(200, 'hedge')]);
    const { time, told, ask } = hedging(way);
    const asked = ask(lab.origin);
    await time.fire(retryMs);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(hedgeMs);
    const { value } = await asked;
    expect(value?.text).toBe('hedge');
    if (knowsHistory) expect(reasons(value?.given)).toEqual(['1 transient-status', '2 cut', '3 success']);
    expect(told.at(-1)).toBe('settled 200 after 3, hedge won');
    expect(numbersIn(lab.requests)).toEqual([0, 1, 2]);
    lab.cue('slow');
    await time.until(({ pending }) => pending.length === 0);
  });
});

test('the loser is drained, so that both connections serve later requests', async () => {
  const { lab, answered, time, ask } = await bothOut(plain, [
    onCue('first', answer(200, 'first')),
    answer(200, 'hedge'),
    answer(200, 'later'),
  ]);
  expect((await answered).value?.text).toBe('hedge');
  lab.cue('first');
  await time.until(({ pending }) => pending.length === 0);
  await setImmediate();
  await setImmediate();
  const later = await Promise.all([ask(lab.origin), ask(lab.origin)]);
  expect(later.map(({ value }) => value?.text)).toEqual(['later', 'later']);
  expect(lab.connections).toBe(2);
});

test('a loser without an answer is cut after a while', async () => {
  const { lab, answered, time } = await bothOut(plain, [silence(), answer(200, 'hedge')]);
  expect((await answered).value?.text).toBe('hedge');
  const [loserMs = 0] = time.pending;
  expect(time.timers.at(-1)?.unref).toBe(true);
  expect(lab.openSockets).toBe(2);
  await time.fire(loserMs);
  // In place of a connection that broke, some clients open the next one at once.
  await lab.until(({ connections, openSockets }) => connections - openSockets === 1);
  expect(time.pending).toEqual([]);
});
