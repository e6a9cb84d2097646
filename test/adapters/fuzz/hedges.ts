/** Hedges in the scripts for promise clients: which scripts have them, and what holds whatever becomes of them. */

import { historyOf, type PolicyOptions, type RequestEvent, type Retrier } from '../../../src/index.js';
import type { Dice } from './dice.js';
import type { FuzzPlay } from './plays.js';

interface Hedgeable {
  readonly policy: PolicyOptions;
  readonly beforeRetry?: unknown;
  readonly calls: readonly {
    readonly plays: readonly { readonly does: string }[];
    readonly abort?: unknown;
  }[];
}

/** Most second attempts of these scripts are hedges, sent while the first is out. */
const asHedged = { by: 'signal', on: 'attempt', n: 2 } as const;

/**
 * Some scripts get hedges, which are due in nearly every slow call, in the policy's own time. A policy that retries nothing
 * has none, and a hook that changes the next attempt forbids them.
 */
export function withHedges<Script extends Hedgeable>(dice: Dice, script: Script): Script {
  const { policy, beforeRetry, calls } = script;
  const afterMs = dice.oneOf([5, 20, 50, 200]);
  if (!dice.chance(0.4) || policy.maxRetries === 0 || beforeRetry !== undefined) return script;
  const late = calls.map((call) => ({
    ...call,
    plays: call.plays.map((play) => lateAtRandom(dice, play)),
    ...(dice.chance(0.2) && call.abort === undefined && { abort: asHedged }),
  }));
  return { ...script, policy: { ...policy, hedge: { afterMs, share: 1, capacity: saved } }, calls: late };
}

/** Some answers are late, so that the other attempt can win. */
function lateAtRandom<Play extends { readonly does: string }>(dice: Dice, play: Play): Play {
  const lateMs = dice.whole(1, 25);
  const isLate = dice.chance(0.5) && (play.does === 'serve' || play.does === 'refuse');
  return isLate ? { ...play, lateMs } : play;
}

/** As many hedges as all calls of a script can need. */
const saved = 20;

/** Other requests of the scope have succeeded before, which pays for the hedges. */
export function saveHedges(retrier: Retrier, origin: string): void {
  for (let number = 0; number < saved; number += 1) {
    const session = retrier.open({ method: 'GET', origin, path: '/before', keyed: false });
    session.tail?.sent(1);
    if (!session.acceptAtOnce(200)) session.next({ kind: 'response', status: 200 }, { replayable: true });
  }
}

interface Hedged {
  readonly call: {
    readonly method: string;
    readonly plays: readonly (FuzzPlay | { readonly does: string })[];
  };
  readonly events: readonly RequestEvent[];
  readonly atAbort: object | undefined;
}

export function hedgesIn({ events }: Pick<Hedged, 'events'>): number {
  return events.filter(({ type }) => type === 'hedge').length;
}

/** `result`: what the caller got. */
export function* complaintsAboutHedges({ call, events }: Hedged, result: unknown): Generator<string> {
  const hedges = hedgesIn({ events });
  if (hedges > 0 && call.method !== 'GET' && call.method !== 'HEAD') yield `a hedge of ${call.method}`;
  const settled = events.find((event) => event.type === 'settled');
  if (settled !== undefined && (settled.hedgeWon !== undefined) !== hedges > 0)
    yield `hedgeWon: ${settled.hedgeWon} with ${hedges} hedges`;
  const numbers = historyOf(result)?.map(({ decision }) => decision.attempt) ?? [];
  const sorted = numbers.toSorted((one, other) => one - other);
  if (sorted.some((number, index) => number !== index + 1)) yield `the attempts are ${numbers.join(', ')}`;
  const told = events.flatMap((event) => (event.type === 'decision' ? [event.decision.attempt] : []));
  if (new Set(told).size < told.length) yield `decisions about ${told.join(', ')}`;
}

const wonIn = ({ events }: Hedged): boolean | undefined =>
  events.find((event) => event.type === 'settled')?.hedgeWon;

export const hedgeMilestones: Readonly<Record<string, (trial: Hedged) => boolean>> = {
  'hedge won': (trial) => wonIn(trial) === true,
  'hedge lost': (trial) => wonIn(trial) === false,
  'retry after two attempts': ({ events }) =>
    events.some(
      (event) =>
        event.type === 'decision' && event.decision.action === 'retry' && event.world.attempt !== undefined,
    ),
  'aborted with two attempts out': ({ events, atAbort }) =>
    atAbort !== undefined &&
    events.some(
      (event) =>
        event.type === 'decision' && event.decision.reason === 'aborted' && event.world.attempt !== undefined,
    ),
};
