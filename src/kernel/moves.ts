/**
 * What functions of a policy say about scopes: by which name a request has one, and that its next attempt goes to another
 * origin, since `beforeRetry` has changed its URL. It belongs to the scope of that origin then, which pays for the retry in
 * place of its own.
 */

import type { Rule } from '../core/policy/policy.js';
import { wrongReturn } from '../core/returned.js';
import { toldRequest } from '../core/told.js';
import type { History, RequestFacts, ToldRequest } from '../core/types.js';
import { originIn, written } from './address.js';
import type { Limits } from './limits/limits.js';
import type { Asking, Permit } from './limits/permit.js';

export interface Move {
  /** The limits of its own origin. */
  readonly home: Limits;
  readonly asking: Asking;
  /** How many attempts had ended before the last move. */
  readonly after: number;
}

/** The session, as far as a move has to do with it. */
interface Moving {
  readonly request: RequestFacts;
  readonly rule: Rule;
  readonly history: History;
  readonly permit: Permit | undefined;
  readonly asked: { leave(limits: Limits, permit: Permit): void } | undefined;
  readonly credentials: { movesTo(url: string): void } | undefined;
  readonly race: { moved(): void } | undefined;
  limits: Limits;
  move: Move | undefined;
}

export function moveTo(session: Moving, url: string): void {
  const { limits, request, rule, history, permit } = session;
  const home = session.move?.home ?? limits;
  session.credentials?.movesTo(url);
  const isHome = !isElsewhere(url, request);
  const asking = isHome ? session : { request: at(url, request), rule };
  const there = isHome ? home : home.scope.siblings.limitsFor(rule, home.settings, asking.request);
  if (there.scope === limits.scope) return;
  const paid = history.at(-1)?.decision;
  if (paid?.action === 'retry' && paid.reason !== 'fresh-credentials') {
    const now = limits.scope.ports.now();
    limits.budget?.moved(paid.finding, now);
    there.budget?.spend(paid.finding, now);
  }
  if (permit !== undefined) session.asked?.leave(limits, permit);
  session.move = { home, asking, after: history.length };
  session.limits = there;
  session.race?.moved();
}

/** Where a client does not know the origin, it does not know that another one is meant either. */
function isElsewhere(url: string, { origin }: RequestFacts): boolean {
  const there = originIn(url);
  return there !== undefined && origin !== undefined && there !== (originIn(origin) ?? origin);
}

/** The request as if it had been made there. */
function at(url: string, request: RequestFacts): RequestFacts {
  const { method, keyed } = request;
  const header = (name: string): string | undefined => request.header?.(name);
  return { method, keyed, header, origin: originIn(url), path: written(url) };
}

/** The scope of a request, from the function that names it. */
export function scopeNameFrom(scope: (request: ToldRequest) => unknown, request: RequestFacts): string {
  const name = scope(toldRequest(request));
  // A blank name is refused: all requests without a name would share one scope.
  if (typeof name === 'string' && /\S/.test(name)) return name;
  throw wrongReturn('scope', name, '"origin" or a name that is not blank');
}
