/** What is learnt from two attempts: the one that lost took at least as long as it was out. */

import { beforeEach, describe, expect, test } from 'vitest';
import { answer, silence } from '../../faults/lab.js';
import { hedgeMs, hedging, learntFrom } from './hedged.js';
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
