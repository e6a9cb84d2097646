/**
 * The contract, in this order: worth it -> safe -> affordable. Every "no" has its own reason. Time, random numbers and
 * shared state are arguments, so that any decision can be replayed from its event.
 */

import { headerReader } from '../hints/answer.js';
import { mayBeRepeatedOnce } from '../hints/once.js';
import { affords, costOf, priceOf } from '../limits/budget/budget.js';
import type { Cost } from '../limits/budget/setting.js';
import type { Forbids } from '../limits/settings.js';
import type { GoesAgain, Settings } from '../policy/settings.js';
import type {
  Decision,
  Finding,
  History,
  Outcome,
  Retry,
  RetryReason,
  Stop,
  StopReason,
  ToldFinding,
  World,
} from '../types.js';
import { asksForRetry, classify, headersOf } from './classify.js';
import { freshAttempt, isRetried, mayGoAgain, retriesIn } from './fresh.js';
import { whyUnsafe } from './safety.js';
import { scheduledWait } from './schedule.js';

/**
 * Decides what follows an attempt: a retry or a stop, and why. `history` holds the attempts before the one that ended
 * with `outcome`. A finding has no headers: `source` is what it was found in, for a schedule that is a function.
 */
export function decide(
  settings: Settings,
  history: History,
  outcome: Outcome | Finding,
  world: World,
  source: Outcome | Finding = outcome,
): Decision {
  const finding = classify(settings, outcome, world.date);
  const attempt = world.attempt ?? history.length + 1;
  if (hasEndedIt(settings, finding, world)) {
    return stop(attempt, finding, 'wait-past-deadline', deadlineLimit(settings));
  }
  const again =
    world.renewed === true ? settings.goesAgain?.(settings, history, attempt, finding, world) : undefined;
  if (again !== undefined) return again;
  const no = whyNotWorthIt(history, finding, world.verdict) ?? whyUnsafe(settings, finding, world);
  if (no !== undefined) return stop(attempt, finding, no);
  return afford(settings, history, attempt, finding, world, source);
}

/** The request's own deadline, after which there is no retry. If there is time left, it is the deadline of a layer beneath. */
function hasEndedIt(settings: Settings, finding: Finding, world: World): boolean {
  // Stryker disable next-line ConditionalExpression: a response has no code; the kind is for the compiler.
  const isDeadline = finding.kind === 'error' && finding.code === 'ERR_UNDAUNTED_DEADLINE';
  // Timers can fire a fraction of a millisecond early.
  return isDeadline && timeLeft(settings, world) < 1;
}

/** With fresh credentials, once. The budget is not asked. Undefined: the answer is judged as any other. */
export const goesAgain: GoesAgain = (settings, history, attempt, finding, world) => {
  if (!mayGoAgain(settings, history, finding, world)) return undefined;
  const free: World = { ...world, budget: undefined };
  const no = forbidden(settings, free, 'transient', 0, timeLeft(settings, world));
  if (no === undefined) return freshAttempt(attempt, finding);
  const { reason, ...why } = no;
  return stop(attempt, finding, reason, why);
};

// ---------------------------------------------------------------- worth it

function whyNotWorthIt(
  history: History,
  finding: Finding,
  verdict: boolean | undefined,
): StopReason | undefined {
  if (finding.aborted) return 'aborted';
  if (verdict !== undefined) return verdict ? undefined : 'caller-forbids';
  if (finding.hint?.retry === false) return 'server-forbids';
  if (mayBeRepeatedOnce(finding) && history.some(({ decision }) => mayBeRepeatedOnce(decision.finding))) {
    return 'server-forbids';
  }
  if (finding.class !== 'final') return undefined;
  if (finding.kind === 'error') return 'final-error';
  return finding.status < 400 && finding.hint?.means === undefined ? 'success' : 'final-status';
}

function whyWorthIt(settings: Settings, finding: Finding, verdict: boolean | undefined): RetryReason {
  if (verdict === true) return 'caller-asks';
  if (finding.class === 'throttled') return 'throttled';
  if (isAttemptTimeout(finding)) return 'attempt-timeout';
  if (finding.kind === 'error') return 'transport-error';
  return asksForRetry(finding.hint) && !settings.statuses.retried.has(finding.status)
    ? 'server-asks'
    : 'transient-status';
}

// ---------------------------------------------------------------- affordable

/** Retries left, length of the hint, deadline; at last the limits of the scope. */
function afford(
  settings: Settings,
  history: History,
  attempt: number,
  finding: Finding,
  world: World,
  source: Outcome | Finding,
): Decision {
  const { maxRetries, budget } = settings;
  // A hedge is an attempt, too, but no retry, and so is one with fresh credentials.
  const retries = retriesIn(history);
  if (maxRetries === 0) return stop(attempt, finding, 'retries-off');
  if (world.suppressed === true) return stop(attempt, finding, 'retries-suppressed');
  if (retries >= maxRetries) return stop(attempt, finding, 'retries-spent', { limit: maxRetries });

  const wait = chooseWait(settings, history, attempt, retries + 1, finding, world, source);
  if ('action' in wait) return wait;

  const price = priceOf(finding);
  const no = forbidden(settings, world, price, wait.delayMs, timeLeft(settings, world));
  if (no !== undefined) {
    const { reason, ...why } = no;
    return stop(attempt, finding, reason, why);
  }
  const reason = whyWorthIt(settings, finding, world.verdict);
  const { delayMs, waitFrom } = wait;
  const cost = budget === false ? 0 : costOf(budget, price);
  const retry = retries + 1;
  return {
    action: 'retry',
    reason,
    attempt,
    finding,
    ...(attempt !== retry && { retry }),
    delayMs,
    waitFrom,
    cost,
  };
}

/**
 * The budget comes first: requests spend it themselves, so what it forbids would be forbidden however the server is. The
 * others are asked if there are any (`ask.ts`).
 */
function forbidden(
  settings: Settings,
  world: World,
  price: keyof Cost,
  delayMs: number,
  leftMs: number,
): ReturnType<Forbids> {
  const { budget } = settings;
  const isEnough =
    budget === false || world.budget === undefined || affords(budget, world.budget, price, world.now);
  return isEnough ? settings.forbids?.(settings, world, delayMs, leftMs) : { reason: 'budget-spent' };
}

type Wait = Pick<Retry, 'delayMs' | 'waitFrom'>;

/** A hint comes first; a hint of 0 does not count, as it would make a busy loop. */
function chooseWait(
  settings: Settings,
  history: History,
  attempt: number,
  retry: number,
  finding: Finding,
  world: World,
  source: Outcome | Finding,
): Wait | Stop {
  const hintMs = finding.hint?.delayMs ?? 0;
  if (hintMs > 0) return waitAsHinted(settings, history, attempt, finding, hintMs, world);
  const { delayMs, waitFrom } = isCutShort(finding, world)
    ? atOnce
    : waitAsScheduled(settings, history, retry, finding, world, source);
  if (delayMs >= timeLeft(settings, world)) {
    return stop(attempt, finding, 'wait-past-deadline', { delayMs, ...deadlineLimit(settings) });
  }
  return { delayMs, waitFrom };
}

const atOnce: Wait = { delayMs: 0, waitFrom: 'none' };

function waitAsScheduled(
  settings: Settings,
  history: History,
  retry: number,
  finding: Finding,
  { random }: World,
  source: Outcome | Finding,
): Wait {
  const waitFrom = finding.class === 'throttled' ? 'throttledSchedule' : 'schedule';
  const schedule = settings[waitFrom];
  const told = typeof schedule === 'function' ? toldFinding(settings, finding, source) : undefined;
  return { delayMs: scheduledWait(schedule, retry, previousWait(history), random, told), waitFrom };
}

function toldFinding(settings: Settings, finding: Finding, source: Outcome | Finding): ToldFinding {
  return { ...finding, header: headerReader(headersOf(settings, source)) };
}

/** The server is not slow as a whole: most answers come in less time, so a wait would spare it nothing. */
function isCutShort(finding: Finding, { learntTimeout }: World): boolean {
  return learntTimeout === true && isAttemptTimeout(finding);
}

export function isAttemptTimeout(finding: Finding): boolean {
  return finding.kind === 'error' && finding.code === 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT';
}

/** Never earlier than asked, and never clamped: if the hint is too long, the caller gets the response instead. */
function waitAsHinted(
  settings: Settings,
  history: History,
  attempt: number,
  finding: Finding,
  hintMs: number,
  world: World,
): Wait | Stop {
  const { maxHintMs } = settings;
  if (hintMs > maxHintMs) {
    return stop(attempt, finding, 'hint-too-long', { delayMs: hintMs, limit: maxHintMs });
  }
  const left = timeLeft(settings, world);
  if (hintMs >= left) {
    return stop(attempt, finding, 'hint-past-deadline', { delayMs: hintMs, ...deadlineLimit(settings) });
  }
  // Upwards only, and no further than the deadline.
  const jitterMs = longestJitter(settings, history, hintMs, left - hintMs, world.queueMs) * world.random;
  return { delayMs: hintMs + jitterMs, waitFrom: 'hint' };
}

/**
 * A request that was refused again after it had obeyed came back together with others that were told the same, so it
 * spreads out: over twice the hint, then four times, and so on. No further than any hint is obeyed, and half of the time
 * that is left is for the answer. Behind a hold, the queue spreads them.
 */
function longestJitter(
  { maxHintMs, hintJitter }: Settings,
  history: History,
  hintMs: number,
  leftMs: number,
  queueMs = 0,
): number {
  const usualMs = Math.min(hintMs * hintJitter, leftMs);
  const obeyed = hintsObeyed(history);
  if (obeyed === 0 || hintJitter === 0 || queueMs > 0) return usualMs;
  return Math.max(usualMs, Math.min(hintMs * 2 ** obeyed, maxHintMs - hintMs, leftMs / 2));
}

/** How many retries in a row, up to now, were made when a hint had said so. */
function hintsObeyed(history: History): number {
  let count = 0;
  for (const attempt of history) if (isRetried(attempt)) count = isHinted(attempt.decision) ? count + 1 : 0;
  return count;
}

function isHinted(decision: Decision): boolean {
  return decision.action === 'retry' && decision.waitFrom === 'hint';
}

function timeLeft({ deadlineMs }: Settings, { startedAt, now }: World): number {
  return (startedAt ?? now) + (deadlineMs ?? Infinity) - now;
}

function deadlineLimit({ deadlineMs }: Settings): { limit?: number } {
  return deadlineMs === undefined ? {} : { limit: deadlineMs };
}

/** The last wait from a schedule. Hints do not count: they say nothing about the schedule. */
function previousWait(history: History): number | undefined {
  return history.findLast(isScheduled)?.decision.delayMs;
}

function isScheduled({ decision }: History[number]): boolean {
  return decision.action === 'retry' && decision.waitFrom !== 'hint' && decision.waitFrom !== 'none';
}

function stop(
  attempt: number,
  finding: Finding,
  reason: StopReason,
  why?: Pick<Stop, 'delayMs' | 'limit'>,
): Stop {
  return { action: 'stop', reason, attempt, finding, ...why };
}
