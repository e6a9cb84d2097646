/** An adaptive attempt timeout, which took 20 ms so far. */

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { answer, silence } from '../../faults/lab.js';
import { hedging, onCue } from './hedged.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const learntMs = 50;
const attemptTimeoutMs = { factor: 1, minMs: learntMs, maxMs: 2_000 };
/** Pays for one retry after a timeout, and no more. */
const budget = { capacity: 2, perSuccess: 0, perSecond: 0 };

describe.each(subject.ways)('a timeout that is learnt: $name', (way) => {
  test('ends an attempt that takes much longer than usual, and a retry follows at once', async () => {
    const lab = await way.open([silence(), answer(200, 'retried')]);
    const { time, told, ask } = hedging(way, { hedge: false, attemptTimeoutMs });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(learntMs);
    await time.fire(0);
    expect((await asked).value?.text).toBe('retried');
    expect(told).toEqual(['1 attempt-timeout', '2 success', 'settled 200 after 2']);
    expect(time.pending).toEqual([]);
  });

  test('does not end it while others have spent what its retry would cost', async () => {
    const lab = await way.open([onCue('late', answer(200, 'late'))]);
    const { time, told, retrier, ask } = hedging(way, { hedge: false, attemptTimeoutMs, budget });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    const other = retrier.open({ method: 'GET', path: '/', origin: undefined, keyed: false });
    other.next({ kind: 'response', status: 503, headers: {} }, { replayable: true });
    await time.fire(learntMs);
    lab.cue('late');
    expect((await asked).value?.text).toBe('late');
    expect(told).toEqual(['1 transient-status', 'settled 200 after 1']);
    expect(time.pending).toEqual([]);
  });

  test('leaves the attempt the rest of the longest timeout then', async () => {
    const lab = await way.open(silence());
    const { time, told, retrier, ask } = hedging(way, { hedge: false, attemptTimeoutMs, budget });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    const other = retrier.open({ method: 'GET', path: '/', origin: undefined, keyed: false });
    other.next({ kind: 'response', status: 503, headers: {} }, { replayable: true });
    await time.fire(learntMs);
    await time.fire(attemptTimeoutMs.maxMs - learntMs);
    expect((await asked).error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' });
    expect(told.slice(1)).toEqual(['1 budget-spent', 'settled ERR_UNDAUNTED_ATTEMPT_TIMEOUT after 1']);
    expect(time.pending).toEqual([]);
  });
});

describe.each(subject.uploading)('a timeout that is learnt: $name', (way) => {
  test('is the longest for a body that can be read only once', async () => {
    const lab = await way.open([onCue('late', answer(200, 'late'))]);
    const { time, ask } = hedging(way, { hedge: false, attemptTimeoutMs });
    const asked = ask(lab.origin, { method: 'PUT', body: Readable.from([Buffer.from('once')]) });
    await lab.until(({ requests }) => requests.length === 1);
    expect(time.pending).toEqual([attemptTimeoutMs.maxMs]);
    lab.cue('late');
    expect((await asked).value?.text).toBe('late');
  });
});
