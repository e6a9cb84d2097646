/** Time spent in the caller's own functions says nothing about the server: it was not asked yet, or it has answered. */

import { describe, expect, test, vi } from 'vitest';
import { createRetrier, DeadlineError, type PolicyOptions } from '../../../src/index.js';
import { answer, type Play, rst } from '../../faults/lab.js';
import type { Event } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject, type Way } from './subject.js';

const subject = await theSubject();

/** A policy whose gate shuts after one failure. */
const brittle: PolicyOptions = { ...soon, gate: { failures: 1, deadForMs: 0 }, maxRetries: 1 };

function asking({ client }: Way, policy: PolicyOptions) {
  const time = new HandTime();
  const findings: object[] = [];
  const observe = (event: Event): void => {
    if (event.type === 'decision') findings.push(event.decision.finding);
  };
  const retrier = createRetrier({ ...brittle, ...policy, observe }, time.ports);
  const shut = () =>
    retrier.snapshot().scopes.flatMap(({ gates }) => gates.filter(({ state }) => state === 'shut'));
  return { time, findings, shut, send: client(retrier) };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe.each(subject.uploading)('over $name', (way) => {
  test('a body that is not made in the time of its attempt was never sent, and a POST is tried again', async () => {
    const lab = await openLab(answer(200));
    const { time, findings, send } = asking(way, { attemptTimeoutMs: 5_000 });
    const body = vi.fn<() => unknown>().mockReturnValue('pay').mockImplementationOnce(never);
    const sent = send(lab.origin, { method: 'POST', body });
    await time.fire(5_000);
    await time.fire(1);
    expect((await sent).status).toBe(200);
    expect(findings[0]).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', evidence: 'unsent' });
    expect(lab.requests).toHaveLength(1);
  });

  test('nor is the server taken for dead by a body that is not made until the deadline', async () => {
    const lab = await openLab(answer(200));
    const { time, shut, send } = asking(way, { deadlineMs: 5_000 });
    const sent = settled(send(lab.origin, { method: 'POST', body: never }));
    await time.fire(5_000);
    expect((await sent).error).toBeInstanceOf(DeadlineError);
    expect(shut()).toEqual([]);
    expect(lab.connections).toBe(0);
  });
});

describe.each(subject.ways)('over $name', (way) => {
  test.each<[string, Play]>([
    ['an answer', answer(500)],
    ['an error', rst()],
  ])(
    'the server is not taken for dead by a retryIf that thinks about %s until the deadline',
    async (_what, play) => {
      const lab = await openLab(play);
      const retryIf = vi.fn(never);
      const { time, shut, send } = asking(way, { deadlineMs: 5_000, retryIf });
      const sent = settled(send(lab.origin));
      await vi.waitFor(() => expect(retryIf).toHaveBeenCalled());
      await time.fireAt(5_000);
      expect((await sent).error).toBeInstanceOf(DeadlineError);
      expect(shut()).toEqual([]);
      expect(lab.requests).toHaveLength(1);
    },
  );
});
