/** What the policy has to know about an ending before it decides: the outcome, and what the caller says about it. */

import { DeadlineError } from '../../core/errors.js';
import type { ClientOutcome } from '../../core/events.js';
import { isPromise } from '../../core/returned.js';
import type { Prospects, SessionCredentials } from '../../kernel/session.js';
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

/** `attempt` is its number, if two are out. */
export async function judged<Answer>(
  ending: Ending<Answer>,
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
  attempt?: number,
): Promise<Judged> {
  const outcome = unaskedIn(ending) ?? (await times.inTime(exchange.outcomeOf(ending)));
  const isFinal = exchange.isAborted || (ending.kind === 'error' && ending.error instanceof DeadlineError);
  // What is final needs no verdict, so `retryIf` is not asked.
  const verdict = isFinal ? undefined : await verdictIn(exchange, times, outcome);
  const { credentials } = exchange.session;
  const renewed =
    isFinal || credentials === undefined
      ? undefined
      : await renewedIn(credentials, ending, exchange, times, outcome, verdict, attempt);
  const replayable = exchange.body?.isReplayable ?? true;
  return { outcome, prospects: { replayable, verdict, renewed }, isFinal };
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
  const isRenewed = await times.inTime(renewed);
  throwIfAborted(exchange);
  return isRenewed;
}

async function verdictIn(
  exchange: PromiseExchange<unknown>,
  times: TimeLimits,
  outcome: ClientOutcome,
): Promise<boolean | undefined> {
  const { session } = exchange;
  // The kernel knows less of it than there is.
  const hooks = exchange.parts.hooks as Hooks | undefined;
  if (hooks === undefined || session.settings.retryIf === undefined) return undefined;
  const verdict = await times.inTime(hooks.verdictOn(session, outcome));
  throwIfAborted(exchange);
  return verdict;
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
