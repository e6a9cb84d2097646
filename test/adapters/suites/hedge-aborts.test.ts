/** Two attempts are out, both fail, and what is called about that aborts the request: the abort is what its caller gets. */

import { beforeEach, describe, expect, test } from 'vitest';
import { answer } from '../../faults/lab.js';
import { bothOut, onCue } from './hedged.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

beforeEach(({ skip }) => skip(subject.hedges !== true));

describe.each(subject.ways)('over $name', (way) => {
  test.each([
    ['returns', undefined],
    ['throws', new TypeError('of the function')],
  ])('a schedule that aborts and %s', async (_how, failure) => {
    const caller = new AbortController();
    const schedule = (): number => {
      caller.abort();
      if (failure !== undefined) throw failure;
      return 1;
    };
    const plays = [onCue('first', answer(503)), onCue('hedge', answer(503))] as const;
    const { lab, time, answered, told } = await bothOut(way, plays, { schedule }, { signal: caller.signal });
    lab.cue('first');
    await lab.until(({ bytesSent }) => bytesSent > 0);
    lab.cue('hedge');
    const { error } = await answered;
    expect(error).toBeDefined();
    expect(error).not.toBe(failure);
    expect(told.at(-1)).toMatch(/^settled (AbortError|ERR_CANCELED) after 2/);
    expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
    expect(lab.requests).toHaveLength(2);
    expect(time.pending).toEqual([]);
  });
});
