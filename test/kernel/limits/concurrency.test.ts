/**
 * How many attempts of a scope are in flight, and who comes next: real sessions, under a clock of their own. What an
 * adapter does with them is played here by hand, and at random.
 */

import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { RequestFacts } from '../../../src/core/types.js';
import type { Retrier } from '../../../src/kernel/retrier.js';
import type { Session } from '../../../src/kernel/session.js';
import { createRetrier } from '../../../src/parts/all.js';
import { answered, failed, requestOf } from '../../kit.js';

const reset = failed({ code: 'ECONNRESET' });
const aborted = { kind: 'error', error: new Error('aborted'), aborted: true } as const;
const replayable = { replayable: true };

class Stage {
  now = 1_000;
  readonly retrier: Retrier;
  /** The requests that were told that it is their turn, in order. */
  readonly called: Session[] = [];

  constructor(policy: PolicyOptions) {
    const ports = { now: () => this.now, date: () => 0, random: () => 0.5 };
    this.retrier = createRetrier({ budget: false, ...policy }, ports);
  }

  open(request: Partial<RequestFacts> = {}): Session {
    return this.retrier.open(requestOf(request));
  }

  /** Asks as an adapter does. True: the attempt is out. */
  asks(session: Session): boolean {
    const admission = session.admit();
    if (admission.kind === 'wait' && admission.isCalled) session.onTurn(() => this.called.push(session));
    if (admission.kind === 'refuse') session.abandon();
    return admission.kind === 'go';
  }

  sent(request: Partial<RequestFacts> = {}): Session {
    const session = this.open(request);
    expect(this.asks(session)).toBe(true);
    return session;
  }

  waits(request: Partial<RequestFacts> = {}): Session {
    const session = this.open(request);
    expect(this.asks(session)).toBe(false);
    return session;
  }

  get counts(): readonly [inFlight: number, waiting: number] | undefined {
    const [one] = this.retrier.snapshot().scopes[0]?.concurrencies ?? [];
    return one && [one.inFlight, one.waiting];
  }
}

function succeeds(session: Session): void {
  expect(session.acceptAtOnce(200)).toBe(true);
  session.bodyEnded();
}

describe('a request that waits', () => {
  test('is called when an attempt is over, and no other one is', () => {
    const stage = new Stage({ concurrency: 2 });
    const [first, second] = [stage.sent(), stage.sent()];
    const waiting = [stage.waits(), stage.waits(), stage.waits()];
    expect(stage.counts).toEqual([2, 3]);
    succeeds(first);
    expect(stage.called).toEqual([waiting[0]]);
    succeeds(second);
    expect(stage.called).toEqual([waiting[0], waiting[1]]);
    expect(stage.called.map((session) => stage.asks(session))).toEqual([true, true]);
    expect(stage.called).toHaveLength(2);
    expect(stage.counts).toEqual([2, 1]);
  });

  test('keeps its place if others ask first', () => {
    const stage = new Stage({ concurrency: 1 });
    const out = stage.sent();
    const waiting = [stage.waits(), stage.waits()];
    succeeds(out);
    // It was called, and has not asked yet.
    const newcomer = stage.waits();
    expect(stage.asks(waiting[1] as Session)).toBe(false);
    expect(stage.asks(waiting[0] as Session)).toBe(true);
    succeeds(waiting[0] as Session);
    expect(stage.asks(waiting[1] as Session)).toBe(true);
    succeeds(waiting[1] as Session);
    expect(stage.called).toEqual([...waiting, newcomer]);
  });

  test('gives its place up when it leaves, before and after it was called', () => {
    const stage = new Stage({ concurrency: 1 });
    const out = stage.sent();
    const [one, two, three] = [stage.waits(), stage.waits(), stage.waits()];
    two.abandon(new Error('aborted'));
    expect(stage.counts).toEqual([1, 2]);
    succeeds(out);
    expect(stage.called).toEqual([one]);
    one.abandon(new Error('aborted'));
    expect(stage.called).toEqual([one, three]);
    expect(stage.counts).toEqual([0, 1]);
  });

  test('asks in time, and is refused when its time is over', () => {
    const stage = new Stage({ concurrency: { limit: 1, maxQueueMs: 500 } });
    const out = stage.sent();
    const session = stage.open();
    expect(session.admit()).toEqual({ kind: 'wait', delayMs: 500, why: 'concurrency', isCalled: true });
    stage.now += 499;
    expect(session.admit()).toMatchObject({ kind: 'wait', delayMs: 1 });
    stage.now += 1;
    expect(session.admit()).toEqual({ kind: 'refuse', reason: 'crowded' });
    session.abandon();
    expect(stage.counts).toEqual([1, 0]);
    const error = session.limits.refusal('crowded', { cause: 'own' });
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_CONCURRENCY', limit: 1, cause: 'own' });
    expect(stage.retrier.snapshot().scopes[0]?.refused.crowded).toBe(1);
    succeeds(out);
  });

  test('was told at once if it may go already when it says how to call it', () => {
    const stage = new Stage({ concurrency: 1 });
    const out = stage.sent();
    const session = stage.open();
    session.admit();
    succeeds(out);
    session.onTurn(() => stage.called.push(session));
    expect(stage.called).toEqual([session]);
  });
});

describe('an attempt is in flight', () => {
  test('until the body of its answer is over', () => {
    const stage = new Stage({ concurrency: 1 });
    const session = stage.sent();
    expect(session.acceptAtOnce(200)).toBe(true);
    expect(stage.counts).toEqual([1, 0]);
    session.bodyEnded();
    session.bodyEnded();
    expect(stage.counts).toEqual([0, 0]);
  });

  test('until a retry is decided: what waits for that takes no room, and asks again', () => {
    const stage = new Stage({ concurrency: 1 });
    const session = stage.sent();
    const other = stage.waits();
    expect(session.next(answered(503), replayable).action).toBe('retry');
    expect(stage.counts).toEqual([0, 1]);
    expect(stage.asks(other)).toBe(true);
    expect(stage.asks(session)).toBe(false);
    succeeds(other);
    expect(stage.called.at(-1)).toBe(session);
    expect(stage.asks(session)).toBe(true);
  });

  test.each([
    ['a final status', (session: Session) => void session.next(answered(404), replayable)],
    ['the last failure', (session: Session) => void session.next(answered(503), { replayable: false })],
  ])('until the body of %s is over', (_, end) => {
    const stage = new Stage({ concurrency: 1 });
    const session = stage.sent();
    end(session);
    expect(stage.counts).toEqual([1, 0]);
    session.bodyEnded();
    expect(stage.counts).toEqual([0, 0]);
  });

  test.each([
    ['an abort', (session: Session) => void session.next(aborted, replayable)],
    ['a reset', (session: Session) => void session.next(reset, { replayable: false })],
    ['its request is abandoned', (session: Session) => session.abandon(new Error('hook'))],
  ])('until %s', (_, end) => {
    const stage = new Stage({ concurrency: 1 });
    end(stage.sent());
    expect(stage.counts).toEqual([0, 0]);
  });

  test('and goes on in the scope that it is in when the retrier is reset', () => {
    const stage = new Stage({ concurrency: 2 });
    const before = stage.sent();
    stage.retrier.reset();
    expect(stage.counts).toEqual([1, 0]);
    const after = stage.sent();
    const waiting = stage.waits();
    succeeds(before);
    expect(stage.called).toEqual([waiting]);
    succeeds(after);
    waiting.abandon();
    expect(stage.counts).toEqual([0, 0]);
    stage.retrier.reset();
    expect(stage.counts).toEqual([0, 0]);
  });

  test('and keeps its scope from being forgotten', () => {
    const stage = new Stage({ concurrency: 1, maxScopes: 1, scopeIdleMs: 1_000 });
    const out = stage.sent();
    stage.now += 10_000;
    const other = stage.sent({ origin: 'https://b.example' });
    stage.waits();
    expect(stage.retrier.snapshot().scopes).toHaveLength(2);
    succeeds(out);
    succeeds(other);
    const [waiting] = stage.called;
    waiting?.abandon();
    stage.now += 10_000;
    stage.sent({ origin: 'https://c.example' });
    expect(stage.retrier.snapshot().scopes.map(({ name }) => name)).toEqual(['https://c.example']);
  });

  test('and so does a request that has not asked yet since it was called', () => {
    const rules: PolicyOptions['rules'] = [{ match: '/own', concurrency: 2 }];
    const stage = new Stage({ concurrency: 1, maxScopes: 1, scopeIdleMs: 1_000, rules });
    succeeds(stage.sent({ path: '/own' }));
    const out = stage.sent();
    const waiting = stage.waits();
    succeeds(out);
    expect(stage.called).toEqual([waiting]);
    stage.now += 10_000;
    stage.sent({ origin: 'https://b.example' });
    expect(stage.retrier.snapshot().scopes).toHaveLength(2);
  });

  test('in the scope that beforeRetry sends it to', () => {
    const stage = new Stage({ concurrency: 1 });
    const session = stage.sent();
    session.next(answered(503), replayable);
    session.movesTo('https://b.example/');
    expect(stage.asks(session)).toBe(true);
    expect(stage.retrier.snapshot().scopes.map(({ concurrencies }) => concurrencies)).toEqual([
      [{ limit: 1, inFlight: 0, waiting: 0 }],
      [{ limit: 1, inFlight: 1, waiting: 0 }],
    ]);
  });
});

/** A scope that has learnt how long answers take, and may hedge twice. */
function warm(policy: PolicyOptions): Stage {
  const stage = new Stage(policy);
  for (let count = 0; count < 60; count += 1) {
    const session = stage.sent();
    session.tail?.sent(1);
    succeeds(session);
  }
  return stage;
}

describe('a hedge', () => {
  const hedged: PolicyOptions = { concurrency: 2, hedge: { afterMs: 10, share: 1 } };

  function out(stage: Stage): Session {
    const session = stage.sent();
    session.tail?.sent(1);
    stage.now += 10;
    return session;
  }

  test('takes room', () => {
    const stage = warm(hedged);
    const session = out(stage);
    expect(session.tail?.hedge()).toBe(2);
    expect(stage.counts).toEqual([2, 0]);
    session.tail?.withdraw();
    expect(stage.counts).toEqual([1, 0]);
  });

  test('is not sent without room, and never waits', () => {
    const stage = warm(hedged);
    const session = out(stage);
    const other = stage.sent();
    expect(session.tail?.hedge()).toBeUndefined();
    expect(stage.counts).toEqual([2, 0]);
    succeeds(other);
    expect(session.tail?.hedge()).toBe(2);
  });

  test('is not sent while others wait', () => {
    const stage = warm(hedged);
    const session = out(stage);
    const other = stage.sent();
    const waiting = stage.waits();
    succeeds(other);
    expect(stage.called).toEqual([waiting]);
    expect(session.tail?.hedge()).toBeUndefined();
  });

  test.each(['the first', 'the hedge'])(
    'and its first attempt: %s wins, and the other one runs on',
    (who) => {
      const stage = warm(hedged);
      const session = out(stage);
      session.tail?.hedge();
      session.tail?.sent(2);
      const ruling = session.tail?.ended(who === 'the first' ? 1 : 2, answered(200), replayable);
      expect(ruling?.kind).toBe('decided');
      const loser = who === 'the first' ? 2 : 1;
      expect(session.tail?.leaveLoser(loser)).toBeGreaterThan(0);
      session.bodyEnded();
      expect(stage.counts).toEqual([1, 0]);
      session.tail?.loserGone(loser, true);
      expect(stage.counts).toEqual([0, 0]);
    },
  );
});

describe('a request with two attempts out whose credentials are refused', () => {
  const credentials = { headers: () => ({}), renew: () => Promise.resolve() };
  let stage: Stage;
  let session: Session;
  let loser: number;

  function hedge(): number {
    session.tail?.sent(session.attempt);
    stage.now += 10;
    const attempt = session.tail?.hedge();
    if (attempt === undefined) throw new Error('no hedge');
    session.tail?.sent(attempt);
    return attempt;
  }

  beforeEach(() => {
    stage = warm({ concurrency: 4, hedge: { afterMs: 10, share: 1 }, credentials });
    session = stage.sent();
    loser = hedge();
    const ruling = session.tail?.ended(1, answered(401), { replayable: true, renewed: true });
    expect(ruling).toMatchObject({ kind: 'decided', decision: { action: 'retry' } });
    expect(session.tail?.leaveLoser(loser)).toBeGreaterThan(0);
    expect(stage.counts).toEqual([1, 0]);
    expect(stage.asks(session)).toBe(true);
  });

  test.each(['the first', 'the second'])(
    'may have a second loser: each keeps its place, and %s ends',
    (which) => {
      const second = hedge();
      expect(session.tail?.ended(3, answered(200), replayable)).toMatchObject({ kind: 'decided' });
      expect(session.tail?.leaveLoser(second)).toBeGreaterThan(0);
      session.bodyEnded();
      expect(stage.counts).toEqual([2, 0]);
      const [one, other] = which === 'the first' ? [loser, second] : [second, loser];
      session.tail?.loserGone(one, true);
      // To say so again changes nothing.
      session.tail?.loserGone(one, true);
      expect(stage.counts).toEqual([1, 0]);
      session.tail?.loserGone(other, false);
      expect(stage.counts).toEqual([0, 0]);
    },
  );

  test('keeps the place of its loser when the next two attempts fail', () => {
    const second = hedge();
    expect(session.tail?.ended(second, reset, replayable)).toEqual({ kind: 'pending' });
    expect(session.tail?.ended(3, reset, replayable)).toMatchObject({ decision: { action: 'retry' } });
    // Adapters say so of the attempt that does not decide, although it ended before.
    session.tail?.loserGone(second, false);
    expect(stage.counts).toEqual([1, 0]);
    session.tail?.loserGone(loser, false);
    expect(stage.counts).toEqual([0, 0]);
  });
});

describe('limits of a scope', () => {
  const rules: PolicyOptions = {
    concurrency: 2,
    rules: [
      { match: '/inherits' },
      { match: '/own', concurrency: 1 },
      { match: '/none', concurrency: false },
    ],
  };

  test('count by setting: rules that inherit it share it, and others have their own', () => {
    const stage = new Stage(rules);
    stage.sent({ path: '/' });
    stage.sent({ path: '/inherits' });
    stage.waits({ path: '/' });
    stage.sent({ path: '/own' });
    stage.waits({ path: '/own' });
    for (let count = 0; count < 5; count += 1) stage.sent({ path: '/none' });
    expect(stage.retrier.snapshot().scopes[0]?.concurrencies).toEqual([
      { limit: 2, inFlight: 2, waiting: 1 },
      { limit: 1, inFlight: 1, waiting: 1 },
    ]);
  });

  test('are off for a request that says so', () => {
    const stage = new Stage({ concurrency: 1 });
    stage.sent();
    const session = stage.retrier.open(requestOf(), { concurrency: false });
    expect(stage.asks(session)).toBe(true);
    expect(stage.counts).toEqual([1, 0]);
  });

  test('show nothing before anything was sent', () => {
    const stage = new Stage({ concurrency: 1 });
    stage.open();
    expect(stage.retrier.snapshot().scopes[0]).not.toHaveProperty('concurrencies');
  });

  test('show nothing where nothing was limited', () => {
    const stage = new Stage({});
    stage.sent();
    expect(stage.retrier.snapshot().scopes[0]).not.toHaveProperty('concurrencies');
  });
});

test('a refusal is counted and told, and a wait is not', () => {
  const told: unknown[] = [];
  const stage = new Stage({
    concurrency: { limit: 1, maxQueueMs: 500 },
    observe: (event) => event.type === 'settled' && told.push(event.refused),
  });
  const none = { 'gate-shut': 0, 'gate-full': 0, held: 0, crowded: 0 };
  const out = stage.sent();
  const session = stage.waits();
  expect(stage.retrier.snapshot().scopes[0]?.refused).toEqual(none);
  stage.now += 500;
  expect(session.admit()).toEqual({ kind: 'refuse', reason: 'crowded' });
  session.abandon(session.limits.refusal('crowded'));
  succeeds(out);
  expect(stage.retrier.snapshot().scopes[0]?.refused).toEqual({ ...none, crowded: 1 });
  expect(told).toEqual([{ reason: 'crowded', enforced: true }, undefined]);
});

describe('what a retry is told of the line', () => {
  test('how long the first one has waited', () => {
    const worlds: unknown[] = [];
    const stage = new Stage({
      concurrency: { limit: 1, maxQueueMs: 5_000 },
      observe: (event) => event.type === 'decision' && worlds.push(event.world.line),
    });
    const out = stage.sent();
    const first = stage.waits();
    stage.now += 300;
    stage.waits();
    // That it asks again does not make it a newcomer.
    expect(stage.asks(first)).toBe(false);
    out.next(answered(503), replayable);
    expect(worlds).toEqual([{ waiting: 2, waitedMs: 300 }]);
  });

  test('nothing, if none waits', () => {
    const worlds: object[] = [];
    const observe = (event: { readonly type: string; readonly world?: object }) => {
      if (event.world !== undefined) worlds.push(event.world);
    };
    const stage = new Stage({ concurrency: 1, observe });
    stage.sent().next(answered(503), replayable);
    expect(worlds[0]).toMatchObject({ line: undefined });
  });
});
