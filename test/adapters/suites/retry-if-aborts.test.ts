/** A `retryIf` whose request ends while it is asked, or had ended before: nothing more is decided, reported or sent. */

import { describe, expect, test } from 'vitest';
import type { RetryIf } from '../../../src/core/events.js';
import { createRetrier, DeadlineError } from '../../../src/index.js';
import { answer, silence } from '../../faults/plays.js';
import { brief, type Event } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

describe.each(subject.ways)('over $name', ({ client, open }) => {
  test.each<[string, (verdict: boolean) => ReturnType<RetryIf>]>([
    ['at once', (verdict) => verdict],
    ['by a promise', async (verdict) => verdict],
  ])('the caller gives up in it, and it answers %s', async (_name, said) => {
    for (const verdict of [true, false]) {
      const lab = await open(answer(503));
      const giveUp = new AbortController();
      const events: Event[] = [];
      const retryIf: RetryIf = () => {
        giveUp.abort();
        return said(verdict);
      };
      const send = client({ ...soon, retryIf, observe: (event) => void events.push(event) });
      const { error } = await settled(send(lab.origin, { signal: giveUp.signal }));
      expect(error).toBeDefined();
      expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
      expect(events.map(brief).filter((text) => /^retry|final|status/.test(text))).toEqual([]);
      expect(lab.requests).toHaveLength(1);
    }
  });

  test('the caller aborts while it thinks, long before the deadline', async () => {
    const lab = await open(answer(503));
    const giveUp = new AbortController();
    const events: Event[] = [];
    const send = client({
      ...soon,
      deadlineMs: 60_000,
      retryIf: () => {
        setImmediate(() => giveUp.abort());
        return new Promise(() => undefined);
      },
      observe: (event) => void events.push(event),
    });
    const { error } = await settled(send(lab.origin, { signal: giveUp.signal }));
    expect(error).not.toBeInstanceOf(DeadlineError);
    expect(events.map(brief).join()).toMatch(/settled \S+ after \d$/);
    expect(events.map(brief).join()).not.toMatch(/deadline|timeout/i);
    expect(lab.requests).toHaveLength(1);
  });

  test('it is not asked about the deadline, which cannot be retried', async () => {
    const lab = await open(silence());
    const time = new HandTime();
    let asked = 0;
    const retryIf: RetryIf = () => {
      asked += 1;
      return true;
    };
    const request = settled(client(createRetrier({ deadlineMs: 500, retryIf }, time.ports))(lab.origin));
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(500);
    expect((await request).error).toBeInstanceOf(DeadlineError);
    expect([asked, lab.requests.length]).toEqual([0, 1]);
  });
});
