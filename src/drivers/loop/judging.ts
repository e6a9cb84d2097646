/** What the policy has to know about an ending before it decides: the outcome, and what the caller says about it. */

import { isSafe } from '../../core/decide/safety.js';
import { DeadlineError } from '../../core/errors.js';
import type { ClientOutcome } from '../../core/events.js';
import { isPromise } from '../../core/returned.js';
import type { Prospects, Session } from '../../kernel/session.js';
import type { Ending, PromiseExchange } from './exchange.js';
import type { TimeLimits } from './times.js';

export interface Judged {
  readonly outcome: ClientOutcome;
  readonly prospects: Prospects;
  /** The caller has aborted, or the deadline is over: this ends the request, whatever else is still out. */
  readonly isFinal: boolean;
}

/** Judges an ending of which something has to be read, or which functions of the caller have to be asked about. */
type JudgedLater = <Answer>(
  told: ClientOutcome | PromiseLike<ClientOutcome>,
  ending: Ending<Answer>,
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
  attempt: number | undefined,
) => Promise<Judged>;

/** A part with a setting that makes this necessary. */
export interface WaitingPart {
  readonly judgedLater: JudgedLater;
}

type PartsThatWait = { readonly [Name in 'hooks' | 'credentials' | 'bodyHints']?: WaitingPart };

/**
 * At once, if nothing of the answer has to be read and no function of the caller's has to be asked. `attempt` is its
 * number, if two are out.
 */
export function judged<Answer>(
  ending: Ending<Answer>,
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
  attempt?: number,
): Judged | Promise<Judged> {
  const told = unaskedIn(ending) ?? exchange.outcomeOf(ending);
  const { credentials, settings } = exchange.session;
  if (settings.retryIf !== undefined || credentials !== undefined || isPromise<ClientOutcome>(told)) {
    const parts: object = exchange.parts;
    const { hooks, credentials: own, bodyHints } = parts as PartsThatWait;
    const part = hooks ?? own ?? bodyHints;
    if (part !== undefined) return part.judgedLater(told, ending, exchange, times, attempt);
  }
  const prospects = { replayable: exchange.body?.isReplayable ?? true };
  return { outcome: told as ClientOutcome, prospects, isFinal: isFinal(ending, exchange) };
}

export function isFinal<Answer>(ending: Ending<Answer>, exchange: PromiseExchange<Answer>): boolean {
  return exchange.isAborted || (ending.kind === 'error' && ending.error instanceof DeadlineError);
}

/** The outcome of an attempt that timed out before it was sent: it says nothing about the server. */
function unaskedIn(ending: Ending<unknown>): ClientOutcome | undefined {
  if (ending.kind === 'response' || ending.unasked !== true) return undefined;
  return { kind: 'error', error: ending.error, aborted: false, evidence: 'unsent', unasked: true };
}

/**
 * What the request ends with, since a function of the caller's has failed. A caller who has aborted by now gets the abort
 * error. The attempt has ended nevertheless, and the session has to know.
 */
export function endedBy(failure: unknown, exchange: PromiseExchange<unknown>): unknown {
  if (!exchange.isAborted) return failure;
  const error = exchange.abortError();
  exchange.session.next({ kind: 'error', error, aborted: true }, { replayable: false });
  return error;
}

/** Whether it depends on the evidence of the attempt that is next, or out, if the request is sent once more. */
export function needsProof({ settings, request, attempt }: Session): boolean {
  if (settings.methods.has(request.method)) return false;
  if (attempt > settings.maxRetries && settings.credentials === false) return false;
  return settings.unsafeMethods !== 'never' && !isSafe(settings, request);
}
