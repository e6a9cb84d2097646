/** Calls to the hooks that the caller has given. As a part, with whatever only they need. */

import type { ClientOutcome, RetryContext, RetryIf } from '../core/events.js';
import { toldRequest } from '../core/told.js';
import type { Retry, ToldRequest } from '../core/types.js';
import { asSent } from '../kernel/address.js';
import type { HooksPart } from '../kernel/parts.js';
import type { Session } from '../kernel/session.js';
import type { parsedBody, readerOf } from './body/copied.js';
import type { initFrom } from './built-anew.js';
import { recordOf } from './header-record.js';
import type { Detour, withoutIdentity } from './identity.js';
import type { Outgoing } from './loop/exchange.js';
import type { WaitingPart } from './loop/judging.js';
import { toldOutcome } from './told-outcome.js';

/** Calls the functions of a policy that are told of the request. */
export interface Hooks extends HooksPart, WaitingPart {
  readonly verdictOn: typeof verdictOn;
  readonly askBeforeRetry: typeof askBeforeRetry;
}

export interface FetchHooks extends Hooks {
  readonly readerOf: typeof readerOf;
  readonly withoutIdentity: typeof withoutIdentity;
  readonly initFrom: typeof initFrom;
}

export interface AxiosHooks extends Hooks {
  readonly parsedBody: typeof parsedBody;
  readonly changed: typeof changed;
  readonly Detour: typeof Detour;
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
  outgoing: Pick<Outgoing<unknown>, 'target' | 'change'>,
  inTime: (work: unknown) => unknown,
): Promise<void> {
  const { url, headers } = outgoing.target(asSent);
  const context = contextFor(session, decision, { url, headers: recordOf(headers) });
  await inTime(session.settings.beforeRetry?.(context));
  const isElsewhere = context.url !== url;
  outgoing.change(context.headers, isElsewhere ? context.url : undefined);
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

/** The headers of an attempt by axios as `beforeRetry` has made them, with those that axios must not add. */
export function changed(
  headers: Readonly<Record<string, unknown>>,
  added: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const isSuppressed = ([name, value]: [string, unknown]): boolean =>
    (value === false || value === null) && !names.has(name.toLowerCase());
  return { ...Object.fromEntries(Object.entries(headers).filter(isSuppressed)), ...added };
}
