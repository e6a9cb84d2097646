import { describe, expect, test, vi } from 'vitest';
import { decide } from '../../src/core/decide/decide.js';
import type { DecisionEvent, RequestEvent, SettledEvent } from '../../src/core/events.js';
import type { HeldError } from '../../src/core/limits/hold/error.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { presets } from '../../src/core/policy/presets.js';
import type { ErrorOutcome, ResponseOutcome } from '../../src/core/types.js';
import { historyOf, remember } from '../../src/kernel/history.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import type { Session } from '../../src/kernel/session.js';
import { createRetrier } from '../../src/parts/all.js';
import { accepts, answered, errorWith, failed, requestOf, VirtualTime } from '../kit.js';

function retrierWith(options: PolicyOptions, random = 0.5): { retrier: Retrier; time: VirtualTime } {
  const time = new VirtualTime();
  return { retrier: createRetrier(options, time.ports({ random: () => random })), time };
}

function tokens(retrier: Retrier): number | undefined {
  return retrier.snapshot().scopes[0]?.budgets[0]?.tokens;
}

describe('a request', () => {
  test('goes through its attempts with one history', () => {
    const { retrier, time } = retrierWith({ maxRetries: 2 });
    const session = retrier.open(requestOf());
    expect(session.admit()).toEqual({ kind: 'go' });
    expect(session.history).toEqual([]);
    expect(session.next(answered(503), { replayable: true })).toMatchObject({
      action: 'retry',
      delayMs: 50,
      attempt: 1,
    });
    time.now = 70;
    expect(session.next(answered(503), { replayable: true })).toMatchObject({
      action: 'retry',
      delayMs: 100,
      attempt: 2,
    });
    expect(session.next(answered(503), { replayable: true })).toMatchObject({
      action: 'stop',
      reason: 'retries-spent',
    });
    expect(
      session.history.map(({ endedAt, decision }) => [decision.attempt, endedAt, decision.reason]),
    ).toEqual([
      [1, 0, 'transient-status'],
      [2, 70, 'transient-status'],
      [3, 70, 'retries-spent'],
    ]);
  });

  test('that succeeds at once needs no decision and no clock', () => {
    const { retrier } = retrierWith({});
    const session = retrier.open(requestOf());
    expect(session.acceptAtOnce(204)).toBe(true);
    expect(session.startedAt).toBeUndefined();
    expect(session.deadlineAt).toBe(Infinity);
    expect(session.history).toMatchObject([
      {
        endedAt: undefined,
        decision: { attempt: 1, reason: 'success', finding: { status: 204, class: 'final' } },
      },
    ]);
    expect(tokens(retrier)).toBeUndefined();
  });

  test.each<[string, PolicyOptions, number, boolean]>([
    ['399', {}, 399, true],
    ['400', {}, 400, false],
    ['503', {}, 503, false],
    ['a listed 202', { statuses: [202] }, 202, false],
    ['another 2xx', { statuses: [202] }, 200, true],
    ['retryIf wants to see every head', { retryIf: () => undefined }, 200, false],
    ['a hint set that reads 200', { hints: 'grpc-web' }, 200, false],
    ['a hint set that reads 200, at 204', { hints: 'grpc-web' }, 204, true],
    ['a hint set that reads 200 of GraphQL', { hints: ['github', 'shopify'] }, 200, true],
    ['no hints', { hints: false }, 200, true],
  ])('is accepted or not: %s', (_name, options, status, accepted) => {
    const { retrier } = retrierWith(options);
    const session = retrier.open(requestOf());
    expect(session.acceptAtOnce(status)).toBe(accepted);
    expect(session.history).toHaveLength(accepted ? 1 : 0);
  });

  test.each<[string, string, boolean]>([
    ['POST', '/graphql', false],
    ['POST', '/api/graphql?a=b', false],
    ['POST', '/graphql/x', true],
    ['GET', '/graphql', true],
  ])('is accepted or not, where a hint set reads the 200 of GraphQL: %s %s', (method, path, accepted) => {
    const { retrier } = retrierWith({ hints: 'github' });
    expect(retrier.open(requestOf({ method, path })).acceptAtOnce(200)).toBe(accepted);
  });

  test('whose body fails after its head was accepted has failed', () => {
    const { retrier } = retrierWith({});
    const session = retrier.open(requestOf());
    expect(session.acceptAtOnce(200)).toBe(true);
    expect(session.next(failed(errorWith({ code: 'UND_ERR_SOCKET' })), { replayable: true })).toMatchObject({
      action: 'retry',
      attempt: 1,
    });
    expect(session.history).toMatchObject([
      { decision: { attempt: 1, finding: { code: 'UND_ERR_SOCKET' } } },
    ]);
  });

  test('that succeeds after a retry gets a decision, like every stop', () => {
    const events: RequestEvent[] = [];
    const { retrier } = retrierWith({ observe: (event) => events.push(event) });
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    expect(accepts(session, 200)).toBe(false);
    expect(session.next(answered(200), { replayable: true })).toMatchObject({
      action: 'stop',
      reason: 'success',
      attempt: 2,
    });
    expect(session.history).toHaveLength(2);
    expect(events.map(({ type }) => type)).toEqual(['decision', 'decision', 'settled']);
  });

  test.each<[string, PolicyOptions]>([
    ['the defaults', {}],
    ['a budget that gives the last retry back', { budget: { capacity: 10, refund: true } }],
    ['a budget that gives all of them back', { budget: { capacity: 10, refund: 'all' } }],
    ['a budget with a window', { budget: { kind: 'window' } }],
    ['no budget', { budget: false }],
    ['a gate', { gate: { failures: 2, deadForMs: 0 } }],
    ['a hold', { hold: true }],
    ['concurrency', { concurrency: 1 }],
    ['hedges', { hedge: { afterMs: 40 } }],
    ['an adaptive timeout and hedges', { hedge: true, attemptTimeoutMs: { maxMs: 2_000 } }],
    ['the service preset', presets.policies.service],
  ])(
    'that succeeds after a retry leaves the same behind whether or not that is judged: %s',
    (_name, options) => {
      const [quick, judged] = [retrierWith(options), retrierWith(options)];
      for (let request = 0; request < 60; request += 1) {
        const histories = [quick, judged].map(({ retrier, time }) => {
          const session = retrier.open(requestOf());
          for (let attempt = 1; attempt <= (request % 3) + 1; attempt += 1) {
            if (attempt > 1) session.next(answered(attempt % 2 ? 503 : 429), { replayable: true });
            time.now += 1_000;
            while (session.admit().kind === 'wait') time.now += 100;
            session.tail?.sent(attempt);
            time.now += 3 * (request % 7) + attempt;
          }
          const isJudged = retrier === judged.retrier && request % 3 > 0;
          if (!isJudged) expect(accepts(session, 200)).toBe(true);
          else session.next(answered(200), { replayable: true });
          if (session.awaitsBody) session.bodyEnded();
          return session.history;
        });
        expect(histories[0]).toEqual(histories[1]);
        expect(quick.retrier.snapshot()).toEqual(judged.retrier.snapshot());
      }
    },
  );

  test('that succeeds after a retry is asked about where its answer may need a decision', () => {
    const settings: PolicyOptions[] = [{ retryIf: () => undefined }, { statuses: ['2xx'] }];
    for (const options of settings) {
      const { retrier } = retrierWith(options);
      const session = retrier.open(requestOf());
      session.next(answered(503), { replayable: true, verdict: true });
      expect(accepts(session, 200)).toBe(false);
    }
    const session = retrierWith({}).retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    expect(accepts(session, 304)).toBe(false);
  });

  test('whose body fails after a retry was accepted has failed in that attempt', () => {
    const { retrier } = retrierWith({});
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    expect(accepts(session, 200)).toBe(true);
    const broken = failed(errorWith({ code: 'UND_ERR_SOCKET' }));
    expect(session.next(broken, { replayable: true })).toMatchObject({ action: 'retry', attempt: 2 });
    expect(session.history.map(({ decision }) => decision.reason)).toEqual([
      'transient-status',
      'transport-error',
    ]);
    expect(accepts(session, 200)).toBe(true);
  });

  test('passes what the client knows to the decision', () => {
    const { retrier } = retrierWith({});
    const session = retrier.open(requestOf({ method: 'POST' }));
    const reset = errorWith({ code: 'ECONNRESET' });
    expect(session.next(failed(reset, { evidence: 'unsent' }), { replayable: false })).toMatchObject({
      reason: 'body-spent',
    });
    expect(retrier.open(requestOf()).next(answered(200), { replayable: true, verdict: true })).toMatchObject({
      reason: 'caller-asks',
    });
    const keyed = retrier.open(requestOf({ method: 'POST', keyed: true }));
    expect(keyed.next(failed(reset), { replayable: true }).action).toBe('retry');
  });

  test('takes its end back when the body of an accepted response fails', () => {
    const { retrier } = retrierWith({ maxRetries: 2 });
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    session.next(answered(200), { replayable: true });
    const reset = errorWith({ code: 'ECONNRESET' });
    expect(session.next(failed(reset), { replayable: true, resumable: true })).toMatchObject({
      action: 'retry',
      attempt: 2,
    });
    expect(session.next(failed(reset), { replayable: true, resumable: false })).toMatchObject({
      reason: 'not-resumable',
      attempt: 3,
    });
    expect(session.history.map(({ decision }) => decision.reason)).toEqual([
      'transient-status',
      'transport-error',
      'not-resumable',
    ]);
  });

  test('has a deadline that counts from its beginning', () => {
    const { retrier, time } = retrierWith({
      deadlineMs: 1_000,
      schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' },
    });
    time.now = 5_000;
    const session = retrier.open(requestOf());
    expect(session.deadlineAt).toBe(6_000);
    time.now = 5_899;
    expect(session.next(answered(503), { replayable: true }).action).toBe('retry');
    time.now = 5_900;
    expect(session.next(answered(503), { replayable: true })).toMatchObject({ reason: 'wait-past-deadline' });
  });
});

describe('the budget', () => {
  test('pays for retries and is refilled by requests that succeed', () => {
    const { retrier } = retrierWith({
      budget: { capacity: 10, perSuccess: 0.5, perSecond: 0, cost: 2, refund: false },
    });
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    expect(tokens(retrier)).toBe(8);
    session.next(answered(200), { replayable: true });
    expect(tokens(retrier)).toBe(8.5);
    retrier.open(requestOf()).acceptAtOnce(200);
    expect(tokens(retrier)).toBe(9);
    retrier.open(requestOf()).next(answered(404), { replayable: true });
    expect(tokens(retrier)).toBe(9.5);
    retrier.open(requestOf()).next(answered(501), { replayable: true });
    retrier.open(requestOf()).next(failed(errorWith({ code: 'EPROTO' })), { replayable: true });
    retrier.open(requestOf({ method: 'POST' })).next(answered(429), { replayable: false });
    expect(tokens(retrier)).toBe(9.5);
  });

  test('gets back what all retries of a request cost that succeeds in the end', () => {
    const { retrier } = retrierWith({
      budget: { capacity: 20, perSuccess: 1, perSecond: 0, cost: { transient: 7, throttled: 3 } },
    });
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    session.next(answered(429), { replayable: true });
    expect(tokens(retrier)).toBe(10);
    session.next(answered(200), { replayable: true });
    expect(tokens(retrier)).toBe(20);
  });

  test('gets nothing back for the rest of a body that broke off after a good head, nor twice', () => {
    const { retrier } = retrierWith({
      maxRetries: 10,
      budget: { capacity: 20, perSuccess: 1, perSecond: 0, cost: 4 },
    });
    const broken = failed(errorWith({ code: 'ECONNRESET' }));
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    session.next(answered(200), { replayable: true });
    expect(tokens(retrier)).toBe(20);
    const levels = [1, 2, 3].map(() => {
      session.next(broken, { replayable: true, resumable: true });
      session.next(answered(206), { replayable: true });
      return tokens(retrier);
    });
    expect(levels).toEqual([17, 14, 11]);
    const other = retrier.open(requestOf());
    other.acceptAtOnce(200);
    other.next(broken, { replayable: true, resumable: true });
    other.next(answered(206), { replayable: true });
    expect(tokens(retrier)).toBe(9);
  });

  test('gives the cost of the last retry back, if it says so', () => {
    const { retrier } = retrierWith({
      budget: {
        capacity: 20,
        perSuccess: 1,
        perSecond: 0,
        cost: { transient: 7, throttled: 3 },
        refund: true,
      },
    });
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    session.next(answered(429), { replayable: true });
    expect(tokens(retrier)).toBe(10);
    session.next(answered(200), { replayable: true });
    expect(tokens(retrier)).toBe(13);
    retrier.open(requestOf()).acceptAtOnce(200);
    expect(tokens(retrier)).toBe(14);
  });

  test('charges failures instead, if it says so, also of requests that are not retried', () => {
    const { retrier } = retrierWith({
      budget: { capacity: 4, perSuccess: 1, perSecond: 0, charge: 'failure', floor: 2 },
    });
    retrier.open(requestOf({ method: 'POST' })).next(answered(503), { replayable: true });
    expect(tokens(retrier)).toBe(3);
    expect(retrier.open(requestOf()).next(answered(503), { replayable: true })).toMatchObject({
      reason: 'budget-spent',
    });
    expect(tokens(retrier)).toBe(2);
    retrier.open(requestOf()).next(answered(404), { replayable: true });
    expect(tokens(retrier)).toBe(3);
    expect(retrier.open(requestOf()).next(answered(200), { replayable: true, verdict: true })).toMatchObject({
      reason: 'budget-spent',
    });
    expect(tokens(retrier)).toBe(2);
  });

  test('a window counts every success, with a clock', () => {
    const { retrier, time } = retrierWith({
      budget: { kind: 'window', reserve: 0, perSuccess: 0.5, cost: 1 },
    });
    retrier.open(requestOf()).acceptAtOnce(200);
    expect(retrier.open(requestOf()).next(answered(503), { replayable: true })).toMatchObject({
      reason: 'budget-spent',
    });
    retrier.open(requestOf()).acceptAtOnce(200);
    expect(retrier.open(requestOf()).next(answered(503), { replayable: true }).action).toBe('retry');
    time.now = 30_000;
    expect(tokens(retrier)).toBe(0);
  });

  test('none: nothing is kept', () => {
    const { retrier } = retrierWith({ budget: false });
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    session.next(answered(200), { replayable: true });
    expect(tokens(retrier)).toBeUndefined();
  });
});

describe('the gate', () => {
  const gate = { failures: 2, deadForMs: 0, probeMs: 1_000, rampMs: 2_000 };

  function fail(retrier: Retrier): void {
    const session = retrier.open(requestOf());
    session.admit();
    session.next(answered(503), { replayable: true });
  }

  test('shuts, refuses, probes, ramps and opens', () => {
    const { retrier, time } = retrierWith({ gate, maxRetries: 0 });
    fail(retrier);
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'go' });
    fail(retrier);
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'refuse', reason: 'gate-shut' });
    time.now = 250;
    const probe = retrier.open(requestOf());
    expect(probe.admit()).toEqual({ kind: 'go' });
    const other = retrier.open(requestOf());
    expect(other.admit()).toEqual({ kind: 'wait', delayMs: 10, why: 'gate' });
    other.abandon();
    expect(probe.acceptAtOnce(200)).toBe(true);
    probe.abandon();
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'ramping' }]);
    time.now = 2_250;
    const last = retrier.open(requestOf());
    last.admit();
    last.next(answered(404), { replayable: true });
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'open' }]);
  });

  test('a probe that is abandoned makes way; abandoning twice, or after the outcome, takes nothing', () => {
    const { retrier, time } = retrierWith({ gate, maxRetries: 0 });
    fail(retrier);
    fail(retrier);
    time.now = 250;
    const probe = retrier.open(requestOf());
    probe.admit();
    probe.abandon();
    const second = retrier.open(requestOf());
    expect(second.admit()).toEqual({ kind: 'go' });
    probe.abandon();
    expect(retrier.open(requestOf()).admit()).toMatchObject({ kind: 'wait' });
  });

  test('polls that fail all the time keep no others out of the ramp, which they have shut and fill', () => {
    const { retrier, time } = retrierWith({ gate, maxRetries: 0 });
    const open = (path: string): Session => retrier.open(requestOf({ path }));
    for (const poll of [open('/events'), open('/events')]) {
      poll.admit();
      poll.next(answered(503), { replayable: true });
    }
    time.now = 10;
    const [first, ...others] = Array.from({ length: 20 }, () => open('/state'));
    expect(first?.admit()).toEqual({ kind: 'go' });
    for (const other of others) expect(other.admit()).toMatchObject({ kind: 'wait' });
    time.now = 20;
    first?.acceptAtOnce(200);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'ramping' }]);
    const polls = Array.from({ length: 30 }, () => open('/events').admit().kind);
    expect(polls.filter((kind) => kind === 'go')).toHaveLength(4);
    for (const other of others) expect(other.admit()).toEqual({ kind: 'go' });
  });

  test('a request that is refused after a wait gives nothing back: neither the probe nor a place in the ramp', () => {
    const { retrier, time } = retrierWith({ gate, maxRetries: 0 });
    const refuse = (): void => {
      const refused = retrier.open(requestOf());
      expect(refused.admit()).toMatchObject({ kind: 'wait' });
      refused.abandon();
    };
    fail(retrier);
    fail(retrier);
    time.now = 250;
    const probe = retrier.open(requestOf());
    probe.admit();
    refuse();
    refuse();
    probe.acceptAtOnce(200);
    for (let inFlight = 0; inFlight < 4; inFlight += 1) retrier.open(requestOf()).admit();
    refuse();
    refuse();
  });

  test('a retry that the gate would refuse is not waited for', () => {
    const { retrier } = retrierWith({ gate, maxRetries: 5 });
    const session = retrier.open(requestOf());
    session.admit();
    expect(session.next(answered(503), { replayable: true }).action).toBe('retry');
    fail(retrier);
    session.admit();
    expect(session.next(answered(503), { replayable: true })).toMatchObject({
      action: 'stop',
      reason: 'gate-shut',
    });
    const waits = retrierWith({ gate: { ...gate, whenShut: 'wait' }, deadlineMs: 60_000, maxRetries: 5 });
    fail(waits.retrier);
    const patient = waits.retrier.open(requestOf());
    patient.admit();
    expect(patient.next(answered(503), { replayable: true }).action).toBe('retry');
  });

  test('requests count once, and once more if they still fail after deadForMs', () => {
    const { retrier, time } = retrierWith({ gate: { ...gate, failures: 4, deadForMs: 100 }, maxRetries: 9 });
    for (let lives = 0; lives < 4; lives += 1) retrier.open(requestOf()).acceptAtOnce(200);
    const state = (): unknown => retrier.snapshot().scopes[0]?.gates[0]?.state;
    const sessions = [retrier.open(requestOf()), retrier.open(requestOf())];
    const failAll = (): void => {
      for (const session of sessions) {
        session.admit();
        session.next(answered(503), { replayable: true });
      }
    };
    failAll();
    for (time.now = 20; time.now < 100; time.now += 20) failAll();
    expect(state()).toBe('open');
    failAll();
    expect(state()).toBe('shut');
  });

  test('a body that breaks off after its head was delivered leaves nothing behind', () => {
    const { retrier } = retrierWith({ gate, maxRetries: 0 });
    const session = retrier.open(requestOf());
    session.admit();
    session.acceptAtOnce(200);
    session.next(failed(errorWith({ code: 'UND_ERR_SOCKET' })), { replayable: true });
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'go' });
  });

  test('a gate that is not enforced counts and reports its refusals, and every request is sent', () => {
    const events: SettledEvent[] = [];
    const observe = (event: RequestEvent): void => {
      if (event.type === 'settled') events.push(event);
    };
    const { retrier } = retrierWith({ gate: { ...gate, enforce: false }, maxRetries: 0, observe });
    fail(retrier);
    fail(retrier);
    const session = retrier.open(requestOf());
    expect(session.admit()).toEqual({ kind: 'go' });
    session.acceptAtOnce(200);
    expect(events.map(({ refused }) => refused)).toEqual([
      undefined,
      undefined,
      { reason: 'gate-shut', enforced: false },
    ]);
    expect(retrier.snapshot().scopes[0]).toMatchObject({
      gates: [{ state: 'ramping' }],
      refused: { 'gate-shut': 1, 'gate-full': 0, held: 0, crowded: 0 },
    });
  });

  test('a reset lets the waiting requests through', () => {
    const { retrier } = retrierWith({
      gate: { ...gate, whenShut: 'wait' },
      deadlineMs: 60_000,
      maxRetries: 0,
    });
    fail(retrier);
    fail(retrier);
    const patient = retrier.open(requestOf());
    expect(patient.admit().kind).toBe('wait');
    retrier.reset('https://other.example');
    expect(patient.admit().kind).toBe('wait');
    retrier.reset('https://api.example.com');
    expect(patient.admit()).toEqual({ kind: 'go' });
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'go' });
  });

  test('counts requests for as long as they wait', () => {
    const { retrier, time } = retrierWith({
      gate: { ...gate, whenShut: 'wait', maxWaiting: 1 },
      deadlineMs: 60_000,
      maxRetries: 0,
    });
    const waiting = (): number | undefined => retrier.snapshot().scopes[0]?.waiting;
    fail(retrier);
    fail(retrier);
    const first = retrier.open(requestOf());
    expect(first.admit()).toMatchObject({ kind: 'wait', why: 'gate' });
    expect(first.admit()).toMatchObject({ kind: 'wait', why: 'gate' });
    expect(waiting()).toBe(1);
    const second = retrier.open(requestOf());
    expect(second.admit()).toEqual({ kind: 'refuse', reason: 'gate-full' });
    second.abandon();
    expect(waiting()).toBe(1);
    time.now = 250;
    expect(first.admit()).toEqual({ kind: 'go' });
    expect(waiting()).toBe(0);
    const third = retrier.open(requestOf());
    third.admit();
    third.abandon();
    third.abandon();
    expect(waiting()).toBe(0);
  });
});

describe('the hold', () => {
  const hold = { refusedShare: 0 };
  const tooMuch = answered(429, { 'retry-after': '5' });

  test("one request's hint keeps the others out of its window", () => {
    const { retrier, time } = retrierWith({ hold, hintJitter: 0 });
    const refused = retrier.open(requestOf());
    refused.admit();
    expect(refused.next(tooMuch, { replayable: true })).toMatchObject({ delayMs: 5_000 });
    time.now = 1_000;
    const other = retrier.open(requestOf());
    expect(other.admit()).toEqual({ kind: 'wait', delayMs: 4_000, why: 'hold' });
    expect(retrier.snapshot().scopes[0]?.waiting).toBe(0);
    time.now = 5_000;
    expect(other.admit()).toEqual({ kind: 'go' });
    const behind = refused.admit();
    expect(behind).toMatchObject({ kind: 'wait', why: 'hold' });
    expect(behind.kind === 'wait' && behind.delayMs).toBeCloseTo(100, -1);
    expect(retrier.open(requestOf({ origin: 'https://other.example' })).admit()).toEqual({ kind: 'go' });
  });

  test.each<[string, (session: Session) => void]>([
    ['gives up', (session) => session.abandon()],
    ['is aborted', (session) => session.abandon(new Error('aborted'))],
  ])('a request that %s gives its place back', (_, leave) => {
    const { retrier } = retrierWith({ hold, hintJitter: 0 });
    retrier.open(requestOf()).next(tooMuch, { replayable: true });
    const others = Array.from({ length: 500 }, () => retrier.open(requestOf()));
    for (const other of others) expect(other.admit().kind).toBe('wait');
    for (const other of others) leave(other);
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'wait', delayMs: 5_000, why: 'hold' });
  });

  test('a retry that would have to queue for too long is not made: the caller gets the answer', () => {
    const { retrier } = retrierWith({ hold: { ...hold, maxQueueMs: 1_000 }, hintJitter: 0 });
    retrier.open(requestOf()).next(tooMuch, { replayable: true });
    const other = retrier.open(requestOf()).next(answered(503), { replayable: true });
    expect(other).toMatchObject({ action: 'stop', reason: 'held', delayMs: 5_000 });
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'refuse', reason: 'held' });
  });

  test('the error of a refused request names the answer that asked for it', () => {
    const { retrier, time } = retrierWith({ hold: { ...hold, maxQueueMs: 1_000 }, hintJitter: 0 });
    retrier.open(requestOf()).next(tooMuch, { replayable: true });
    time.now = 350;
    const session = retrier.open(requestOf());
    expect(session.admit().kind).toBe('refuse');
    const error = session.limits.refusal('held') as HeldError;
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_HELD', scope: 'https://api.example.com' });
    expect(error.asked).toEqual({ status: 429, delayMs: 5_000, agoMs: 350 });
    expect(error.cause).toMatchObject({ status: 429, hint: { delayMs: 5_000, reason: 'delay-seconds' } });
    expect(error.message).toBe(
      'Not sent: https://api.example.com asked for a wait of 5 s (429) 350 ms ago, and the queue of waiting requests is too long',
    );
    const own = { cause: { status: 503 } };
    expect(session.limits.refusal('held', own).cause).toBe(own.cause);
    const elsewhere = retrier.open(requestOf({ origin: 'https://b.example' }));
    const nobody = elsewhere.limits.refusal('held') as HeldError;
    expect(nobody.asked).toBeUndefined();
    expect(nobody.message).toContain('is rate limited');
  });

  test('of a gate names the last failure since a sign of life, and no older one', () => {
    const { retrier } = retrierWith({ gate: { failures: 5, deadForMs: 0 }, maxRetries: 0 });
    const end = (outcome: ResponseOutcome | ErrorOutcome): unknown => {
      const session = retrier.open(requestOf());
      session.admit();
      session.next(outcome, { replayable: true });
      return retrier.open(requestOf()).limits.refusal('gate-shut').cause;
    };
    expect(end(answered(429))).toBeUndefined();
    expect(end(answered(503))).toMatchObject({ kind: 'response', status: 503 });
    expect(end(failed({ code: 'ECONNRESET' }))).toMatchObject({ kind: 'error', code: 'ECONNRESET' });
    expect(end(answered(429))).toMatchObject({ code: 'ECONNRESET' });
    expect(end(answered(404))).toBeUndefined();
    end(answered(502));
    retrier.reset();
    const { limits } = retrier.open(requestOf());
    expect(limits.refusal('gate-shut').cause).toBeUndefined();
    const own = { cause: { status: 503 } };
    expect(limits.refusal('gate-shut', own)).toMatchObject({ name: 'GateShutError', cause: own.cause });
  });

  /** So many answers in each of two seconds, and a request after that. */
  function afterTwoSeconds(
    options: PolicyOptions,
    outcomes: readonly (ResponseOutcome | ErrorOutcome)[],
  ): { retrier: Retrier; time: VirtualTime; last: Session } {
    const watched = retrierWith({ hold: true, maxRetries: 0, ...options });
    const { retrier, time } = watched;
    const answer = (outcome: ResponseOutcome | ErrorOutcome): void => {
      const session = retrier.open(requestOf());
      session.admit();
      if (outcome.kind === 'error' || !session.acceptAtOnce(outcome.status)) {
        session.next(outcome, { replayable: true });
      }
    };
    for (let second = 0; second < 2; second += 1) {
      for (const [index, outcome] of outcomes.entries()) {
        time.now = second * 1_000 + (index * 1_000) / outcomes.length;
        answer(outcome);
      }
    }
    time.now = 2_000;
    for (const outcome of outcomes.slice(0, 1)) answer(outcome);
    return { ...watched, last: retrier.open(requestOf()) };
  }

  const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
  const fine = answered(200);

  test('other requests are held for a moment when most requests are refused', () => {
    const few = afterTwoSeconds({}, [...times(31, fine), ...times(29, tooMuch)]);
    expect(few.last.admit()).toEqual({ kind: 'go' });
    const many = afterTwoSeconds({}, [...times(30, fine), ...times(30, tooMuch)]);
    expect(many.last.admit()).toMatchObject({ kind: 'wait', why: 'hold' });
  });

  test('a trial refuses no request, and lets all go at its end if it does not help', () => {
    const { retrier, time } = afterTwoSeconds({ deadlineMs: 10_000 }, [
      ...times(20, fine),
      ...times(40, tooMuch),
    ]);
    const waiting = times(60, 0).map(() => retrier.open(requestOf()));
    const kinds = waiting.map((session) => session.admit().kind);
    expect(kinds).not.toContain('refuse');
    expect(kinds).not.toContain('go');
    const inHaste = retrier.open(requestOf(), { deadlineMs: 100 });
    expect(inHaste.admit()).toEqual({ kind: 'go' });
    time.now += 1_500;
    // They follow each other, while new requests are free to go.
    const waits = waiting
      .map((session) => session.admit())
      .map((one) => ('delayMs' in one ? one.delayMs : 0));
    expect(waits[0]).toBe(0);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(waits.at(-1)).toBeGreaterThan(900);
    expect(waits.at(-1)).toBeLessThan(1_000);
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'go' });
    time.now += 1_000;
    for (const session of waiting) expect(session.admit()).toEqual({ kind: 'go' });
  });

  test('answers that are not refusals count, errors do not', () => {
    const finals = [...times(16, answered(404)), ...times(15, answered(500))];
    const { last } = afterTwoSeconds({}, [...finals, ...times(30, tooMuch)]);
    expect(last.admit()).toEqual({ kind: 'go' });
    const errors = times(31, failed(errorWith({ code: 'ECONNRESET' })));
    const many = afterTwoSeconds({}, [...times(15, fine), ...times(15, tooMuch), ...errors]);
    expect(many.last.admit().kind).toBe('wait');
  });

  test('without a deadline, no request queues for more than half a minute, and no more than a thousand do', () => {
    const { retrier, time } = retrierWith({ hold: { refusedShare: 0, spacingMs: 1 }, hintJitter: 0 });
    retrier.open(requestOf()).next(answered(429, { 'retry-after': '50' }), { replayable: true });
    const waiting = times(1_000, 0).map(() => retrier.open(requestOf()));
    for (const session of waiting) expect(session.admit().kind).toBe('wait');
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'refuse', reason: 'held' });
    waiting[0]?.abandon();
    expect(retrier.open(requestOf()).admit().kind).toBe('wait');
    const slow = retrierWith({ hold: { refusedShare: 0, spacingMs: 10_000 }, hintJitter: 0 });
    slow.retrier.open(requestOf()).next(tooMuch, { replayable: true });
    slow.time.now = 1_000;
    const kinds = times(60, 0).map(() => slow.retrier.open(requestOf()).admit().kind);
    expect(kinds).toContain('refuse');
    time.now = 50_000;
    expect(waiting[1]?.admit()).toEqual({ kind: 'go' });
  });

  test('counts successes to know the rate, and ignores a window that is longer than maxHintMs', () => {
    const { retrier, time } = retrierWith({ hold, hintJitter: 0, maxHintMs: 10_000 });
    for (let n = 0; n < 20; n += 1) {
      time.now = n * 50;
      const session = retrier.open(requestOf());
      session.admit();
      session.acceptAtOnce(200);
    }
    time.now = 1_000;
    retrier.open(requestOf()).next(answered(429, { 'retry-after': '10.001' }), { replayable: true });
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'go' });
    retrier
      .open(requestOf({ method: 'POST' }))
      .next(answered(429, { 'retry-after': '10' }), { replayable: false });
    expect(retrier.open(requestOf()).admit()).toMatchObject({ delayMs: 10_000 });
    const second = retrier.open(requestOf()).admit();
    expect(second.kind === 'wait' && second.delayMs).toBeCloseTo(10_000 + 1_000 / 20 / 0.8, 0);
  });

  test('the hint of a redirect or of a success starts no hold', () => {
    const { retrier } = retrierWith({ hold });
    retrier.open(requestOf()).next(answered(307, { 'retry-after': '5' }), { replayable: true });
    retrier.open(requestOf()).next(answered(404, { 'retry-after': '5' }), { replayable: true });
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'go' });
  });

  test('an outcome that retryIf calls a failure counts as one, whatever its status', () => {
    const { retrier } = retrierWith({ hold });
    retrier
      .open(requestOf())
      .next(answered(421, { 'retry-after': '5' }), { replayable: true, verdict: true });
    expect(retrier.open(requestOf()).admit()).toMatchObject({ kind: 'wait', delayMs: 5_000 });
  });

  test('a reset ends the hold, and places from before are not given back twice', () => {
    const { retrier } = retrierWith({ hold, maxRetries: 0 });
    retrier.open(requestOf()).next(tooMuch, { replayable: true });
    const patient = retrier.open(requestOf());
    expect(patient.admit().kind).toBe('wait');
    retrier.reset();
    expect(patient.admit()).toEqual({ kind: 'go' });
  });

  test('a 403 that means "rate limited" counts as one refusal, and not as a success', () => {
    const budget = { capacity: 10, perSuccess: 1, perSecond: 0 };
    const limited = answered(403, { 'retry-after': '20' });
    const outcomes = [...times(12, fine), ...times(18, limited)];
    const { retrier, last } = afterTwoSeconds({ hints: 'github', budget, maxRetries: 1 }, outcomes);
    expect(tokens(retrier)).toBe(1);
    expect(last.admit().kind).toBe('wait');
  });

  test('a hold that is not enforced counts a request when it is sent, not each time that it asks the gate', () => {
    const { retrier, time } = retrierWith({
      hold: { ...hold, maxQueueMs: 1, enforce: false },
      gate: { failures: 1, deadForMs: 0, whenShut: 'wait' },
      deadlineMs: 20_000,
      maxRetries: 0,
    });
    const limited = retrier.open(requestOf());
    limited.admit();
    limited.next(answered(503, { 'retry-after': '10' }), { replayable: true });
    const session = retrier.open(requestOf());
    for (let looks = 0; looks < 3; looks += 1) expect(session.admit()).toMatchObject({ why: 'gate' });
    expect(retrier.snapshot().scopes[0]?.refused.held).toBe(0);
    time.now = 2_000;
    expect(session.admit()).toEqual({ kind: 'go' });
    expect(retrier.snapshot().scopes[0]?.refused.held).toBe(1);
  });

  test('a hold that is not enforced counts what it would refuse', () => {
    const { retrier } = retrierWith({ hold: { ...hold, maxQueueMs: 1_000, enforce: false }, maxRetries: 1 });
    expect(retrier.open(requestOf()).next(tooMuch, { replayable: true }).action).toBe('retry');
    expect(retrier.open(requestOf()).next(answered(503), { replayable: true }).action).toBe('retry');
    expect(retrier.open(requestOf()).admit()).toEqual({ kind: 'go' });
    expect(retrier.snapshot().scopes[0]?.refused.held).toBe(1);
  });
});

describe('events', () => {
  type Event = RequestEvent;

  function listen(options: PolicyOptions = {}): { retrier: Retrier; time: VirtualTime; events: Event[] } {
    const events: Event[] = [];
    return { ...retrierWith({ ...options, observe: (event) => events.push(event) }), events };
  }

  test('one for each decision, stops included, and one when it is settled', () => {
    const { retrier, time, events } = listen({ maxRetries: 1 });
    const session = retrier.open(requestOf({ path: '/things/1?token=secret#x' }));
    session.next(answered(503), { replayable: true });
    time.now = 80;
    session.next(answered(503), { replayable: true });
    expect(events).toMatchObject([
      { type: 'decision', rule: 'default', scope: 'https://api.example.com', decision: { action: 'retry' } },
      { type: 'decision', decision: { action: 'stop', reason: 'retries-spent' } },
      {
        type: 'settled',
        request: { method: 'GET', url: 'https://api.example.com/things/1' },
        rule: 'default',
        scope: 'https://api.example.com',
        attempts: 2,
        outcome: 503,
        elapsedMs: 80,
      },
    ]);
  });

  test('a success at once makes no decision, only the settled one', () => {
    const { retrier, time, events } = listen();
    const session = retrier.open(requestOf());
    time.now = 12;
    session.acceptAtOnce(200);
    expect(events).toEqual([
      {
        type: 'settled',
        request: { method: 'GET', url: 'https://api.example.com/things/1' },
        rule: 'default',
        scope: 'https://api.example.com',
        attempts: 1,
        outcome: 200,
        elapsedMs: 12,
      },
    ]);
  });

  test('an error is shown by its code, or by its name', () => {
    const { retrier, events } = listen({ maxRetries: 0 });
    retrier.open(requestOf()).next(failed(errorWith({ code: 'ECONNRESET' })), { replayable: true });
    retrier.open(requestOf()).next(failed(new RangeError('no')), { replayable: true });
    const outcomes = events
      .filter(({ type }) => type === 'settled')
      .map((event) => 'outcome' in event && event.outcome);
    expect(outcomes).toEqual(['ECONNRESET', 'RangeError']);
  });

  test('a decision made again from its own event is the same', () => {
    const { retrier, events } = listen({ maxRetries: 2, deadlineMs: 5_000 });
    const session = retrier.open(requestOf());
    session.next(answered(503, { 'retry-after': '1' }), { replayable: true });
    session.next(failed(errorWith({ code: 'ECONNRESET' })), { replayable: true });
    session.next(answered(429), { replayable: true });
    const decisions = events.filter((event): event is DecisionEvent => event.type === 'decision');
    expect(decisions).toHaveLength(3);
    for (const { history, world, decision } of decisions) {
      const last = history.at(-1);
      expect(last?.decision).toBe(decision);
      expect(decide(session.settings, history.slice(0, -1), last?.decision.finding as never, world)).toEqual(
        decision,
      );
    }
  });

  test('a history that a listener keeps does not change', () => {
    const { retrier, events } = listen({ maxRetries: 3 });
    const session = retrier.open(requestOf());
    session.next(answered(503), { replayable: true });
    session.next(answered(503), { replayable: true });
    expect(events.map((event) => event.type === 'decision' && event.history.length)).toEqual([1, 2]);
  });

  test('secrets never appear', () => {
    const { retrier, events } = listen({ maxRetries: 2 });
    const session = retrier.open({
      method: 'post',
      origin: 'https://user:SECRET@api.example.com',
      path: '/a/b?token=SECRET',
      keyed: true,
    });
    const headers = { 'retry-after': '1', 'set-cookie': 'SECRET', authorization: 'SECRET' };
    session.next({ kind: 'response', status: 503, headers, content: 'SECRET' }, { replayable: true });
    session.next(failed(errorWith({ code: 'ECONNRESET', config: 'SECRET' }, 'SECRET')), { replayable: true });
    const absolute = retrier.open(requestOf({ path: 'http://u:SECRET@proxy.example/x?SECRET' }));
    absolute.next(answered(503), { replayable: true });
    expect(JSON.stringify(events)).not.toContain('SECRET');
    expect(JSON.stringify(retrier.snapshot())).not.toContain('SECRET');
    expect(events[0]?.request).toEqual({ method: 'POST', url: 'https://api.example.com/a/b' });
    expect(events.at(-1)?.request.url).toBe('http://proxy.example/x');
  });

  test.each([
    ['https://a@b@host/x', 'https://host/x'],
    ['https://host/x@y', 'https://host/x@y'],
    ['https://host?x@y', 'https://host'],
    ['HTTPS://U:P@HOST', 'HTTPS://HOST'],
    ['/only/a/path#frag', '/only/a/path'],
  ])('%s is shown as %s', (path, url) => {
    const { retrier, events } = listen();
    retrier.open(requestOf({ origin: undefined, path })).acceptAtOnce(200);
    expect(events[0]?.request.url).toBe(url);
  });

  test('a listener that throws is reported and breaks nothing', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const fault = new Error('listener');
    const { retrier } = retrierWith({
      observe: () => {
        throw fault;
      },
    });
    const session = retrier.open(requestOf());
    expect(session.next(answered(503), { replayable: true }).action).toBe('retry');
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ cause: fault }));
    warn.mockRestore();
  });

  test('go to the diagnostics channel, which is asked on every request', async () => {
    const { channel } = await import('node:diagnostics_channel');
    const heard: unknown[] = [];
    const listener = (message: unknown): void => {
      heard.push(message);
    };
    const { retrier } = retrierWith({});
    retrier.open(requestOf()).next(answered(404), { replayable: true });
    channel('undaunted:decision').subscribe(listener);
    retrier.open(requestOf()).next(answered(404), { replayable: true });
    retrier.open(requestOf()).acceptAtOnce(200);
    channel('undaunted:decision').unsubscribe(listener);
    retrier.open(requestOf()).next(answered(404), { replayable: true });
    expect(heard).toMatchObject([{ type: 'decision' }, { type: 'settled' }, { type: 'settled' }]);
  });
});

describe('historyOf', () => {
  const history = [] as const;

  test('finds the history of what the caller got', () => {
    const error = new Error();
    const owner = { history };
    remember(error, owner);
    expect(historyOf(error)).toBe(history);
    remember(error, owner);
    expect(historyOf(error)).toBe(history);
  });

  test('an object that several requests share belongs to none', () => {
    const shared = {};
    remember(shared, { history });
    remember(shared, { history });
    expect(historyOf(shared)).toBeUndefined();
    remember(shared, { history });
    expect(historyOf(shared)).toBeUndefined();
  });

  test.each([undefined, null, 'text', 7, {}])('is undefined for %s', (target) => {
    remember(typeof target === 'object' && target !== null ? {} : target, { history });
    expect(historyOf(target)).toBeUndefined();
  });

  test('is the history of the session, as it stands', () => {
    const { retrier } = retrierWith({});
    const session = retrier.open(requestOf());
    const response = {};
    remember(response, session);
    session.next(answered(503), { replayable: true });
    session.next(answered(200), { replayable: true });
    expect(
      historyOf(response)?.map(({ decision: { finding } }) => finding.kind === 'response' && finding.status),
    ).toEqual([503, 200]);
  });
});
