/** What is learnt from two attempts: the one that lost took at least as long as it was out. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, silence } from '../../faults/lab.js';
import { bothOut, hedgeMs, hedging, learntFrom, onCue } from './hedged.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

beforeEach(({ skip }) => skip(subject.hedges !== true));

const ways = [...subject.ways, ...subject.overH2.filter(({ sendsOneAtATime }) => !sendsOneAtATime)];

describe.each(ways)('two attempts: $name', (way) => {
  test('both count, once the one that lost is gone', async () => {
    const lab = await way.open([silence(), answer(200, 'hedge')]);
    const { time, ask, retrier } = hedging(way);
    const before = learntFrom(retrier);
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    expect((await asked).value?.text).toBe('hedge');
    // Over HTTP/1.1, the one that lost may go on for a while.
    for (const ms of time.pending) if (ms === 2_000) await time.fire(ms);
    expect(learntFrom(retrier) - before).toBe(2);
  });
});

describe.each(subject.ways)('two attempts: $name', (way) => {
  test('both count, if retryIf still thinks about the answer of the one that lost', async () => {
    const judged: number[] = [];
    let goOn = (): void => undefined;
    const thinks = new Promise<undefined>((resolve) => {
      goOn = () => resolve(undefined);
    });
    const retryIf: PolicyOptions['retryIf'] = (outcome) => {
      if (outcome.kind === 'response') judged.push(outcome.status);
      return judged.at(-1) === 503 ? thinks : undefined;
    };
    const plays = [onCue('first', answer(503, 'busy')), onCue('hedge', answer(200, 'hedge'))] as const;
    const { lab, retrier, answered, time } = await bothOut(way, plays, { retryIf });
    const before = learntFrom(retrier);
    lab.cue('first');
    await expect.poll(() => judged, { interval: 1 }).toEqual([503]);
    lab.cue('hedge');
    expect((await answered).value?.text).toBe('hedge');
    goOn();
    await time.until(({ pending }) => pending.length === 0);
    expect(learntFrom(retrier) - before).toBe(2);
  });
});
