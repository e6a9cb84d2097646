/** What the policy has to know about an ending before it decides: the outcome, and what the caller says about it. */

import { DeadlineError } from '../../core/errors.js';
import type { ClientOutcome } from '../../core/events.js';
import { isPromise } from '../../core/returned.js';
import type { Prospects, SessionCredentials } from '../../kernel/session.js';
import { free, keep } from '../body/web-stream.js';
import type { Hooks } from '../hooks.js';
import type { Ending, PromiseExchange } from './exchange.js';
import type { TimeLimits } from './times.js';
import { throwIfAborted } from './wait.js';

export interface Judged {
  readonly outcome: ClientOutcome;
  readonly prospects: Prospects;
  /** The caller has aborted, or the deadline is over: this ends the request, whatever else is still out. */
  readonly isFinal: boolean;
}

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
  if (settings.retryIf !== undefined || credentials !== undefined || isPromise<ClientOutcome>(told))
    return judgedLater(told, ending, exchange, times, attempt);
  const prospects = { replayable: exchange.body?.isReplayable ?? true };
  return { outcome: told, prospects, isFinal: isFinal(ending, exchange) };
}

function isFinal<Answer>(ending: Ending<Answer>, exchange: PromiseExchange<Answer>): boolean {
  return exchange.isAborted || (ending.kind === 'error' && ending.error instanceof DeadlineError);
}

async function judgedLater<Answer>(
  told: ClientOutcome | PromiseLike<ClientOutcome>,
  ending: Ending<Answer>,
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
  attempt: number | undefined,
): Promise<Judged> {
  const outcome = await times.inTime(told);
  const isOver = isFinal(ending, exchange);
  // What is final needs no verdict, so `retryIf` is not asked.
  const verdict = isOver ? undefined : await verdictIn(ending, exchange, times, outcome);
  const { credentials } = exchange.session;
  const renewed =
    isOver || credentials === undefined
      ? undefined
      : await renewedIn(credentials, ending, exchange, times, outcome, verdict, attempt);
  const replayable = exchange.body?.isReplayable ?? true;
  return { outcome, prospects: { replayable, verdict, renewed }, isFinal: isOver };
}

/** While they are being renewed, the ending is kept: it is the caller's if there are no fresh ones. */
async function renewedIn<Answer>(
  credentials: SessionCredentials,
  ending: Ending<Answer>,
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
  outcome: ClientOutcome,
  verdict: boolean | undefined,
  attempt: number | undefined,
): Promise<boolean | undefined> {
  const replayable = exchange.body?.isReplayable ?? true;
  const renewed = credentials.renewed(outcome, { replayable, verdict }, attempt);
  if (!isPromise<boolean>(renewed)) return renewed;
  times.keepAsCause(ending, outcome);
  const isRenewed = await keptInTime(renewed, ending, exchange, times);
  throwIfAborted(exchange);
  return isRenewed;
}

async function verdictIn<Answer>(
  ending: Ending<Answer>,
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
  outcome: ClientOutcome,
): Promise<boolean | undefined> {
  const { session } = exchange;
  // The kernel knows less of it than there is.
  const hooks = exchange.parts.hooks as Hooks | undefined;
  if (hooks === undefined || session.settings.retryIf === undefined) return undefined;
  const verdict = await keptInTime(hooks.verdictOn(session, outcome), ending, exchange, times);
  throwIfAborted(exchange);
  return verdict;
}

/** Meanwhile, the ending is kept: it may go to the caller after that. */
async function keptInTime<T, Answer>(
  work: T | PromiseLike<T>,
  ending: Ending<Answer>,
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
): Promise<T> {
  if (!isPromise<T>(work)) return work;
  const body = exchange.unread(ending);
  keep(body);
  try {
    return await times.inTime(work);
  } finally {
    free(body);
  }
}

/** The outcome of an attempt that timed out before it was sent: it says nothing about the server. */
function unaskedIn(ending: Ending<unknown>): ClientOutcome | undefined {
  if (ending.kind === 'response' || ending.unasked !== true) return undefined;
  return { kind: 'error', error: ending.error, aborted: false, evidence: 'unsent', unasked: true };
}

/** The attempt has ended even if a function of the caller failed afterwards, and the session has to know. */
export function tellAbort(exchange: PromiseExchange<unknown>, error: unknown): void {
  if (exchange.isAborted)
    exchange.session.next({ kind: 'error', error, aborted: true }, { replayable: false });
}
