/** What a rule does about slow answers: whether a request would be hedged, and its attempt timeout if that is adaptive. */

import type { Settings, StopReason } from '../../../index.js';
import { waitText } from '../../pages/numbers.js';
import type { Question } from './question.js';
import { answer } from './question.js';
import { attemptTimeout, readError } from './written.js';

export interface TailPlan {
  /** Absent if `hedge` is off. */
  readonly hedge?: { readonly isHedged: boolean; readonly sentence: string };
  /** Absent unless `attemptTimeoutMs` is an object. */
  readonly attemptTimeout?: { readonly isLearnt: boolean; readonly sentence: string };
}

type Asked = Omit<Question, 'outcome'>;

export function tailPlanFor(asked: Asked, { settings }: { readonly settings: Settings }): TailPlan {
  const { hedge, tail } = settings;
  return {
    ...(hedge !== false && { hedge: hedgePlan(asked, settings, hedge) }),
    ...(tail?.timeout !== undefined && { attemptTimeout: timeoutPlan(asked, tail.timeout) }),
  };
}

// ---------------------------------------------------------------- hedges

type Hedge = Exclude<Settings['hedge'], false>;

function hedgePlan(asked: Asked, settings: Settings, hedge: Hedge): NonNullable<TailPlan['hedge']> {
  const no = whyNotHedged(asked, settings, hedge);
  if (no !== undefined) return { isHedged: false, sentence: `It would not be hedged: ${no}.` };
  const after = hedge.afterMs === undefined ? multipleText(hedge) : waitText(hedge.afterMs);
  const sentence = `It would be hedged: if there is no answer after ${after}, a second attempt is sent beside the first.`;
  return { isHedged: true, sentence };
}

function whyNotHedged(
  { request, replayable }: Asked,
  { maxRetries, beforeRetry }: Settings,
  { methods }: Hedge,
): string | undefined {
  if (maxRetries === 0) return 'retries are off';
  if (beforeRetry !== undefined) return 'there is a beforeRetry, which a second attempt would need at once';
  if (!methods.includes(request.method)) return `${request.method} is not among hedge.methods`;
  return replayable ? undefined : 'its body can be sent only once';
}

// ---------------------------------------------------------------- attempt timeouts

type LearntTimeout = NonNullable<NonNullable<Settings['tail']>['timeout']>;

function timeoutPlan(asked: Asked, timeout: LearntTimeout): NonNullable<TailPlan['attemptTimeout']> {
  const [least, most] = [waitText(timeout.minMs), waitText(timeout.maxMs)];
  const { decision } = answer({ ...asked, outcome: readError(attemptTimeout) });
  if (decision.action === 'stop') {
    const sentence = `The timeout of this attempt is ${most} (maxMs): ${whyNotLearnt(decision.reason)}.`;
    return { isLearnt: false, sentence };
  }
  const sentence =
    `The timeout of this attempt is ${multipleText(timeout)}, from ${least} to ${most}. ` +
    `Until enough answers are known, it is ${most}.`;
  return { isLearnt: true, sentence };
}

/** A timeout that is too short must not cost a request its answer. */
function whyNotLearnt(reason: StopReason): string {
  return reasons[reason] ?? 'it would not be retried';
}

const reasons: { readonly [R in StopReason]?: string } = {
  'unsafe-method': 'the request is not safe to repeat',
  'body-spent': 'its body can be sent only once',
  'retries-off': 'retries are off',
  'retries-spent': 'it is the last attempt',
};

// ---------------------------------------------------------------- words

function multipleText({ quantile, factor }: { readonly quantile: number; readonly factor: number }): string {
  return `${factor} times ${quantileText(quantile)} of recent answers`;
}

function quantileText(quantile: number): string {
  if (quantile === 0.5) return 'the median';
  const percentile = Number((100 * quantile).toFixed(4));
  return `the ${percentile}${endingOf(percentile)} percentile`;
}

/** As in 91st, 92nd, 93rd and 95th, but 11th to 13th and 99.1th. */
function endingOf(number: number): string {
  if (!Number.isInteger(number) || (number % 100 > 10 && number % 100 < 14)) return 'th';
  return { 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th';
}
