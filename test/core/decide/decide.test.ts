import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/core/decide/decide.js';
import { AttemptTimeoutError } from '../../../src/core/errors.js';
import { explain } from '../../../src/core/explain.js';
import { fullBudget } from '../../../src/core/limits/budget/budget.js';
import type { Budget } from '../../../src/core/limits/budget/setting.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type {
  Attempt,
  Decision,
  Finding,
  Outcome,
  Retry,
  StopReason,
  World,
} from '../../../src/core/types.js';
import { answered, date, errorWith, failed, serverError, settingsOf, worldOf } from '../../kit.js';
import { reasons } from '../../reasons.js';

const reset = failed(errorWith({ code: 'ECONNRESET' }));
const refused = failed(errorWith({ code: 'ECONNREFUSED' }));
const post = { method: 'POST', keyed: false };
const exact = { schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' } } as const;

/** An earlier attempt that was retried after a wait from the schedule or from a hint. */
function retried(number: number, differences: Partial<Retry> = {}): Attempt {
  const decision: Retry = {
    action: 'retry',
    reason: 'transient-status',
    attempt: number,
    finding: serverError,
    delayMs: 100,
    waitFrom: 'schedule',
    cost: 1,
    ...differences,
  };
  return { endedAt: 0, decision };
}

function budgetLeft(tokens: number): { options: PolicyOptions; budget: World['budget'] } {
  const budget: Budget = {
    kind: 'bucket',
    capacity: 10,
    perSuccess: 0,
    perSecond: 0,
    cost: { transient: 2, throttled: 5, timeout: 9 },
    refund: false,
    charge: 'retry',
    floor: 0,
  };
  const full = fullBudget(budget, 0);
  return { options: { budget, ...exact }, budget: { ...full, tokens: tokens * 1_000 } as World['budget'] };
}

interface Case {
  readonly name: string;
  readonly options?: PolicyOptions;
  readonly history?: readonly Attempt[];
  readonly outcome: Outcome;
  readonly world?: Partial<World>;
  readonly says: Partial<Decision>;
}

const renewing = { credentials: { headers: () => undefined, renew: () => undefined } } as const;

const refusedOnce: Attempt = {
  endedAt: 0,
  decision: {
    action: 'retry',
    reason: 'fresh-credentials',
    attempt: 1,
    finding: serverError,
    delayMs: 0,
    waitFrom: 'none',
    cost: 0,
  },
};

const cases: readonly Case[] = [
  // ---- worth it: retries
  { name: '503', outcome: answered(503), says: { action: 'retry', reason: 'transient-status', delayMs: 50 } },
  { name: '429', outcome: answered(429), says: { action: 'retry', reason: 'throttled', delayMs: 500 } },
  { name: 'a reset', outcome: reset, says: { action: 'retry', reason: 'transport-error', delayMs: 50 } },
  {
    name: 'our attempt timeout',
    outcome: failed(new AttemptTimeoutError(5)),
    says: { action: 'retry', reason: 'attempt-timeout' },
  },
  {
    name: 'our attempt timeout, which was learnt: at once',
    outcome: failed(new AttemptTimeoutError(5)),
    world: { learntTimeout: true },
    says: { action: 'retry', reason: 'attempt-timeout', delayMs: 0, waitFrom: 'none' },
  },
  {
    name: '503 to an attempt whose timeout was learnt',
    outcome: answered(503),
    world: { learntTimeout: true },
    says: { action: 'retry', reason: 'transient-status', delayMs: 50, waitFrom: 'schedule' },
  },
  {
    name: 'an answer that asks for a retry',
    outcome: answered(400, { 'x-should-retry': 'true' }),
    says: { action: 'retry', reason: 'server-asks', waitFrom: 'schedule' },
  },
  {
    name: 'a status of the list that also asks for it',
    outcome: answered(503, { 'x-should-retry': 'true' }),
    says: { action: 'retry', reason: 'transient-status' },
  },
  {
    name: 'retryIf: true, on a 200',
    outcome: answered(200),
    world: { verdict: true },
    says: { action: 'retry', reason: 'caller-asks', waitFrom: 'schedule' },
  },
  {
    name: 'retryIf: true, on a final error',
    outcome: failed(errorWith({ code: 'CERT_HAS_EXPIRED' })),
    world: { verdict: true },
    says: { action: 'retry', reason: 'caller-asks' },
  },
  {
    name: "retryIf: true, against the server's veto",
    outcome: answered(503, { 'x-should-retry': 'false' }),
    world: { verdict: true },
    says: { action: 'retry', reason: 'caller-asks' },
  },
  // ---- not worth it
  { name: '200', outcome: answered(200), says: { action: 'stop', reason: 'success' } },
  { name: '304', outcome: answered(304), says: { action: 'stop', reason: 'success' } },
  { name: '399', outcome: answered(399), says: { action: 'stop', reason: 'success' } },
  { name: '400', outcome: answered(400), says: { action: 'stop', reason: 'final-status' } },
  { name: '501', outcome: answered(501), says: { action: 'stop', reason: 'final-status' } },
  {
    name: 'a certificate',
    outcome: failed(errorWith({ code: 'CERT_HAS_EXPIRED' })),
    says: { action: 'stop', reason: 'final-error' },
  },
  {
    name: "the caller's abort",
    outcome: failed(errorWith({ code: 'ECONNRESET' }), { aborted: true }),
    says: { action: 'stop', reason: 'aborted' },
  },
  {
    name: "the caller's abort, whatever retryIf says",
    outcome: failed(new Error(), { aborted: true }),
    world: { verdict: true },
    says: { action: 'stop', reason: 'aborted' },
  },
  {
    name: "the server's veto",
    outcome: answered(503, { 'x-should-retry': 'false' }),
    says: { action: 'stop', reason: 'server-forbids' },
  },
  {
    name: 'a veto on a success is still a success',
    outcome: answered(200, { 'x-should-retry': 'false' }),
    says: { action: 'stop', reason: 'success' },
  },
  {
    name: 'retryIf: false',
    outcome: answered(503),
    world: { verdict: false },
    says: { action: 'stop', reason: 'caller-forbids' },
  },
  // ---- safe
  {
    name: 'POST after 503',
    outcome: answered(503),
    world: { request: post },
    says: { action: 'stop', reason: 'unsafe-method' },
  },
  {
    name: 'POST after a reset',
    outcome: reset,
    world: { request: post },
    says: { action: 'stop', reason: 'unsafe-method' },
  },
  { name: 'POST after 429', outcome: answered(429), world: { request: post }, says: { action: 'retry' } },
  { name: 'POST never sent', outcome: refused, world: { request: post }, says: { action: 'retry' } },
  {
    name: 'POST, on the word of the caller',
    outcome: reset,
    world: { request: post, verdict: true },
    says: { action: 'retry', reason: 'caller-asks' },
  },
  {
    name: 'an answer that asks for a retry does not make POST safe',
    outcome: answered(503, { 'x-should-retry': 'true' }),
    world: { request: post },
    says: { action: 'stop', reason: 'unsafe-method' },
  },
  {
    name: 'a body that is gone',
    outcome: answered(503),
    world: { replayable: false },
    says: { action: 'stop', reason: 'body-spent' },
  },
  {
    name: 'a body that is gone, on the word of the caller',
    outcome: answered(503),
    world: { replayable: false, verdict: true },
    says: { action: 'stop', reason: 'body-spent' },
  },
  {
    name: 'a broken body whose rest cannot be asked for',
    outcome: reset,
    world: { resumable: false },
    says: { action: 'stop', reason: 'not-resumable' },
  },
  {
    name: 'a broken body whose rest cannot be asked for, on the word of the caller',
    outcome: reset,
    world: { resumable: false, verdict: true },
    says: { action: 'stop', reason: 'not-resumable' },
  },
  {
    name: 'a broken body whose rest can be asked for',
    outcome: reset,
    world: { resumable: true },
    says: { action: 'retry', reason: 'transport-error' },
  },
  {
    name: 'gone before not resumable',
    outcome: reset,
    world: { replayable: false, resumable: false },
    says: { action: 'stop', reason: 'body-spent' },
  },
  {
    name: 'our own deadline, which nothing can follow',
    options: { deadlineMs: 1_000 },
    outcome: failed(errorWith({ code: 'ERR_UNDAUNTED_DEADLINE' })),
    world: { now: 1_000 },
    says: { action: 'stop', reason: 'wait-past-deadline', limit: 1_000 },
  },
  {
    name: 'our own deadline, whatever else would forbid it',
    options: { deadlineMs: 1_000, maxRetries: 0 },
    outcome: failed(errorWith({ code: 'ERR_UNDAUNTED_DEADLINE' })),
    world: { now: 1_000, request: post, replayable: false, gateShut: true },
    says: { action: 'stop', reason: 'wait-past-deadline', limit: 1_000 },
  },
  {
    name: 'our own deadline, by a timer that is a fraction early',
    options: { deadlineMs: 1_000, schedule: { kind: 'fixed', waitMs: 0 } },
    outcome: failed(errorWith({ code: 'ERR_UNDAUNTED_DEADLINE' })),
    world: { now: 999.5 },
    says: { action: 'stop', reason: 'wait-past-deadline', limit: 1_000 },
  },
  {
    name: 'another failure at the deadline',
    options: { deadlineMs: 1_000 },
    outcome: reset,
    world: { now: 1_000, request: post },
    says: { action: 'stop', reason: 'unsafe-method' },
  },
  {
    name: 'the deadline of a layer underneath, a millisecond before ours',
    options: { deadlineMs: 1_000, schedule: { kind: 'fixed', waitMs: 0 } },
    outcome: failed(errorWith({ code: 'ERR_UNDAUNTED_DEADLINE' })),
    world: { now: 999 },
    says: { action: 'retry', reason: 'transport-error' },
  },
  {
    name: 'the deadline of a layer underneath, where there is time left',
    options: { deadlineMs: 1_000, schedule: { kind: 'fixed', waitMs: 10 } },
    outcome: failed(errorWith({ code: 'ERR_UNDAUNTED_DEADLINE' })),
    world: { now: 500 },
    says: { action: 'retry', reason: 'transport-error' },
  },
  {
    name: 'the deadline of a layer underneath, where there is none here',
    outcome: failed(errorWith({ code: 'ERR_UNDAUNTED_DEADLINE' })),
    says: { action: 'retry', reason: 'transport-error' },
  },
  {
    name: 'unsafe before gone',
    outcome: reset,
    world: { replayable: false, request: post },
    says: { action: 'stop', reason: 'unsafe-method' },
  },
  // ---- retries
  {
    name: 'retry: false',
    options: { retry: false },
    outcome: answered(503),
    says: { action: 'stop', reason: 'retries-off' },
  },
  {
    name: 'retry: false, whatever retryIf says',
    options: { retry: false },
    outcome: answered(503),
    world: { verdict: true },
    says: { action: 'stop', reason: 'retries-off' },
  },
  {
    name: 'the last retry',
    options: { maxRetries: 2 },
    history: [retried(1)],
    outcome: answered(503),
    says: { action: 'retry', attempt: 2 },
  },
  {
    name: 'one more than the last',
    options: { maxRetries: 2 },
    history: [retried(1), retried(2)],
    outcome: answered(503),
    says: { action: 'stop', reason: 'retries-spent', limit: 2, attempt: 3 },
  },
  // ---- hints
  {
    name: 'a hint, with jitter upwards',
    outcome: answered(503, { 'retry-after': '10' }),
    says: { action: 'retry', reason: 'transient-status', waitFrom: 'hint', delayMs: 10_500 },
  },
  {
    name: 'a hint exactly as long as allowed',
    options: { maxHintMs: 10_000, hintJitter: 0 },
    outcome: answered(503, { 'retry-after': '10' }),
    says: { action: 'retry', delayMs: 10_000 },
  },
  {
    name: 'a hint that is too long',
    options: { maxHintMs: 9_999 },
    outcome: answered(503, { 'retry-after': '10' }),
    says: { action: 'stop', reason: 'hint-too-long', delayMs: 10_000, limit: 9_999 },
  },
  {
    name: 'a hint that ends at the deadline',
    options: { deadlineMs: 10_000 },
    outcome: answered(503, { 'retry-after': '10' }),
    says: { action: 'stop', reason: 'hint-past-deadline', delayMs: 10_000, limit: 10_000 },
  },
  {
    name: 'a hint that fits, whose jitter would not',
    options: { deadlineMs: 10_010, hintJitter: 1 },
    outcome: answered(503, { 'retry-after': '10' }),
    says: { action: 'retry', delayMs: 10_005, waitFrom: 'hint' },
  },
  {
    name: 'a hint that says 0 leaves it to the schedule',
    outcome: answered(429, { 'retry-after': '0' }),
    says: { action: 'retry', waitFrom: 'throttledSchedule', delayMs: 500 },
  },
  {
    name: 'hints switched off',
    options: { hints: false },
    outcome: answered(503, { 'retry-after': '10' }),
    says: { action: 'retry', waitFrom: 'schedule', delayMs: 50 },
  },
  {
    name: 'a throttled answer with a hint',
    outcome: answered(429, { 'retry-after': '1' }),
    says: { action: 'retry', reason: 'throttled', waitFrom: 'hint', delayMs: 1_050 },
  },
  // ---- schedule
  {
    name: 'the third retry',
    history: [retried(1), retried(2)],
    outcome: answered(503),
    says: { action: 'retry', delayMs: 200, attempt: 3 },
  },
  {
    name: 'decorrelated, from the last wait of a schedule and not from a hint',
    options: {
      schedule: { kind: 'exponential', firstMs: 100, factor: 2, maxMs: 10_000, jitter: 'decorrelated' },
    },
    history: [retried(1, { delayMs: 500 }), retried(2, { delayMs: 9_000, waitFrom: 'hint' })],
    outcome: answered(503),
    says: { action: 'retry', delayMs: 800 },
  },
  {
    name: 'decorrelated, at first',
    options: {
      schedule: { kind: 'exponential', firstMs: 100, factor: 2, maxMs: 10_000, jitter: 'decorrelated' },
    },
    outcome: answered(503),
    says: { action: 'retry', delayMs: 200 },
  },
  // ---- deadline
  {
    name: 'a wait that ends before the deadline',
    options: { ...exact, deadlineMs: 1_000 },
    outcome: answered(503),
    world: { startedAt: 50, now: 949 },
    says: { action: 'retry', delayMs: 100 },
  },
  {
    name: 'a wait that ends at the deadline',
    options: { ...exact, deadlineMs: 1_000 },
    outcome: answered(503),
    world: { startedAt: 50, now: 950 },
    says: { action: 'stop', reason: 'wait-past-deadline', delayMs: 100, limit: 1_000 },
  },
  {
    name: 'a deadline counts from now where no start is known',
    options: { ...exact, deadlineMs: 1_000 },
    outcome: answered(503),
    world: { startedAt: undefined, now: 5_000 },
    says: { action: 'retry' },
  },
  // ---- suppressed
  {
    name: 'within suppressRetries',
    outcome: answered(503),
    world: { suppressed: true },
    says: { action: 'stop', reason: 'retries-suppressed' },
  },
  {
    name: 'switched off, and within suppressRetries',
    options: { retry: false },
    outcome: answered(503),
    world: { suppressed: true },
    says: { action: 'stop', reason: 'retries-off' },
  },
  // ---- budget
  {
    name: 'the last tokens',
    ...((b) => ({ options: b.options, world: { budget: b.budget } }))(budgetLeft(2)),
    outcome: answered(503),
    says: { action: 'retry', cost: 2 },
  },
  {
    name: 'too few tokens',
    ...((b) => ({ options: b.options, world: { budget: b.budget } }))(budgetLeft(1)),
    outcome: answered(503),
    says: { action: 'stop', reason: 'budget-spent' },
  },
  {
    name: 'a throttled retry costs its own price',
    ...((b) => ({ options: b.options, world: { budget: b.budget } }))(budgetLeft(5)),
    outcome: answered(429),
    says: { action: 'retry', cost: 5 },
  },
  {
    name: 'too few tokens for a throttled one',
    ...((b) => ({ options: b.options, world: { budget: b.budget } }))(budgetLeft(4)),
    outcome: answered(429),
    says: { action: 'stop', reason: 'budget-spent' },
  },
  {
    name: 'a retry after a timeout costs its own price',
    ...((b) => ({ options: b.options, world: { budget: b.budget } }))(budgetLeft(9)),
    outcome: failed(new AttemptTimeoutError(5)),
    says: { action: 'retry', cost: 9 },
  },
  {
    name: 'too few tokens for one after a timeout',
    ...((b) => ({ options: b.options, world: { budget: b.budget } }))(budgetLeft(8)),
    outcome: failed(new AttemptTimeoutError(5)),
    says: { action: 'stop', reason: 'budget-spent' },
  },
  {
    name: 'no budget costs nothing',
    options: { budget: false },
    outcome: answered(503),
    world: { budget: budgetLeft(0).budget },
    says: { action: 'retry', cost: 0 },
  },
  // ---- credentials
  {
    name: 'credentials that were renewed',
    options: { ...renewing, maxRetries: 0 },
    outcome: answered(401),
    world: { renewed: true, budget: budgetLeft(0).budget },
    says: { action: 'retry', reason: 'fresh-credentials', delayMs: 0, waitFrom: 'none', cost: 0 },
  },
  {
    name: 'credentials that were not renewed',
    options: renewing,
    outcome: answered(401),
    world: { renewed: false },
    says: { action: 'stop', reason: 'final-status' },
  },
  {
    name: 'credentials that were renewed for another request',
    options: renewing,
    history: [refusedOnce],
    outcome: answered(401),
    world: { renewed: true },
    says: { action: 'stop', reason: 'final-status', attempt: 2 },
  },
  {
    name: 'fresh credentials are no retry',
    options: { ...renewing, maxRetries: 1, schedule: { kind: 'table', waitsMs: [10, 20] } },
    history: [refusedOnce],
    outcome: answered(503),
    says: { action: 'retry', reason: 'transient-status', attempt: 2, retry: 1, delayMs: 10 },
  },
  {
    name: 'a POST that was refused with its credentials',
    options: renewing,
    outcome: answered(401),
    world: { renewed: true, request: { method: 'POST', keyed: false } },
    says: { action: 'retry', reason: 'fresh-credentials' },
  },
  {
    name: 'a POST that may have been refused by another server',
    options: renewing,
    outcome: { ...answered(401), evidence: 'unknown' },
    world: { renewed: true, request: { method: 'POST', keyed: false } },
    says: { action: 'stop', reason: 'final-status' },
  },
  {
    name: 'a body that cannot be sent with fresh credentials',
    options: renewing,
    outcome: answered(401),
    world: { renewed: true, replayable: false },
    says: { action: 'stop', reason: 'final-status' },
  },
  {
    name: 'no time for fresh credentials',
    options: { ...renewing, deadlineMs: 1_000 },
    outcome: answered(401),
    world: { renewed: true, now: 2_000, startedAt: 1_000 },
    says: { action: 'stop', reason: 'final-status' },
  },
  {
    name: 'a gate that has shut during the renewal',
    options: renewing,
    outcome: answered(401),
    world: { renewed: true, gateShut: true },
    says: { action: 'stop', reason: 'gate-shut' },
  },
  // ---- gate
  {
    name: 'a gate that is shut',
    outcome: answered(503),
    world: { gateShut: true },
    says: { action: 'stop', reason: 'gate-shut' },
  },
  {
    name: 'a queue that is too long',
    options: { hold: { maxQueueMs: 1_000 }, deadlineMs: 60_000 },
    outcome: answered(503),
    world: { queueMs: 1_051 },
    says: { action: 'stop', reason: 'held', delayMs: 1_051 },
  },
  {
    name: 'a queue that is not',
    options: { hold: { maxQueueMs: 1_000 }, deadlineMs: 60_000 },
    outcome: answered(503),
    world: { queueMs: 1_050 },
    says: { action: 'retry', delayMs: 50 },
  },
  {
    name: 'a queue of more than half of what is left after its own wait',
    options: { hold: true, deadlineMs: 1_050 },
    outcome: answered(503),
    world: { queueMs: 551 },
    says: { action: 'stop', reason: 'held' },
  },
  {
    name: 'a queue beyond the deadline, whatever the setting allows',
    options: { hold: { maxQueueMs: 9_000 }, deadlineMs: 1_000 },
    outcome: answered(503),
    world: { queueMs: 1_000 },
    says: { action: 'stop', reason: 'held' },
  },
  // ---- concurrency
  {
    name: 'a line that is full',
    options: { concurrency: { limit: 5, maxWaiting: 10 } },
    outcome: answered(503),
    world: { line: { waiting: 10, waitedMs: 0 } },
    says: { action: 'stop', reason: 'crowded', delayMs: 0 },
  },
  {
    name: 'a line that is not',
    options: { concurrency: { limit: 5, maxWaiting: 10 } },
    outcome: answered(503),
    world: { line: { waiting: 9, waitedMs: 0 } },
    says: { action: 'retry', delayMs: 50 },
  },
  {
    name: 'a line in which the first has waited for as long as any may',
    options: { concurrency: { limit: 5, maxQueueMs: 1_000 } },
    outcome: answered(503),
    world: { line: { waiting: 2, waitedMs: 1_000 } },
    says: { action: 'retry', delayMs: 50 },
  },
  {
    name: 'a line in which the first has waited for longer',
    options: { concurrency: { limit: 5, maxQueueMs: 1_000 } },
    outcome: answered(503),
    world: { line: { waiting: 2, waitedMs: 1_001 } },
    says: { action: 'stop', reason: 'crowded', delayMs: 1_001 },
  },
  {
    name: 'a line that takes more than half of what is left after its own wait',
    options: { concurrency: 5, deadlineMs: 1_050 },
    outcome: answered(503),
    world: { line: { waiting: 1, waitedMs: 501 } },
    says: { action: 'stop', reason: 'crowded' },
  },
  {
    name: 'a line that takes half of it',
    options: { concurrency: 5, deadlineMs: 1_050 },
    outcome: answered(503),
    world: { line: { waiting: 1, waitedMs: 500 } },
    says: { action: 'retry' },
  },
  {
    name: 'a line that takes longer than the deadline, whatever the setting allows',
    options: { concurrency: { limit: 5, maxQueueMs: 900 }, deadlineMs: 1_000 },
    outcome: answered(503),
    world: { now: 500, line: { waiting: 1, waitedMs: 460 } },
    says: { action: 'stop', reason: 'crowded' },
  },
  {
    name: 'a line, of which the settings know nothing',
    outcome: answered(503),
    world: { line: { waiting: 1_000_000, waitedMs: 1_000_000 } },
    says: { action: 'retry' },
  },
];

describe('decide', () => {
  test.each(cases)('$name', ({ options, history = [], outcome, world, says }) => {
    expect(decide(settingsOf(options), history, outcome, worldOf(world))).toMatchObject(says);
  });

  test('after two attempts at the same time, the retry has a number of its own', () => {
    const pending: Attempt = {
      endedAt: 0,
      decision: { action: 'stop', reason: 'other-pending', attempt: 1, finding: serverError },
    };
    const decision = decide(settingsOf(), [pending], answered(503), worldOf({ attempt: 2 }));
    expect(decision).toMatchObject({ action: 'retry', attempt: 2, retry: 1 });
    expect(explain(decision)).toMatch(/^Retry 1 in /);
  });

  test('covers every reason', () => {
    const seen = new Set(cases.map(({ says }) => says.reason));
    // Only histories of hedged requests have these: nothing is decided when such an attempt ends.
    const undecided = ['cut', 'other-pending'];
    const decided = reasons.filter((reason) => !undecided.includes(reason));
    for (const reason of decided) expect(seen).toContain(reason);
  });

  test('decides in the order of the contract: worth it, safe, retries, hint, deadline, budget, gate', () => {
    const { options, budget } = budgetLeft(0);
    const strict = settingsOf({ ...options, maxRetries: 1, maxHintMs: 1_000, deadlineMs: 2_000 });
    const worst = worldOf({
      request: post,
      replayable: false,
      budget,
      gateShut: true,
      now: 1_950,
    });
    const hinted = answered(503, { 'retry-after': '9' });
    const reasons: string[] = [];
    const step = (
      settings: typeof strict,
      history: readonly Attempt[],
      outcome: Outcome,
      world: World,
    ): void => {
      reasons.push(decide(settings, history, outcome, world).reason);
    };
    step(strict, [retried(1)], answered(404, { 'retry-after': '9' }), worst);
    step(strict, [retried(1)], hinted, worst);
    step(strict, [retried(1)], hinted, { ...worst, request: { method: 'get', keyed: false } });
    const safe = { ...worst, request: { method: 'get', keyed: false }, replayable: true };
    step(strict, [retried(1)], hinted, safe);
    step(strict, [], hinted, safe);
    step(strict, [], answered(503, { 'retry-after': '1' }), safe);
    step(strict, [], answered(503), safe);
    step(strict, [], answered(503), { ...safe, now: 0 });
    step(settingsOf({ ...exact, budget: false }), [], answered(503), { ...safe, now: 0 });
    expect(reasons).toEqual([
      'final-status',
      'unsafe-method',
      'body-spent',
      'retries-spent',
      'hint-too-long',
      'hint-past-deadline',
      'wait-past-deadline',
      'budget-spent',
      'gate-shut',
    ]);
  });

  test('a failure that was classified as throttled has the price and the wait of one', () => {
    const { options, budget } = budgetLeft(5);
    const tunnel = failed(errorWith({ code: 'UND_ERR_ABORTED' }, 'Proxy response (429) !== 200'));
    expect(decide(settingsOf(options), [], tunnel, worldOf({ budget }))).toMatchObject({
      reason: 'throttled',
      waitFrom: 'throttledSchedule',
      cost: 5,
    });
  });

  test('a policy without a budget ignores the state of one; a policy with a budget works without the state', () => {
    expect(decide(settingsOf(), [], answered(503), worldOf({ budget: undefined }))).toMatchObject({
      cost: 1,
    });
  });

  test('decorrelated jitter remembers the last scheduled wait across two hints', () => {
    const decorrelated: PolicyOptions = {
      maxRetries: 9,
      schedule: { kind: 'exponential', firstMs: 100, factor: 2, maxMs: 10_000, jitter: 'decorrelated' },
    };
    const hinted = { delayMs: 9_000, waitFrom: 'hint' } as const;
    const history = [retried(1, { delayMs: 300 }), retried(2, hinted), retried(3, hinted)];
    expect(decide(settingsOf(decorrelated), history, answered(503), worldOf())).toMatchObject({
      delayMs: 500,
    });
  });

  test('a stop carries its finding, and no fields that do not apply', () => {
    expect(decide(settingsOf(), [], answered(404), worldOf())).toEqual({
      action: 'stop',
      reason: 'final-status',
      attempt: 1,
      finding: {
        kind: 'response',
        status: 404,
        class: 'final',
        evidence: 'unknown',
        hint: undefined,
        aborted: false,
      },
    });
  });

  test('hints that are dates are read with the date of the world', () => {
    const tenSecondsOn = answered(503, { 'retry-after': 'Tue, 10 Mar 2026 12:00:10 GMT' });
    const at = (wall: number): Decision =>
      decide(settingsOf({ hintJitter: 0 }), [], tenSecondsOn, worldOf({ date: wall }));
    expect(at(date)).toMatchObject({ delayMs: 10_000 });
    expect(at(date + 4_000)).toMatchObject({ delayMs: 6_000 });
  });
});

describe('safety: which requests may be sent again after which failures', () => {
  const outcomes: Readonly<Record<string, Outcome>> = {
    unsent: refused,
    refused: answered(408),
    unknown: answered(503),
  };
  const table: readonly (readonly [PolicyOptions, Partial<World['request']>, readonly string[]])[] = [
    [{}, { method: 'GET' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'get' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'HEAD' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'OPTIONS' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'TRACE' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'PUT' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'DELETE' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'QUERY' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'POST' }, ['unsent', 'refused']],
    [{}, { method: 'PATCH' }, ['unsent', 'refused']],
    [{}, { method: 'CONNECT' }, ['unsent', 'refused']],
    [{}, { method: 'MADEUP' }, ['unsent', 'refused']],
    [{ unsafeMethods: 'unsent' }, { method: 'POST' }, ['unsent']],
    [{ unsafeMethods: 'never' }, { method: 'POST' }, []],
    [{ unsafeMethods: 'never' }, { method: 'GET' }, ['unsent', 'refused', 'unknown']],
    [{}, { method: 'POST', keyed: true }, ['unsent', 'refused', 'unknown']],
    [{ unsafeMethods: 'never' }, { method: 'POST', keyed: true }, ['unsent', 'refused', 'unknown']],
    [{ idempotent: true }, { method: 'POST' }, ['unsent', 'refused', 'unknown']],
    [{ methods: ['post'] }, { method: 'POST' }, ['unsent', 'refused', 'unknown']],
    [{ methods: ['POST'] }, { method: 'GET' }, ['unsent', 'refused']],
  ];

  test.each(table)('%j %j: %j', (options, request, allowed) => {
    const settings = settingsOf(options);
    const sent = Object.entries(outcomes).filter(([, outcome]) => {
      const world = worldOf({ request: { method: 'GET', keyed: false, ...request } });
      return decide(settings, [], outcome, world).action === 'retry';
    });
    expect(sent.map(([name]) => name)).toEqual(allowed);
  });
});

const failure = {
  kind: 'error',
  name: 'Odd',
  code: 'X',
  class: 'transient',
  evidence: 'unknown',
  hint: undefined,
  aborted: false,
} as const;

describe('explain', () => {
  test('has a sentence for every decision of the table', () => {
    const sentences = cases.map(({ name, options, history = [], outcome, world }) => {
      const decision = decide(settingsOf(options), history, outcome, worldOf(world));
      return `${name}: ${explain(decision)}`;
    });
    expect(sentences).toMatchSnapshot();
  });

  test.each<[Finding['evidence'], string]>([
    ['unsent', 'unsafeMethods does not allow it even though it was never sent'],
    ['refused', 'unsafeMethods does not allow it even though the server did not process it'],
    ['unknown', 'the server may have processed it'],
  ])('the sentence for an unsafe method says what is proven: %s', (evidence, proof) => {
    const finding: Finding = { ...serverError, evidence };
    expect(explain({ action: 'stop', reason: 'unsafe-method', attempt: 1, finding })).toContain(proof);
  });

  test.each<[StopReason, string]>([
    ['cut', 'No retry after attempt 1: it was cut, because the request ended with its other attempt.'],
    [
      'other-pending',
      'No retry after attempt 1: the server answered 503 while the other attempt was still out.',
    ],
  ])('the sentence for one of two attempts that were out at once: %s', (reason, sentence) => {
    expect(explain({ action: 'stop', reason, attempt: 1, finding: serverError })).toBe(sentence);
  });

  test('a wait from a hint is explained as a hint even if its finding has none', () => {
    const { finding } = retried(1).decision;
    const byHint: Retry = { ...(retried(1).decision as Retry), waitFrom: 'hint' };
    expect(explain(byHint)).toContain('as the server asked (a hint)');
    expect(finding.kind).toBe('response');
    const error: Finding = { ...failure, class: 'final' };
    expect(
      explain({ action: 'stop', reason: 'hint-too-long', attempt: 1, finding: error, delayMs: 2, limit: 1 }),
    ).toBe('No retry after attempt 1: the server asked for a wait of 2 ms (a hint), and maxHintMs is 1 ms.');
    expect(explain({ action: 'stop', reason: 'final-error', attempt: 1, finding: error })).toContain(
      'failed with X ',
    );
    expect(
      explain({ action: 'stop', reason: 'final-error', attempt: 1, finding: { ...error, code: undefined } }),
    ).toContain('failed with Odd ');
  });

  test('numbers are readable at any length', () => {
    const retry = (delayMs: number): string => explain({ ...(retried(1).decision as Retry), delayMs });
    expect(retry(0.4)).toContain('in 0 ms ');
    expect(retry(999.5)).toContain('in 1 s ');
    expect(retry(1_234_567)).toContain('in 20.6 min ');
  });
});
