/**
 * Functions of the caller's that abort their own request and return, or throw: nothing is sent after that, and listeners
 * hear of the same attempts as the server, and of one end, which comes last.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { brief, type Event } from '../decisions.js';
import { settled, soon } from '../kit.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

/** Aborts the first time, and then returns or throws. */
type Stop = () => void;

interface Scene {
  readonly policy?: (stop: Stop) => PolicyOptions;
  readonly asked?: (stop: Stop) => Asked;
  /** The event at which the listener aborts. */
  readonly hears?: (event: Event) => boolean;
  readonly status?: number;
  /**
   * undici's fetch takes no functions as bodies, and never settles if its caller aborts while it calls the dispatcher,
   * whatever that does.
   */
  readonly failsIn?: 'fetch of undici';
}

function then<Answer>(stop: Stop, answered: Answer): () => Answer {
  return () => {
    stop();
    return answered;
  };
}

/** Stops at the call with that number. */
function atCall(number: number, stop: Stop): Stop {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === number) stop();
  };
}

function login(headers: () => void, renew: () => void = () => undefined): PolicyOptions {
  return { credentials: { headers: then(headers, { authorization: 'token' }), renew } };
}

function decides(event: Event, action: string): boolean {
  return event.type === 'decision' && event.decision.action === action;
}

const posted = { method: 'POST' } as const;

const scenes: readonly [name: string, scene: Scene][] = [
  [
    'match.test',
    { policy: (stop) => ({ rules: [{ match: { test: then(stop, true) } }] }), failsIn: 'fetch of undici' },
  ],
  ['scope', { policy: (stop) => ({ scope: then(stop, 'shared') }), failsIn: 'fetch of undici' }],
  [
    'idempotencyKey.generate',
    {
      policy: (stop) => ({ idempotencyKey: { generate: then(stop, 'key') } }),
      asked: () => ({ ...posted, body: 'text' }),
      failsIn: 'fetch of undici',
    },
  ],
  ['headers of credentials', { policy: (stop) => login(atCall(1, stop)), failsIn: 'fetch of undici' }],
  ['headers of credentials, before a retry', { policy: (stop) => login(atCall(2, stop)) }],
  ['renew', { policy: (stop) => login(() => undefined, stop), status: 401 }],
  ['retryIf', { policy: (stop) => ({ retryIf: then(stop, undefined) }) }],
  ['retryIf that asks for a retry', { policy: (stop) => ({ retryIf: then(stop, true) }) }],
  ['retryIf, of a retry', { policy: (stop) => ({ retryIf: then(atCall(2, stop), undefined) }) }],
  ['schedule', { policy: (stop) => ({ schedule: then(stop, 1) }) }],
  ['schedule, of the second retry', { policy: (stop) => ({ schedule: then(atCall(2, stop), 1) }) }],
  [
    'schedule, of a request with retryIf',
    { policy: (stop) => ({ retryIf: async () => undefined, schedule: then(stop, 1) }) },
  ],
  ['throttledSchedule', { policy: (stop) => ({ throttledSchedule: then(stop, 1) }), status: 429 }],
  ['beforeRetry', { policy: (stop) => ({ beforeRetry: stop }) }],
  ['beforeRetry, of the second retry', { policy: (stop) => ({ beforeRetry: atCall(2, stop) }) }],
  [
    'body',
    {
      policy: () => ({ idempotent: true }),
      asked: (stop) => ({ ...posted, body: then(stop, 'text') }),
      failsIn: 'fetch of undici',
    },
  ],
  [
    'body, of a retry',
    {
      policy: () => ({ idempotent: true }),
      asked: (stop) => ({ ...posted, body: then(atCall(2, stop), 'text') }),
      failsIn: 'fetch of undici',
    },
  ],
  ['a listener, of a retry', { hears: (event) => decides(event, 'retry') }],
  ['a listener, of a stop', { hears: (event) => decides(event, 'stop') }],
  ['a listener, of a success', { hears: ({ type }) => type === 'settled', status: 200 }],
  ['a listener, of the end', { hears: ({ type }) => type === 'settled' }],
  [
    'a listener, of a renewal',
    { policy: () => login(() => undefined), hears: ({ type }) => type === 'renewal', status: 401 },
  ],
];

/** What is wrong with what was told of a request of which the server got so many attempts. */
function faultsIn(events: readonly Event[], sent: number): string[] {
  const told = events.filter(({ type }) => type !== 'renewal').map(brief);
  const isOf = (kind: string) => (text: string) => text.startsWith(kind);
  const faults: string[] = [];
  if (told.slice(0, -1).some(isOf('settled'))) faults.push('something after the end');
  if (told.slice(0, -2).some(isOf('stop'))) faults.push('something after the stop');
  if (told.length > 0 && !isOf('settled')(told.at(-1) ?? '')) faults.push('no end');
  if (told.length === 0 && sent > 0) faults.push('nothing');
  if (told.length > 0 && !told.at(-1)?.endsWith(` after ${sent}`)) faults.push(`another count than ${sent}`);
  return faults.map((fault) => `${fault}: ${told.join(', ')}`);
}

describe.each(subject.ways)('over $name', ({ name: way, client, open }) => {
  const played = scenes.filter(([, { failsIn }]) => failsIn === undefined || !isFetchOfUndici(way));

  describe.each([
    ['returns', undefined],
    ['throws', new TypeError('of the function')],
  ])('aborts and %s', (_how, failure) => {
    test.each(played)('%s', async (_name, { policy, asked, hears, status = 503 }) => {
      const lab = await open(answer(status));
      const caller = new AbortController();
      const events: Event[] = [];
      let sentBefore: number | undefined;
      const stop = (): void => {
        sentBefore ??= lab.requests.length;
        caller.abort();
        if (failure !== undefined) throw failure;
      };
      const observe = (event: Event): void => {
        events.push(event);
        if (hears?.(event)) stop();
      };
      const send = client({ ...soon, ...policy?.(stop), observe });
      const { error } = await settled(send(lab.origin, { ...asked?.(stop), signal: caller.signal }));
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      expect(faultsIn(events, lab.requests.length)).toEqual([]);
      expect(lab.requests.length).toBe(sentBefore);
      // A listener may abort once it is certain what the caller gets.
      if (hears === undefined) expect(error).toBeDefined();
    });
  });
});

function isFetchOfUndici(way: string): boolean {
  return subject.name === 'undici' && way.includes('fetch');
}
