/** A listener that aborts the request when it hears that its time is over: that is one end, and nothing is left of it. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createRetrier, DeadlineError, type PolicyOptions } from '../../../src/index.js';
import { answer, type Play, silence } from '../../faults/lab.js';
import { brief, type Event } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const wait = 7;
const policy: PolicyOptions = {
  deadlineMs: 100,
  schedule: { kind: 'fixed', waitMs: wait, jitter: 'none' },
};
const expired = expect.stringMatching(/^settled ERR_UNDAUNTED_DEADLINE after/);

describe.each(subject.ways)('over $name', ({ client }) => {
  test.each<[string, Play[], PolicyOptions, Event['type']]>([
    ['the decision about an attempt', [silence()], {}, 'decision'],
    ['its end while an attempt is out', [silence()], {}, 'settled'],
    ['its end while a retry is out', [answer(503), silence()], {}, 'settled'],
    [
      'its end while a hook thinks',
      [answer(503)],
      { beforeRetry: () => new Promise(() => undefined) },
      'settled',
    ],
  ])('%s', async (_name, plays, more, hears) => {
    const lab = await openLab(plays);
    const time = new HandTime();
    const caller = new AbortController();
    const told: string[] = [];
    const observe = (event: Event): void => {
      told.push(brief(event));
      const isLast = event.type === 'decision' ? event.decision.action === 'stop' : true;
      if (event.type === hears && isLast) caller.abort();
    };
    const send = client(createRetrier({ ...policy, ...more, observe }, time.ports));
    const asked = settled(send(lab.origin, { signal: caller.signal }));
    if (plays[0] !== undefined && (plays.length > 1 || more.beforeRetry !== undefined)) await time.fire(wait);
    await lab.until(({ requests }) => requests.length === plays.length);
    await time.fireAt(100);
    const { error } = await asked;
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(caller.signal.aborted).toBe(true);
    expect(told.at(-1)).toEqual(expired);
    expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
    // The listener's abort comes once it is certain what the caller gets; a client may look at its signal after that.
    expect(
      error instanceof DeadlineError || String(Object(error).code) === subject.abortCode,
      String(error),
    ).toBe(true);
    expect(lab.requests).toHaveLength(plays.length);
    expect(time.pending).toEqual([]);
  });
});
