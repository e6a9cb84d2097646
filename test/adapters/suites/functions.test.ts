/** Functions of a policy that throw or return a wrong value: the request fails with a message, and nothing hangs. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer } from '../../faults/plays.js';
import type { Event } from '../decisions.js';
import { expectFailure, wrongAnswers } from '../function-answers.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

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
