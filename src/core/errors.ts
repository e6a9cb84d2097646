/**
 * The errors of the library. It throws only what no attempt can explain; everything else that reaches a caller is the
 * client's own response or error. Those of the limits are in their folders.
 */

import { timeText } from './time-text.js';

/** One thing that is wrong with a policy. */
export interface Problem {
  /** The place in the policy, such as `rules[2].schedule.firstMs`; empty for the policy itself. */
  readonly path: string;
  /** What was found there. */
  readonly found: string;
  /** What is allowed there. */
  readonly allowed: string;
  /** What to do, for example the nearest known key or name. */
  readonly advice?: string;
}

/** Something in a policy that is valid but probably a mistake. It takes effect as written. */
export interface Remark {
  /** The place in the policy, such as `rules[2].match`. */
  readonly path: string;
  /** What it means. */
  readonly says: string;
  /** What to write instead. */
  readonly advice: string;
}

/** A policy, or the override of a single request, cannot be used. The error lists all of its problems. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly code = 'ERR_UNDAUNTED_POLICY';
  readonly problems: readonly Problem[];

  /** `place` is where the override of a request stands (`init.retry`); empty for a policy. */
  constructor(problems: readonly Problem[], place = '') {
    // The check stops there.
    const more = problems.length >= 100 ? ' or more' : '';
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems${more}`;
    const lines = problems.map((problem) => `  - ${describe(problem, place)}`);
    super(`${place === '' ? 'The policy' : place} has ${count}:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

function describe(problem: Problem, place: string): string {
  const { path } = problem;
  const dot = place === '' || path === '' || path.startsWith('[') ? '' : '.';
  return `${`${place}${dot}${path}` || '(policy)'}: ${problemText(problem)}`;
}

/** What was found where many names are allowed: a sentence could not list them. */
export const unknownSetting = 'unknown setting';

/** A problem in words, without its place. */
export function problemText({ found, allowed, advice }: Problem): string {
  const what = found === unknownSetting ? found : `found ${found}; allowed: ${allowed}`;
  return advice === undefined ? what : `${what}. ${advice}`;
}

/** Options of an error about a time that is over. */
interface OverOptions extends ErrorOptions {
  readonly stalledMs?: number | undefined;
}

/** The request's deadline passed during an attempt. `cause` is the last real outcome before it, if there was one. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  readonly code = 'ERR_UNDAUNTED_DEADLINE';
  readonly deadlineMs: number;
  /**
   * For how many milliseconds this process was seen to stand still meanwhile: in a long computation, or suspended. 0: it
   * was not.
   */
  readonly stalledMs: number;

  constructor(deadlineMs: number, { stalledMs = 0, ...options }: OverOptions = {}) {
    const stalled = stalledText(stalledMs);
    super(`The request did not finish within its deadline of ${timeText(deadlineMs)}${stalled}`, options);
    this.deadlineMs = deadlineMs;
    this.stalledMs = stalledMs;
  }
}

/** One attempt took too long. This is an outcome like any other: it is retried if that is safe. */
export class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
  readonly code = 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT';
  readonly attemptTimeoutMs: number;
  /**
   * For how many milliseconds this process was seen to stand still meanwhile: in a long computation, or suspended. They
   * do not count as the attempt's time. 0: it was not.
   */
  readonly stalledMs: number;

  constructor(attemptTimeoutMs: number, { stalledMs = 0, ...options }: OverOptions = {}) {
    const stalled = stalledText(stalledMs);
    super(`No answer within the attempt timeout of ${timeText(attemptTimeoutMs)}${stalled}`, options);
    this.attemptTimeoutMs = attemptTimeoutMs;
    this.stalledMs = stalledMs;
  }
}

function stalledText(stalledMs: number): string {
  return stalledMs > 0 ? `; this process itself stood still for ${timeText(Math.round(stalledMs))}` : '';
}
