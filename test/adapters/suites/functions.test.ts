/** Functions of a policy that throw or return a wrong value: the request fails with a message, and nothing hangs. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { ScheduleFunction } from '../../../src/core/policy/schedules.js';
import type { Finding, ToldFinding } from '../../../src/core/types.js';
import type { Play } from '../../faults/lab.js';
import { answer, rst } from '../../faults/plays.js';
import type { Event } from '../decisions.js';
import { expectFailure, wrongAnswers } from '../function-answers.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const busy: PolicyOptions = {
  retryIf: (outcome) => (outcome.kind === 'response' && outcome.status === 200 ? true : undefined),
};

describe.each(subject.ways)('over $name', ({ client }) => {
  test.each(wrongAnswers)('$name', async (wrong) => {
    await expectFailure(wrong, (policy, origin) => client(policy)(origin));
  });

  test.each([
    ['null', () => null],
    ['a promise of null', async () => null],
  ])('retryIf that answers %s has no opinion', async (_, retryIf) => {
    const lab = await openLab([answer(503), answer(200)]);
    const send = client({ schedule: () => 1, retryIf: retryIf as never });
    expect((await send(lab.origin)).status).toBe(200);
    expect(lab.requests).toHaveLength(2);
  });

  describe('schedule is told how the attempt ended', () => {
    const toldTo = (findings: (ToldFinding | undefined)[]): ScheduleFunction => {
      return (_retry, _previousMs, _draw, finding) => {
        findings.push(finding);
        return 1 + Number(finding?.header('X-Backoff-Ms') ?? 0);
      };
    };

    test.each<[string, Play, PolicyOptions, Partial<Finding>]>([
      ['an answer', answer(503, '', { 'x-backoff-ms': '1' }), {}, { status: 503, class: 'transient' }],
      ['a refusal', answer(429, '', { 'x-backoff-ms': '2' }), {}, { status: 429, class: 'throttled' }],
      ['a success that retryIf refuses', answer(200, '', { 'x-backoff-ms': '3' }), busy, { status: 200 }],
    ])('%s, with its headers', async (_what, play, policy, seen) => {
      const lab = await openLab([play, answer(204)]);
      const [findings, waits]: [(ToldFinding | undefined)[], number[]] = [[], []];
      const observe = (event: Event): void => {
        if (event.type !== 'decision') return;
        if (event.decision.action === 'retry') waits.push(event.decision.delayMs);
        // What listeners get stays plain data.
        expect('header' in event.decision.finding).toBe(false);
      };
      const schedule = toldTo(findings);
      const send = client({ ...soon, schedule, throttledSchedule: schedule, observe, ...policy });
      expect((await send(lab.origin)).status).toBe(204);
      expect(findings).toMatchObject([seen]);
      const header = findings[0]?.header('x-backoff-ms');
      expect(waits).toEqual([1 + Number(header)]);
      expect(findings[0]?.header('x-none')).toBeUndefined();
    });

    test('an error, which has none', async () => {
      const lab = await openLab([rst(), answer(204)]);
      const findings: (ToldFinding | undefined)[] = [];
      const send = client({ ...soon, schedule: toldTo(findings) });
      expect((await send(lab.origin)).status).toBe(204);
      expect(findings).toMatchObject([{ kind: 'error', class: 'transient' }]);
      expect(findings[0]?.header('x-backoff-ms')).toBeUndefined();
    });
  });

  describe('one that throws: it is the request’s error', () => {
    /** A frozen error: writing to it fails. */
    const broken = Object.freeze(new Error('the caller’s own'));
    const fail = (): never => {
      throw broken;
    };

    test.each<[string, PolicyOptions]>([
      ['schedule', { schedule: fail }],
      ['throttledSchedule', { throttledSchedule: fail }],
    ])('%s', async (_name, policy) => {
      const events: Event[] = [];
      const lab = await openLab(answer('throttledSchedule' in policy ? 429 : 503));
      const send = client({ ...soon, ...policy, observe: (event) => void events.push(event) });
      expect((await settled(send(lab.origin))).error).toBe(broken);
      expect(lab.requests).toHaveLength(1);
      expect(events.map(({ type }) => type)).toEqual(['settled']);
    });

    test.each<[string, PolicyOptions]>([
      ['idempotencyKey.generate', { idempotencyKey: { generate: fail } }],
      ['scope', { scope: fail }],
      ['match.test', { rules: [{ match: { test: fail }, maxRetries: 1 }] }],
    ])('%s, and nothing is sent', async (_name, policy) => {
      const lab = await openLab(answer(200));
      const { error } = await settled(client(policy)(lab.origin, { method: 'POST', body: 'x' }));
      expect(error).toBe(broken);
      expect([lab.requests.length, lab.connections]).toEqual([0, 0]);
    });
  });
});
