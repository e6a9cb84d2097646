/** Requests within `suppressRetries` are sent once; all others are left alone. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { decide } from '../../src/core/decide/decide.js';
import type { DecisionEvent } from '../../src/core/events.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { HeadersLike, ResponseOutcome } from '../../src/core/types.js';
import { createRetrier, explain, suppressRetries, suppressWhenRetried } from '../../src/index.js';
import { countedContext } from '../counted-context.js';
import { answered, requestOf, settingsOf } from '../kit.js';
import { loadWithoutNode } from '../otel/elsewhere.js';

afterEach(() => {
  vi.restoreAllMocks();
});

function reasonOf(outcome: ResponseOutcome, policy: PolicyOptions = {}, facts = requestOf()): string {
  return createRetrier(policy).open(facts).next(outcome, { replayable: true }).reason;
}

const unavailable = answered(503);

async function anotherCopy(): Promise<typeof import('../../src/index.js')> {
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  return import('../../src/index.js');
}

/** A fresh process, in which retries have never been suppressed. */
function neverUsed(): void {
  vi.stubGlobal(Symbol.for('undaunted.suppression'), undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
}

/** A process in which no attempt has enclosed another: tests of other files may have run in this one. */
function neverEnclosed(): void {
  const layers: object = Reflect.get(globalThis, Symbol.for('undaunted.layers'));
  Reflect.set(layers, 'hasEnclosed', false);
}

describe('a failure', () => {
  test('is not retried within, with a reason of its own', () => {
    expect(suppressRetries(() => reasonOf(unavailable))).toBe('retries-suppressed');
    expect(reasonOf(unavailable)).toBe('transient-status');
  });

  test('is not retried after an await within', async () => {
    const within = suppressRetries(async () => {
      await sleep(1);
      return reasonOf(unavailable);
    });
    expect(reasonOf(unavailable)).toBe('transient-status');
    expect(await within).toBe('retries-suppressed');
  });

  test.each<[string, ResponseOutcome, PolicyOptions, string]>([
    ['not worth it', answered(404), {}, 'final-status'],
    ['not safe', unavailable, {}, 'unsafe-method'],
    ['switched off', unavailable, { maxRetries: 0, idempotent: true }, 'retries-off'],
    ['too long to wait for', answered(429, { 'retry-after': '3600' }), {}, 'retries-suppressed'],
  ])('that is %s has the reason that comes first', (_what, outcome, policy, reason) => {
    const decided = suppressRetries(() => reasonOf(outcome, policy, requestOf({ method: 'POST' })));
    expect(decided).toBe(reason);
  });

  test('costs no budget', () => {
    const retrier = createRetrier();
    suppressRetries(() => retrier.open(requestOf()).next(unavailable, { replayable: true }));
    expect(retrier.snapshot().scopes[0]?.budgets).toEqual([{ tokens: 50 }]);
  });
});

test('the decision can be made again from its event, and is a sentence', () => {
  const events: DecisionEvent[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type === 'decision') events.push(structuredClone(event));
  };
  suppressRetries(() => reasonOf(unavailable, { observe }));
  const [event] = events;
  if (event === undefined) throw new Error('no event came');
  expect(decide(settingsOf(), [], event.decision.finding, event.world)).toEqual(event.decision);
  expect(explain(event.decision)).toBe(
    'No retry after attempt 1: the server answered 503, and retries are suppressed: another layer retries, or suppressRetries is in effect.',
  );
});

test('what work returns or throws comes out', () => {
  const broken = new Error('broken work');
  expect(suppressRetries(() => 7)).toBe(7);
  expect(() =>
    suppressRetries(() => {
      throw broken;
    }),
  ).toThrow(broken);
  expect(reasonOf(unavailable)).toBe('transient-status');
});

describe('an incoming request', () => {
  test.each<[string, HeadersLike, string | undefined, boolean]>([
    ['is a retry', { 'retry-attempt': '1' }, undefined, true],
    ['is the tenth', { 'retry-attempt': '10' }, undefined, true],
    ['is a retry, in the headers of the web', new Headers({ 'Retry-Attempt': '2' }), undefined, true],
    ['is a retry, and a proxy says it again', { 'retry-attempt': '2, 1' }, undefined, true],
    ['is a retry, said on two lines', { 'retry-attempt': ['2', '1'] }, undefined, true],
    ['is a retry, in headers that keep their case', { 'Retry-Attempt': '1' }, undefined, true],
    ['is a retry, by another header', { 'x-again': '1' }, 'X-Again', true],
    ['is a first attempt', {}, undefined, false],
    ['is a first attempt, in the headers of the web', new Headers(), undefined, false],
    ['is a first attempt that says so', { 'retry-attempt': '0' }, undefined, false],
    ['has a header that is not a number', { 'retry-attempt': 'often' }, undefined, false],
    ['says it in a header that is not the configured one', { 'retry-attempt': '1' }, 'x-again', false],
    ['has a header called get', { get: 'it', 'retry-attempt': '1' }, undefined, true],
  ])('%s', (_what, headers, attemptHeader, isRetry) => {
    const reason = suppressWhenRetried({ headers }, () => reasonOf(unavailable), attemptHeader);
    expect(reason).toBe(isRetry ? 'retries-suppressed' : 'transient-status');
  });
});

describe('the context is not looked at', () => {
  test('when a first attempt succeeds', () => {
    neverEnclosed();
    const uses = countedContext();
    suppressRetries(() => {
      const session = createRetrier().open(requestOf());
      session.admit();
      session.acceptAtOnce(200);
      expect(uses.getStore).toBe(0);
      expect(reasonOf(unavailable)).toBe('retries-suppressed');
      expect(uses.getStore).toBe(1);
    });
  });

  test('as long as suppressRetries was never used', async () => {
    neverUsed();
    const unused = await anotherCopy();
    unused.createRetrier().open(requestOf()).next(unavailable, { replayable: true });
    // There is no context to look at.
    expect(Reflect.get(globalThis, Symbol.for('undaunted.suppression'))).toBeUndefined();
  });
});

test('another copy of the package in the same process sees the suppression, too', async () => {
  const { createRetrier: create } = await anotherCopy();
  const next = (): string => create().open(requestOf()).next(unavailable, { replayable: true }).reason;
  expect(suppressRetries(next)).toBe('retries-suppressed');
  expect(next()).toBe('transient-status');
});

test('without AsyncLocalStorage, suppressRetries throws and says why', async () => {
  neverUsed();
  const elsewhere = await loadWithoutNode();
  expect(() => elsewhere.suppressRetries(() => undefined)).toThrow(/needs AsyncLocalStorage/);
  expect(elsewhere.suppressWhenRetried({ headers: {} }, () => 'served')).toBe('served');
});
