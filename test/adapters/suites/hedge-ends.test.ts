/** The end of a request whose two attempts are both out: both end with it. */

import { beforeEach, describe, expect, test } from 'vitest';
import { DeadlineError } from '../../../src/index.js';
import { answer, silence } from '../../faults/lab.js';
import { hedgeMs, hedging, numbersIn, retryMs } from './hedged.js';
import { theSubject } from './subject.js';
import { expectForgotten } from './timed.js';

const subject = await theSubject();

beforeEach(({ skip }) => skip(subject.hedges !== true));

const ways = [...subject.ways, ...subject.overH2.filter(({ sendsOneAtATime }) => !sendsOneAtATime)];

describe.each(ways)('the end of a request with two attempts out: $name', (way) => {
  test('an abort ends both at once', async () => {
    const lab = await way.open(silence());
    const { time, told, ask } = hedging(way);
    const aborter = new AbortController();
    const asked = ask(lab.origin, { signal: aborter.signal });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    aborter.abort();
    const { error } = await asked;
    expect(String((error as { code?: unknown }).code)).toBe(subject.abortCode);
    expect(time.pending).toEqual([]);
    expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
    await expectForgotten(way, aborter.signal);
    if (!way.opensAhead && !subject.overH2.includes(way)) {
      await lab.until(({ openSockets }) => openSockets === 0);
    }
  });

  test('a deadline ends both', async () => {
    const lab = await way.open(silence());
    const { time, told, ask } = hedging(way, { deadlineMs: 1_000 });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(1_000);
    expect((await asked).error).toBeInstanceOf(DeadlineError);
    expect(time.pending).toEqual([]);
    expect(told.filter((line) => line.startsWith('settled'))).toEqual([
      'settled ERR_UNDAUNTED_DEADLINE after 2, hedge lost',
    ]);
  });

  test('each attempt has its own time', async () => {
    const lab = await way.open([silence(), silence(), answer(200, 'retried')]);
    const { time, told, ask } = hedging(way, { attemptTimeoutMs: 1_000 });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(1_000);
    await time.fire(1_000);
    await time.fire(retryMs);
    expect((await asked).value?.text).toBe('retried');
    expect(told.slice(1)).toEqual(['2 attempt-timeout', '3 success', 'settled 200 after 3, hedge lost']);
    expect(numbersIn(lab.requests)).toEqual([0, 1, 2]);
    expect(time.pending).toEqual([]);
  });
});
