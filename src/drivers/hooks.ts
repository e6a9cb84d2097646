/** Calls to the hooks that the caller has given. As a part, with whatever only they need. */

import type { ClientOutcome, RetryContext, RetryIf } from '../core/events.js';
import { toldRequest } from '../core/told.js';
import type { Retry, ToldRequest } from '../core/types.js';
import { asSent } from '../kernel/address.js';
import type { HooksPart } from '../kernel/parts.js';
import type { Session } from '../kernel/session.js';
import type { parsedBody, readerOf } from './body/copied.js';
import { recordOf } from './header-record.js';
import type { AxiosChanges, FetchChanges } from './identity.js';
import type { Outgoing } from './loop/exchange.js';
import type { WaitingPart } from './loop/judging.js';
import type { detailsByAxios } from './sent-by-axios.js';
import type { detailsByFetch } from './sent-by-fetch.js';
import { toldOutcome } from './told-outcome.js';

/** Calls the functions of a policy that are told of the request. */
export interface Hooks extends HooksPart, WaitingPart {
  readonly verdictOn: typeof verdictOn;
  readonly askBeforeRetry: typeof askBeforeRetry;
}

export interface FetchHooks extends Hooks {
  readonly readerOf: typeof readerOf;
  readonly FetchChanges: typeof FetchChanges;
  readonly detailsByFetch: typeof detailsByFetch;
}

export interface AxiosHooks extends Hooks {
  readonly parsedBody: typeof parsedBody;
  readonly AxiosChanges: typeof AxiosChanges;
  readonly detailsByAxios: typeof detailsByAxios;
}

/** Hooks get the same object for all attempts of a request, so they can keep something about the request by it. */
const told: WeakMap<Session, ToldRequest> = new WeakMap();

function requestOf(session: Session): ToldRequest {
  const known = told.get(session);
  if (known !== undefined) return known;
  const request = toldRequest(session.request);
  told.set(session, request);
  return request;
}

/** The verdict of `retryIf`, or a promise of it. */
export function verdictOn(session: Session, outcome: ClientOutcome): ReturnType<RetryIf> {
  const { retryIf } = session.settings;
  return retryIf?.(toldOutcome(outcome, session.settings.failures), requestOf(session));
}

/** Calls `beforeRetry`, which may change the next attempt. `inTime` waits for it. */
export async function askBeforeRetry(
  session: Session,
  decision: Retry,
  outgoing: Pick<Outgoing<unknown>, 'changes'>,
  inTime: (work: unknown) => unknown,
): Promise<void> {
  const { changes } = outgoing;
  if (changes === undefined) return;
  const { url, headers } = changes.target(asSent);
  const context = contextFor(session, decision, { url, headers: recordOf(headers) });
  await inTime(session.settings.beforeRetry?.(context));
  const isElsewhere = context.url !== url;
  changes.change(context.headers, isElsewhere ? context.url : undefined);
  if (isElsewhere) session.movesTo(context.url);
}

/** What `beforeRetry` gets: the URL and the headers of the next attempt, which it may change. */
export function contextFor(
  session: Session,
  decision: Retry,
  { url, headers }: Pick<RetryContext, 'url' | 'headers'>,
): RetryContext {
  return { request: requestOf(session), decision, history: session.history, url, headers };
}
