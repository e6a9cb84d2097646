import { describe, expect, test } from 'vitest';
import type { RequestEvent } from '../../src/core/events.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { Outcome } from '../../src/core/types.js';
import { suppressRetries } from '../../src/kernel/layers.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import type { Session, SessionTail } from '../../src/kernel/session.js';
import { createRetrier } from '../../src/parts/all.js';
import { answered, errorWith, failed, requestOf, VirtualTime } from '../kit.js';

const sent = { replayable: true };

/** A retrier that knows an answer to take 20 ms, and that has hedges saved up. */
class Stage {
  readonly time: VirtualTime = new VirtualTime();
  readonly events: RequestEvent[] = [];
  readonly retrier: Retrier;

  constructor(options: PolicyOptions = {}, isWarm = true) {
    const policy: PolicyOptions = { hedge: true, observe: (event) => this.events.push(event), ...options };
    this.retrier = createRetrier(policy, this.time.ports({ random: () => 0.5 }));
    if (isWarm) for (let request = 0; request < 200; request += 1) this.succeed(20);
    this.events.length = 0;
  }

  succeed(ms: number, method = 'GET'): void {
    const session = this.open(method);
    session.tail?.sent(session.attempt);
    this.time.now += ms;
    expect(session.acceptAtOnce(200)).toBe(true);
  }

  open(method = 'GET'): Session {
    const session = this.retrier.open(requestOf({ method }));
    expect(session.admit()).toEqual({ kind: 'go' });
    return session;
  }

  /** A request whose hedge is on the wire as well. */
  hedged(method = 'GET'): [Session, SessionTail] {
    const session = this.open(method);
    const tail = tailOf(session);
    tail.sent(session.attempt);
    this.time.now += tail.hedgeAfterMs(true) ?? Number.NaN;
    expect(tail.hedge()).toBe(session.attempt + 1);
    tail.sent(session.attempt + 1);
    return [session, tail];
  }

  get told(): string[] {
    return this.events.map((event) => {
      if (event.type === 'hedge') return `hedge ${event.attempt} after ${Math.round(event.afterMs)}`;
      if (event.type === 'decision') return `${event.decision.attempt} ${event.decision.reason}`;
      if (event.type === 'renewal') return event.type;
      return `settled ${event.outcome} after ${event.attempts}${event.hedgeWon === true ? ', hedge won' : ''}`;
    });
  }
}

function tailOf({ tail }: Session): SessionTail {
  if (tail === undefined) throw new Error('The session has no tail');
  return tail;
}

function historyOf({ history }: Session): string[] {
  return history.map(({ decision }) => `${decision.attempt} ${decision.reason}`);
}

describe('a hedge', () => {
  test('is sent after four times the median', () => {
    const stage = new Stage();
    const session = stage.open();
    tailOf(session).sent(1);
    const afterMs = tailOf(session).hedgeAfterMs(true) ?? 0;
    expect(afterMs).toBeGreaterThan(70);
    expect(afterMs).toBeLessThan(95);
  });

  test('that answers first wins', () => {
    const stage = new Stage();
    const [session, tail] = stage.hedged();
    stage.time.now += 20;
    expect(tail.ended(2, answered(200), sent)).toMatchObject({
      kind: 'decided',
      attempt: 2,
      decision: { action: 'stop', reason: 'success', attempt: 2 },
    });
    expect(historyOf(session)).toEqual(['1 cut', '2 success']);
    expect(stage.told).toEqual([
      expect.stringMatching(/^hedge 2 after/),
      '2 success',
      'settled 200 after 2, hedge won',
    ]);
  });

  test('that takes longer than the other attempt was given does not help, although it wins', () => {
    const told = (ms: number): number => {
      const stage = new Stage();
      let hedges = 0;
      for (let request = 0; request < 40; request += 1) {
        const session = stage.open();
        const tail = tailOf(session);
        tail.sent(1);
        stage.time.now += tail.hedgeAfterMs(true) ?? 1_000;
        if (tail.hedge() !== undefined) {
          hedges += 1;
          tail.sent(2);
          stage.time.now += ms;
          tail.ended(2, answered(200), sent);
          tail.leaveLoser(1);
          tail.loserGone(1, false);
        } else session.acceptAtOnce(200);
        for (let other = 0; other < 40; other += 1) stage.succeed(20);
      }
      return hedges;
    };
    expect(told(20)).toBe(40);
    expect(told(1_000)).toBeLessThan(30);
  });

  test('that is slower is cut', () => {
    const stage = new Stage();
    const [session, tail] = stage.hedged();
    expect(tail.ended(1, answered(404), sent)).toMatchObject({
      attempt: 1,
      decision: { action: 'stop', reason: 'final-status', attempt: 1 },
    });
    expect(historyOf(session)).toEqual(['2 cut', '1 final-status']);
    expect(stage.told.at(-1)).toBe('settled 404 after 2');
    expect(stage.events.at(-1)).toMatchObject({ hedgeWon: false });
  });

  test('wins over a failure that came first', () => {
    const stage = new Stage();
    const [session, tail] = stage.hedged();
    expect(tail.ended(1, answered(503), sent)).toEqual({ kind: 'pending' });
    expect(stage.events).toHaveLength(1);
    expect(tail.ended(2, answered(200), sent)).toMatchObject({ attempt: 2, decision: { reason: 'success' } });
    expect(historyOf(session)).toEqual(['1 other-pending', '2 success']);
  });

  test('spends none of maxRetries, and the retry after both is the third attempt', () => {
    const stage = new Stage({ maxRetries: 1 });
    const [session, tail] = stage.hedged();
    expect(tail.ended(2, answered(503), sent)).toEqual({ kind: 'pending' });
    const ruling = tail.ended(1, answered(502), sent);
    expect(ruling).toMatchObject({ kind: 'decided', decision: { action: 'retry', delayMs: 50 } });
    expect(session.attempt).toBe(3);
    tail.sent(3);
    expect(session.acceptAtOnce(200)).toBe(false);
    expect(session.next(answered(200), sent)).toMatchObject({ attempt: 3, reason: 'success' });
    expect(stage.events.at(-1)).toMatchObject({ attempts: 3, hedgeWon: false });
  });

  test('costs the retry budget nothing', () => {
    const stage = new Stage({ budget: { capacity: 10, perSuccess: 0 } });
    const [, tail] = stage.hedged();
    tail.ended(2, answered(200), sent);
    expect(stage.retrier.snapshot().scopes[0]?.budgets).toEqual([]);
  });

  test('that was never on the wire does not count', () => {
    const stage = new Stage();
    const session = stage.open();
    const tail = tailOf(session);
    tail.sent(1);
    stage.time.now += tail.hedgeAfterMs(true) ?? 0;
    expect(tail.hedge()).toBe(2);
    tail.withdraw();
    expect(session.acceptAtOnce(200)).toBe(true);
    expect(historyOf(session)).toEqual(['1 success']);
    expect(stage.told).toEqual(['settled 200 after 1']);
  });

  test('is the only one of its attempt', () => {
    const stage = new Stage();
    const [, tail] = stage.hedged();
    expect(tail.hedge()).toBeUndefined();
  });
});

describe('if both fail', () => {
  const hinted = (seconds: number): Outcome => answered(503, { 'retry-after': String(seconds) });

  test.each<[string, Outcome, Outcome, object]>([
    [
      'a response comes before an error',
      answered(503),
      failed(errorWith({ code: 'ECONNRESET' })),
      { finding: { status: 503 } },
    ],
    ['the longest hint counts', hinted(5), hinted(2), { delayMs: expect.closeTo(5_250, 0) }],
    [
      'a veto counts',
      answered(503, { 'x-should-retry': 'false' }),
      hinted(2),
      { action: 'stop', reason: 'server-forbids' },
    ],
    [
      'two errors are one',
      failed(errorWith({ code: 'ECONNRESET' })),
      failed(errorWith({ code: 'ECONNREFUSED' })),
      { action: 'retry' },
    ],
  ])('%s, in either order', (_, one, other, decision) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      const stage = new Stage();
      const [session, tail] = stage.hedged();
      expect(tail.ended(1, first, sent)).toEqual({ kind: 'pending' });
      expect(tail.ended(2, second, sent)).toMatchObject({ kind: 'decided', decision });
      expect(session.history.map((attempt) => attempt.decision.attempt).sort()).toEqual([1, 2]);
      expect(historyOf(session)[0]).toMatch(/other-pending$/);
    }
  });

  test("the caller's veto on one of them counts for both", () => {
    const stage = new Stage();
    const [, tail] = stage.hedged();
    tail.ended(1, failed(errorWith({ code: 'ECONNRESET' })), { replayable: true, verdict: false });
    expect(tail.ended(2, answered(503), sent)).toMatchObject({
      attempt: 2,
      decision: { action: 'stop', reason: 'caller-forbids', finding: { status: 503 } },
    });
  });

  test('the gate hears of one failure', () => {
    const stage = new Stage({ gate: { failures: 1, deadForMs: 0 } });
    const [, tail] = stage.hedged();
    expect(tail.ended(1, answered(503), sent)).toEqual({ kind: 'pending' });
    expect(stage.retrier.snapshot().scopes[0]?.gates[0]?.state ?? 'open').toBe('open');
  });
});

test('the hold hears of a hint at once', () => {
  const stage = new Stage({ hold: { refusedShare: 0 } });
  const [, tail] = stage.hedged();
  tail.ended(1, answered(429, { 'retry-after': '30' }), sent);
  expect(stage.retrier.snapshot().scopes[0]?.holds[0]?.forMs).toBe(30_000);
  const { time } = stage;
  time.now += 1;
  tail.ended(2, answered(503), sent);
  expect(stage.retrier.snapshot().scopes[0]?.holds[0]?.forMs).toBe(29_999);
});

test.each<[string, Outcome, Outcome]>([
  ['may have been carried out', failed(errorWith({ code: 'ECONNRESET' })), answered(429)],
  ['may be carried out still', answered(429), failed(errorWith({ code: 'ECONNRESET' }))],
])('a write is not retried if one of its attempts %s', (_, first, second) => {
  const stage = new Stage({ hedge: { methods: ['GET', 'POST'] } });
  const [, tail] = stage.hedged('POST');
  tail.ended(1, first, sent);
  expect(tail.ended(2, second, sent)).toMatchObject({
    decision: { action: 'stop', reason: 'unsafe-method', finding: { status: 429 } },
  });
});

test('the hold hears of the hint of an attempt that fails last', () => {
  const stage = new Stage({ hold: { refusedShare: 0 } });
  const [, tail] = stage.hedged();
  tail.ended(1, answered(503), sent);
  tail.ended(2, answered(429, { 'retry-after': '30' }), sent);
  expect(stage.retrier.snapshot().scopes[0]?.holds[0]?.forMs).toBe(30_000);
});

test('the wait that a hint asks for begins when it is received', () => {
  const stage = new Stage({ hintJitter: 0 });
  const [, tail] = stage.hedged();
  tail.ended(1, answered(503, { 'retry-after': '5' }), sent);
  stage.time.now += 2_000;
  expect(tail.ended(2, answered(503), sent)).toMatchObject({
    attempt: 1,
    decision: { delayMs: expect.closeTo(3_000) },
  });
});

test('of two hints, the one that ends later counts', () => {
  const stage = new Stage({ hintJitter: 0 });
  const [, tail] = stage.hedged();
  tail.ended(1, answered(503, { 'retry-after': '5' }), sent);
  stage.time.now += 4_000;
  expect(tail.ended(2, answered(503, { 'retry-after': '2' }), sent)).toMatchObject({
    attempt: 2,
    decision: { delayMs: 2_000 },
  });
});

test('a hint that is over when the other attempt fails leaves the wait to the schedule', () => {
  const stage = new Stage();
  const [, tail] = stage.hedged();
  tail.ended(1, answered(503, { 'retry-after': '1' }), sent);
  stage.time.now += 2_000;
  expect(tail.ended(2, failed(errorWith({ code: 'ECONNRESET' })), sent)).toMatchObject({
    attempt: 1,
    decision: { waitFrom: 'schedule', delayMs: 50 },
  });
});

test('a body that breaks off after a race is the end of the attempt that won it', () => {
  const stage = new Stage();
  const [session, tail] = stage.hedged();
  tail.ended(1, answered(200), sent);
  session.next(failed(errorWith({ code: 'ECONNRESET' })), { replayable: true, resumable: true });
  expect(historyOf(session)).toEqual(['2 cut', '1 transport-error']);
  expect(session.attempt).toBe(3);
});

describe('there is no hedge', () => {
  const delayOf = (stage: Stage, method = 'GET', isSendable = true): number | undefined => {
    const session = stage.open(method);
    tailOf(session).sent(1);
    return tailOf(session).hedgeAfterMs(isSendable);
  };

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'])('of a %s', (method) => {
    expect(delayOf(new Stage({ idempotent: true, idempotencyKey: true }), method)).toBeUndefined();
  });

  test('of another method, unless hedge.methods names it', () => {
    expect(delayOf(new Stage({ hedge: { methods: ['delete'] } }), 'delete')).toBeGreaterThan(0);
    expect(delayOf(new Stage({ hedge: { methods: ['DELETE'] } }))).toBeUndefined();
  });

  test('of a body that cannot be sent twice', () => {
    expect(delayOf(new Stage(), 'GET', false)).toBeUndefined();
  });

  test('without retries', () => {
    const stage = new Stage();
    const session = stage.retrier.open(requestOf(), { maxRetries: 0 });
    tailOf(session).sent(1);
    expect(tailOf(session).hedgeAfterMs(true)).toBeUndefined();
  });

  test('with beforeRetry', () => {
    expect(delayOf(new Stage({ rules: [{ match: '/*', beforeRetry: () => undefined }] }))).toBeUndefined();
  });

  test('before enough answers are known', () => {
    expect(delayOf(new Stage({}, false))).toBeUndefined();
  });

  test('within suppressRetries', () => {
    const stage = new Stage();
    suppressRetries(() => expect(stage.open().tail).toBeUndefined());
  });

  test('if an override turns it off', () => {
    expect(new Stage().retrier.open(requestOf(), { hedge: false }).tail).toBeUndefined();
  });

  test('once the server has said 429', () => {
    const stage = new Stage();
    const limited = stage.open();
    tailOf(limited).sent(1);
    limited.next(answered(429), sent);
    expect(delayOf(stage)).toBeUndefined();
    stage.time.now += 60_000;
    expect(delayOf(stage)).toBeGreaterThan(0);
  });

  test('once the server has said 429, even if the rule does not retry it', () => {
    const stage = new Stage({ statuses: [503] });
    const limited = stage.open();
    tailOf(limited).sent(1);
    limited.next(answered(429), sent);
    expect(delayOf(stage)).toBeUndefined();
  });

  test('once the server has said 429 to the second of two attempts', () => {
    const stage = new Stage();
    const [, tail] = stage.hedged();
    tail.ended(1, answered(503), sent);
    tail.ended(2, answered(429), sent);
    expect(delayOf(stage)).toBeUndefined();
  });

  const waiting = (stage: Stage): SessionTail => {
    const session = stage.open();
    const tail = tailOf(session);
    tail.sent(session.attempt);
    expect(tail.hedgeAfterMs(true)).toBeGreaterThan(0);
    return tail;
  };
  const fail = (stage: Stage, outcome: Outcome): void => {
    const session = stage.open();
    session.next(outcome, sent);
  };

  test('while the gate is shut', () => {
    const stage = new Stage({ gate: { failures: 1, deadForMs: 0 } });
    const tail = waiting(stage);
    fail(stage, answered(503));
    expect(stage.retrier.snapshot().scopes[0]?.gates[0]?.state).toBe('shut');
    expect(tail.hedge()).toBeUndefined();
  });

  test('while a hold is on', () => {
    const stage = new Stage({ hold: { refusedShare: 0 } });
    const tail = waiting(stage);
    fail(stage, answered(503, { 'retry-after': '30' }));
    expect(tail.hedge()).toBeUndefined();
  });

  test('while the retry budget is below half', () => {
    const stage = new Stage({ budget: { capacity: 3, perSuccess: 0, perSecond: 0, cost: 1 } });
    const tail = waiting(stage);
    fail(stage, answered(503));
    const other = waiting(stage);
    expect(tail.hedge()).toBe(2);
    fail(stage, answered(503));
    expect(other.hedge()).toBeUndefined();
  });
});

describe('the caller who aborts', () => {
  test('ends both attempts', () => {
    const stage = new Stage();
    const [session] = stage.hedged();
    session.next({ kind: 'error', error: new Error('no more'), aborted: true }, sent);
    expect(historyOf(session)).toEqual(['2 cut', '1 aborted']);
    expect(stage.told.at(-1)).toMatch(/^settled .* after 2$/);
  });

  test('after one of them has failed, ends the other', () => {
    const stage = new Stage();
    const [session, tail] = stage.hedged();
    tail.ended(1, answered(503), sent);
    session.next({ kind: 'error', error: new Error('no more'), aborted: true }, sent);
    expect(historyOf(session)).toEqual(['1 other-pending', '2 aborted']);
  });
});

describe('losers', () => {
  test('may go on until their head, but not too many of them', () => {
    const stage = new Stage({ hedge: { share: 1, capacity: 100 } });
    const tails = Array.from({ length: 11 }, () => stage.hedged()[1]);
    for (const tail of tails) tail.ended(2, answered(200), sent);
    const left = tails.map((tail) => tail.leaveLoser(1));
    expect(left.filter((ms) => ms > 0)).toHaveLength(10);
    for (const tail of tails.slice(0, 10)) tail.loserGone(1, false);
    const [, tail] = stage.hedged();
    tail.ended(2, answered(200), sent);
    expect(tail.leaveLoser(1)).toBeGreaterThan(0);
  });
});

describe('an adaptive timeout', () => {
  const learning: PolicyOptions = {
    hedge: false,
    attemptTimeoutMs: { quantile: 0.95, factor: 2, minMs: 10, maxMs: 5_000 },
  };
  const timeoutOf = (stage: Stage, method = 'GET', isSendable = true): number | undefined => {
    const session = stage.open(method);
    tailOf(session).sent(1);
    return tailOf(session).timeoutMs(isSendable);
  };
  const timeOut = (stage: Stage): void => {
    const session = stage.open();
    tailOf(session).sent(1);
    stage.time.now += tailOf(session).timeoutMs(true) ?? 5_000;
    session.next(failed(errorWith({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' })), sent);
  };

  test('is twice what nearly all answers took', () => {
    const ms = timeoutOf(new Stage(learning)) ?? 0;
    expect(ms).toBeGreaterThan(35);
    expect(ms).toBeLessThan(48);
  });

  test('doubles until an answer comes', () => {
    const stage = new Stage(learning);
    const usual = timeoutOf(stage) ?? 0;
    timeOut(stage);
    expect(timeoutOf(stage)).toBeCloseTo(2 * usual);
    timeOut(stage);
    expect(timeoutOf(stage)).toBeCloseTo(4 * usual);
    stage.succeed(20);
    expect(timeoutOf(stage)).toBeCloseTo(usual);
  });

  test('is followed by a retry at once; a doubled one and the longest one, by one that waits', () => {
    const stage = new Stage(learning);
    const waitAfter = (): unknown => {
      const session = stage.open();
      tailOf(session).sent(1);
      stage.time.now += tailOf(session).timeoutMs(true) ?? 5_000;
      return session.next(failed(errorWith({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' })), sent);
    };
    expect(waitAfter()).toMatchObject({ action: 'retry', delayMs: 0, waitFrom: 'none' });
    expect(waitAfter()).toMatchObject({ action: 'retry', delayMs: 50, waitFrom: 'schedule' });
    const unknown = new Stage(learning, false).open();
    tailOf(unknown).sent(1);
    const decision = unknown.next(failed(errorWith({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' })), sent);
    expect(decision).toMatchObject({ action: 'retry', delayMs: 50, waitFrom: 'schedule' });
  });

  test('ends one attempt while the server answers nothing, and the others go on', () => {
    const stage = new Stage(learning);
    const [one, other] = [stage.open(), stage.open()];
    for (const session of [one, other]) {
      tailOf(session).sent(1);
      stage.time.now += tailOf(session).timeoutMs(true) ?? Number.NaN;
    }
    expect(tailOf(one).mayTimeOut()).toBe(true);
    one.next(failed(errorWith({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' })), sent);
    expect(tailOf(other).mayTimeOut()).toBe(false);
    stage.succeed(20);
    expect(tailOf(other).mayTimeOut()).toBe(true);
  });

  test.each([
    [20, 30, 30],
    [2_000, 5, 10],
  ])('if retries take %i ms, ends from %i to %i of 30 slow attempts', (ms, least, most) => {
    const stage = new Stage({ ...learning, budget: { capacity: 100, perSuccess: 1 } });
    let ended = 0;
    for (let request = 0; request < 30; request += 1) {
      const session = stage.open();
      tailOf(session).sent(1);
      const limitMs = tailOf(session).timeoutMs(true);
      if (limitMs !== undefined) ended += 1;
      stage.time.now += limitMs ?? 5_000;
      session.next(failed(errorWith({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' })), sent);
      tailOf(session).sent(2);
      stage.time.now += ms;
      expect(session.next(answered(200), sent)).toMatchObject({ reason: 'success' });
      for (let other = 0; other < 60; other += 1) stage.succeed(20);
    }
    expect(ended).toBeGreaterThanOrEqual(least);
    expect(ended).toBeLessThanOrEqual(most);
  });

  test.each<[string, PolicyOptions, string, boolean]>([
    ['the request is not safe to repeat', {}, 'POST', true],
    ['its body cannot be sent again', {}, 'GET', false],
    ['there are no retries', { rules: [{ match: '/*', maxRetries: 0 }] }, 'GET', true],
  ])('does not apply if %s', (_, options, method, isSendable) => {
    expect(timeoutOf(new Stage({ ...learning, ...options }), method, isSendable)).toBeUndefined();
  });

  test('does not apply if the budget is spent', () => {
    const stage = new Stage({ ...learning, budget: { capacity: 1, perSuccess: 0, perSecond: 0 } });
    expect(timeoutOf(stage)).toBeGreaterThan(0);
    stage.open().next(answered(503), sent);
    expect(timeoutOf(stage)).toBeUndefined();
  });

  test('that is over does not end an attempt if others have spent the budget by then', () => {
    const stage = new Stage({ ...learning, budget: { capacity: 2, perSuccess: 0, perSecond: 0 } });
    const tail = tailOf(stage.open());
    tail.sent(1);
    expect(tail.timeoutMs(true)).toBeGreaterThan(0);
    expect(tail.mayTimeOut()).toBe(true);
    stage.open().next(answered(503), sent);
    expect(tail.mayTimeOut()).toBe(false);
  });

  test('does not apply to the last attempt', () => {
    const stage = new Stage({ ...learning, maxRetries: 1 });
    const session = stage.open();
    const tail = tailOf(session);
    tail.sent(1);
    expect(tail.timeoutMs(true)).toBeGreaterThan(0);
    session.next(answered(503), sent);
    tail.sent(2);
    expect(tail.timeoutMs(true)).toBeUndefined();
  });

  test('is still known after requests whose override has another one', () => {
    const stage = new Stage({ attemptTimeoutMs: { maxMs: 5_000 } });
    const known = stage.retrier.snapshot().scopes[0]?.learnt;
    expect(known).toEqual([expect.objectContaining({ attemptTimeoutMs: expect.any(Number) })]);
    const overrides = [{ attemptTimeoutMs: 300 }, { hedge: false }] as const;
    for (let request = 0; request < 200; request += 1) {
      const session = stage.retrier.open(requestOf(), overrides[Math.floor(request / 100)]);
      session.tail?.sent(1);
      stage.time.now += 20;
      session.acceptAtOnce(200);
      if (request % 100 === 50) expect(stage.retrier.snapshot().scopes[0]?.learnt).toEqual(known);
    }
  });

  test('is shown by the snapshot', () => {
    const [learnt] = new Stage({ ...learning, hedge: true }).retrier.snapshot().scopes[0]?.learnt ?? [];
    expect(learnt).toMatchObject({
      rule: 'default',
      hedgeAfterMs: expect.any(Number),
      attemptTimeoutMs: expect.any(Number),
    });
  });
});
