/**
 * A spy on what sessions are told of the end of their answers. It makes them wait for that, as a limit on the attempts in
 * flight does.
 */

import type { Retrier } from '../../src/index.js';
import type { Session } from '../../src/kernel/session.js';

/** What one request has told. */
export interface ToldEnd {
  /** Whether an attempt was let through. */
  isAdmitted: boolean;
  /** How often the session was told that the body is over. */
  ends: number;
  /** How many losers were left to run, and how many of them are gone. */
  losersLeft: number;
  losersGone: number;
}

/** Every request that the retrier opens from now on, in order. */
export function toldEnds(retrier: Retrier, { isAwaited = true } = {}): readonly ToldEnd[] {
  const all: ToldEnd[] = [];
  const open = retrier.open.bind(retrier);
  retrier.open = (...given) => {
    const session = open(...given);
    const told: ToldEnd = { isAdmitted: false, ends: 0, losersLeft: 0, losersGone: 0 };
    all.push(told);
    if (isAwaited) Object.defineProperty(session, 'awaitsBody', { value: true });
    spyOn(session, told);
    return session;
  };
  return all;
}

function spyOn(session: Session, told: ToldEnd): void {
  const { admit, bodyEnded } = session;
  session.admit = () => {
    const admission = admit.call(session);
    if (admission.kind === 'go') told.isAdmitted = true;
    return admission;
  };
  session.bodyEnded = () => {
    told.ends += 1;
    bodyEnded.call(session);
  };
  const { tail } = session;
  if (tail === undefined) return;
  const { leaveLoser, loserGone } = tail;
  tail.leaveLoser = (attempt) => {
    told.losersLeft += 1;
    return leaveLoser.call(tail, attempt);
  };
  tail.loserGone = (attempt, isAnswered) => {
    told.losersGone += 1;
    loserGone.call(tail, attempt, isAnswered);
  };
}

/** Requests whose limits would lose a place, or give one back twice. */
export function miscounted(all: readonly ToldEnd[]): readonly ToldEnd[] {
  return all.filter(({ isAdmitted, ends }) => ends > 1 || (isAdmitted && ends !== 1));
}

/** More than a script has requests, so that none of them waits. */
export const counted = { concurrency: 1_000 } as const;

/** What is still counted as in flight, in words; undefined: nothing. */
export function leftInFlight(retrier: Retrier): string | undefined {
  const all = retrier.snapshot().scopes.flatMap(({ concurrencies }) => concurrencies ?? []);
  const left = all.filter(({ inFlight, waiting }) => inFlight !== 0 || waiting !== 0);
  return left.length === 0 ? undefined : `in flight: ${JSON.stringify(left)}`;
}
