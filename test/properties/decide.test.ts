import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/decide/decide.js';
import { longestWait } from '../../src/core/decide/schedule.js';
import type { DecisionEvent } from '../../src/core/events.js';
import { explain } from '../../src/core/explain.js';
import { affords, afterRetry, fullBudget } from '../../src/core/limits/budget/budget.js';
import type { BucketState } from '../../src/core/limits/budget/state.js';
import type { PolicyOptions, ScheduleOptions } from '../../src/core/policy/options.js';
import type { Settings } from '../../src/core/policy/settings.js';
import type { Attempt, Decision, Finding, History, Outcome, World } from '../../src/core/types.js';
import { checkPolicy, createRetrier, definePolicy } from '../../src/parts/all.js';
import { answered, errorWith, failed, requestOf, VirtualTime, worldOf } from '../kit.js';

// ---------------------------------------------------------------- inputs

const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const waitMs = fc.double({ min: 0, max: 50_000, noNaN: true });

const schedule: fc.Arbitrary<ScheduleOptions> = fc.oneof(
  fc.record({
    kind: fc.constant('exponential' as const),
    firstMs: fc.integer({ min: 1, max: 5_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    maxMs: fc.integer({ min: 5_000, max: 60_000 }),
    jitter: fc.constantFrom('none', 'full', 'equal', 'decorrelated'),
  }),
  fc.record({
    kind: fc.constant('table' as const),
    waitsMs: fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 8 }),
    jitter: fc.record({ spread: fc.double({ min: 0, max: 1, noNaN: true }) }),
  }),
  fc.record({
    kind: fc.constant('fixed' as const),
    waitMs: fc.integer({ min: 0, max: 60_000 }),
    jitter: fc.record({ addMs: fc.integer({ min: 0, max: 1_000 }) }),
  }),
);

const options: fc.Arbitrary<PolicyOptions> = fc
  .record(
    {
      maxRetries: fc.integer({ min: 0, max: 6 }),
      deadlineMs: fc.integer({ min: 1, max: 100_000 }),
      schedule,
      throttledSchedule: schedule,
      maxHintMs: fc.integer({ min: 0, max: 100_000 }),
      hintJitter: fc.double({ min: 0, max: 1, noNaN: true }),
      idempotent: fc.boolean(),
      unsafeMethods: fc.constantFrom('never', 'unsent', 'refused'),
      budget: fc.oneof(
        fc.constant(false as const),
        fc.record({ capacity: fc.integer({ min: 1, max: 20 }), perSuccess: fc.constant(1) }),
      ),
    },
    { requiredKeys: [] },
  )
  // Policies with contradictions are refused; other tests cover them.
  .filter((given) => checkPolicy(given).length === 0);

const headerValue = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.integer({ min: 0, max: 100_000 }).map(String),
  fc.constantFrom('true', 'false', 'Tue, 10 Mar 2026 12:00:10 GMT'),
);

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc
    .record({
      status: fc.oneof(fc.constantFrom(200, 408, 413, 429, 500, 503), fc.integer({ min: 100, max: 700 })),
      headers: fc.dictionary(
        fc.constantFrom('retry-after', 'Retry-After', 'retry-after-ms', 'x-should-retry', 'ratelimit'),
        headerValue,
        { maxKeys: 2 },
      ),
    })
    .map(({ status, headers }) => answered(status, headers)),
  fc
    .constantFrom('ECONNRESET', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'ERR_CANCELED', 'X')
    .map((code) => failed(errorWith({ code }))),
  fc.anything().map((error) => failed(error)),
);

const past: fc.Arbitrary<History> = fc
  .array(fc.record({ delayMs: waitMs, waitFrom: fc.constantFrom('hint', 'schedule') }), { maxLength: 7 })
  .map((waits) => waits.map(({ delayMs, waitFrom }, index) => retriedAfter(index + 1, delayMs, waitFrom)));

function retriedAfter(number: number, delayMs: number, waitFrom: 'hint' | 'schedule'): Attempt {
  const finding = {
    kind: 'response',
    status: 503,
    class: 'transient',
    evidence: 'unknown',
    hint: undefined,
    aborted: false,
  } as const;
  const decision: Decision = {
    action: 'retry',
    reason: 'transient-status',
    attempt: number,
    finding,
    delayMs,
    waitFrom,
    cost: 1,
  };
  return { endedAt: 0, decision };
}

interface Situation {
  readonly settings: Settings;
  readonly history: History;
  readonly outcome: Outcome | Finding;
  readonly world: World;
}

const situation: fc.Arbitrary<Situation> = fc
  .record({
    options,
    history: past,
    outcome,
    method: fc.constantFrom('GET', 'POST'),
    keyed: fc.boolean(),
    replayable: fc.boolean(),
    startedAt: fc.integer({ min: 0, max: 10_000 }),
    elapsed: fc.integer({ min: 0, max: 120_000 }),
    random: draw,
    tokens: fc.integer({ min: 0, max: 20 }),
    gateShut: fc.boolean(),
    verdict: fc.option(fc.boolean(), { nil: undefined }),
  })
  .map((given) => {
    const { settings } = definePolicy(given.options).fallback;
    const world = worldOf({
      request: { method: given.method, keyed: given.keyed },
      replayable: given.replayable,
      startedAt: given.startedAt,
      now: given.startedAt + given.elapsed,
      random: given.random,
      budget: settings.budget === false ? undefined : { tokens: given.tokens * 1_000, at: 0 },
      gateShut: given.gateShut,
      verdict: given.verdict,
    });
    return { settings, history: given.history, outcome: given.outcome, world };
  });

function decided({ settings, history, outcome: ended, world }: Situation): Decision {
  return decide(settings, history, ended, world);
}

// ---------------------------------------------------------------- what always holds

describe('any decision', () => {
  test('has a wait that is finite, not negative, and not above what its source allows', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const decision = decided(given);
        if (decision.action !== 'retry') return;
        const { delayMs, waitFrom, finding } = decision;
        expect(Number.isFinite(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        if (waitFrom === 'none') {
          expect(delayMs).toBe(0);
          expect(given.world.learntTimeout).toBe(true);
        } else if (waitFrom === 'hint') {
          const hintMs = (finding.kind === 'response' && finding.hint?.delayMs) || Number.NaN;
          expect(hintMs).toBeLessThanOrEqual(given.settings.maxHintMs);
          expect(delayMs).toBeGreaterThanOrEqual(hintMs);
          expect(delayMs).toBeLessThanOrEqual(longestHinted(given, hintMs));
        } else {
          const bound = longestWait(given.settings[waitFrom], 8);
          const { jitter } = given.settings[waitFrom] as { jitter: unknown };
          if (jitter !== 'decorrelated')
            expect(delayMs).toBeLessThanOrEqual(Math.max(bound, longestSoFar(given, waitFrom)));
        }
      }),
    );
  });

  test('never chooses a wait that ends after the deadline', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const decision = decided(given);
        const { deadlineMs } = given.settings;
        if (decision.action !== 'retry' || deadlineMs === undefined) return;
        const { now, startedAt = now } = given.world;
        expect(now + decision.delayMs).toBeLessThanOrEqual(startedAt + deadlineMs);
        expect(now).toBeLessThan(startedAt + deadlineMs);
      }),
    );
  });

  test('never exceeds maxRetries, never repeats a body that is gone, never passes a shut gate', () => {
    fc.assert(
      fc.property(situation, (given) => {
        if (decided(given).action !== 'retry') return;
        expect(given.history.length).toBeLessThan(given.settings.maxRetries);
        expect(given.world.replayable).toBe(true);
        expect(given.world.gateShut).toBe(false);
      }),
    );
  });

  test('repeats a POST without a key only with proof, by a rule, or because retryIf says so', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const decision = decided(given);
        const { request, verdict } = given.world;
        if (decision.action !== 'retry' || request.method === 'GET' || request.keyed) return;
        const isProven = decision.finding.evidence !== 'unknown' && given.settings.unsafeMethods !== 'never';
        expect(given.settings.idempotent || verdict === true || isProven).toBe(true);
      }),
    );
  });

  test('with less in the budget, a stop never becomes a retry', () => {
    fc.assert(
      fc.property(situation, fc.integer({ min: 0, max: 20 }), (given, tokens) => {
        const { budget } = given.world;
        if (budget === undefined || decided(given).action !== 'stop') return;
        const less = {
          ...(budget as BucketState),
          tokens: Math.min((budget as BucketState).tokens, tokens * 1_000),
        };
        expect(decided({ ...given, world: { ...given.world, budget: less } }).action).toBe('stop');
      }),
    );
  });

  test('is the same when it is made again, also from the recorded finding', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const decision = decided(given);
        expect(decided(given)).toEqual(decision);
        expect(decided({ ...given, outcome: decision.finding })).toEqual(decision);
        const recorded = JSON.parse(JSON.stringify(decision.finding));
        expect(decided({ ...given, outcome: recorded }).reason).toBe(decision.reason);
      }),
    );
  });

  test('can be explained in a sentence', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const sentence = explain(decided(given));
        expect(sentence).toMatch(
          /^(Retry \d+ in [\d.]+ (ms|s|min|h|days|years)[ ,]|No retry after attempt \d+: |Succeeded on attempt \d+ \().+\.$/su,
        );
        expect(sentence).not.toMatch(/undefined|NaN|\[object/);
      }),
    );
  });
});

/** After hints that were obeyed, the jitter may be as long as the longest hint allows. */
function longestHinted({ settings, history }: Situation, hintMs: number): number {
  const { hintJitter, maxHintMs } = settings;
  const { decision } = history.findLast((attempt) => attempt.decision.action === 'retry') ?? {};
  const hasObeyed = decision?.action === 'retry' && decision.waitFrom === 'hint' && hintJitter > 0;
  const usual = hintMs * (1 + hintJitter);
  return hasObeyed ? Math.max(usual, maxHintMs) : usual;
}

function longestSoFar({ settings, history }: Situation, waitFrom: 'schedule' | 'throttledSchedule'): number {
  return longestWait(settings[waitFrom], history.length + 1);
}

describe('any life of a request', () => {
  const step = fc.record({ outcome, elapsed: fc.integer({ min: 0, max: 5_000 }), replayable: fc.boolean() });

  test('ends, keeps its budget, and can be decided again from its events', () => {
    fc.assert(
      fc.property(options, fc.array(step, { minLength: 1, maxLength: 10 }), draw, (given, steps, random) => {
        const events: DecisionEvent[] = [];
        const time = new VirtualTime();
        const policy = definePolicy({
          ...given,
          observe: (event) => {
            if (event.type === 'decision') events.push(event);
          },
        });
        const session = createRetrier(policy, time.ports({ random: () => random })).open(requestOf());
        for (const { outcome: ended, elapsed, replayable } of steps) {
          time.now += elapsed;
          if ('class' in ended || session.next(ended, { replayable }).action === 'stop') break;
        }
        expect(events.length).toBeLessThanOrEqual(session.settings.maxRetries + 1);
        for (const { history, world, decision } of events) {
          const last = history.at(-1);
          if (last === undefined) throw new Error('An event without its attempt');
          expect(decide(session.settings, history.slice(0, -1), last.decision.finding, world)).toEqual(
            decision,
          );
        }
      }),
    );
  });

  test('spends exactly what its decisions cost', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 5 }), (capacity, cost) => {
        fc.pre(cost <= capacity);
        const { settings } = definePolicy({
          budget: { capacity, cost, perSecond: 0, perSuccess: 1 },
        }).fallback;
        const { budget } = settings;
        if (budget === false) throw new Error('No budget');
        let state = fullBudget(budget, 0);
        let retries = 0;
        while (affords(budget, state, 'transient', 0)) {
          const decision = decide(settings, [], answered(503), worldOf({ budget: state }));
          expect(decision).toMatchObject({ action: 'retry', cost });
          state = afterRetry(budget, state, 'transient', 0);
          retries += 1;
        }
        expect(retries).toBe(Math.floor(capacity / cost));
        expect(decide(settings, [], answered(503), worldOf({ budget: state })).reason).toBe('budget-spent');
      }),
    );
  });
});
