/** Judges an ending of which something has to be read, or which functions of the caller have to be asked about. */

import type { ClientOutcome } from '../../core/events.js';
import { isPromise } from '../../core/returned.js';
import type { SessionCredentials } from '../../kernel/session.js';
import { free, keep } from '../body/web-stream.js';
import type { Hooks } from '../hooks.js';
import type { Ending, PromiseExchange } from './exchange.js';
import { isFinal, type Judged } from './judging.js';
import type { TimeLimits } from './times.js';
import { throwIfAborted } from './wait.js';

export async function judgedLater<Answer>(
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
