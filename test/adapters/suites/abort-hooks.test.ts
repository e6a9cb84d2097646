/** A function of the caller's that fails while its caller aborts: the request ends once, and all hear of the same end. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { unhandled } from '../../unhandled.js';
import { brief, type Event } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

type Fail = () => Promise<never>;

const functions: readonly [name: string, policy: (fail: Fail) => PolicyOptions][] = [
  ['retryIf', (fail) => ({ retryIf: fail })],
  ['beforeRetry', (fail) => ({ beforeRetry: fail })],
  ['headers of credentials', (fail) => ({ credentials: { headers: fail, renew: () => undefined } })],
];

const abortOutcome = /^settled (AbortError|20|ERR_CANCELED) /;

describe.each(functions)('%s', (_name, policy) => {
  test('aborts the request and fails later: that goes nowhere', async () => {
    const unheard = unhandled();
    const lab = await openLab(answer(503));
    const caller = new AbortController();
    const fail = async (): Promise<never> => {
      caller.abort();
      await nextTurn();
      throw new TypeError('later');
    };
    const send = subject.client({ ...soon, ...policy(fail) });
    const { error } = await settled(send(lab.origin, { signal: caller.signal }));
    expect(error).toBeDefined();
    expect(error).not.toBeInstanceOf(TypeError);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(unheard).toEqual([]);
  });
});

describe.each(functions)('%s', (_name, policy) => {
  test.each([
    [
      'throws',
      () => (): never => {
        throw new TypeError('thrown');
      },
    ],
    [
      'rejects',
      () => async (): Promise<never> => {
        throw new TypeError('thrown');
      },
    ],
  ])(
    '%s, and the caller aborts a moment before or after: listeners hear what the caller gets',
    async (_how, failing) => {
      for (let moment = 0; moment <= 10; moment += 1) {
        const lab = await openLab(answer(503));
        const caller = new AbortController();
        const events: Event[] = [];
        const fail = (): Promise<never> => {
          void (async () => {
            for (let turn = 0; turn < moment; turn += 1) await undefined;
            caller.abort();
          })();
          return failing()();
        };
        const observe = (event: Event): void => void events.push(event);
        const send = subject.client({ ...soon, ...policy(fail), observe });
        const { error } = await settled(send(lab.origin, { signal: caller.signal }));
        const told = events.map(brief);
        const ends = told.filter((text) => text.startsWith('settled'));
        expect(ends).toEqual(told.slice(-1));
        const isAborted = abortOutcome.test(ends.join());
        if (isAborted) expect(error).not.toBeInstanceOf(TypeError);
        else expect(told.filter((text) => text.endsWith('aborted'))).toEqual([]);
        // axios checks once more on its way to the caller.
        if (subject.name !== 'axios') expect(isAborted).toBe(!(error instanceof TypeError));
      }
    },
  );
});

test.each<[how: string, renew: () => unknown]>([
  ['succeeds', () => undefined],
  ['fails', () => Promise.reject(new TypeError('no login'))],
])(
  'a renewal that aborts the request it is for, and %s: nothing more is decided or sent',
  async (_how, end) => {
    const lab = await openLab(answer(401));
    const caller = new AbortController();
    const events: Event[] = [];
    const renew = (): Promise<void> => {
      caller.abort();
      return end() as Promise<void>;
    };
    const credentials = { headers: () => ({ authorization: 'token' }), renew };
    const observe = (event: Event): void => void events.push(event);
    const send = subject.client({ ...soon, credentials, observe });
    const { error } = await settled(send(lab.origin, { signal: caller.signal }));
    expect(error).toBeDefined();
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    const told = events.filter(({ type }) => type !== 'renewal').map(brief);
    expect(told).toEqual(['stop 1: aborted', expect.stringMatching(abortOutcome)]);
    expect(lab.requests).toHaveLength(1);
  },
);
