/** The gate of a scope as a value: open, shut, or ramping from shut to open. */

import type { Kind, Tried } from './kinds.js';
import { seenToFail } from './kinds.js';
import type { Survived } from './survived.js';
import { nothingSurvived } from './survived.js';

/** A number that tells attempts in one state of the gate from those in earlier states. */
export type Epoch = number;

export type GateState = Open | Shut | Ramping;

export interface Open {
  readonly kind: 'open';
  readonly epoch: Epoch;
  /** When it reopened; what was sent before says nothing about the server as it is now. */
  readonly openedAt: number;
  /**
   * Signs of life before the row of failures, without a failure between them. Counted only up to the number that
   * matters.
   */
  readonly lives: number;
  /** The failures in a row, and the times of the first and the last of them. */
  readonly failures: number;
  readonly since: number;
  readonly lastAt: number;
  /** The kinds of requests that have failed in the row. */
  readonly kinds: readonly Kind[];
  readonly survived: Survived;
}

export interface Shut {
  readonly kind: 'shut';
  readonly epoch: Epoch;
  readonly shutAt: number;
  /** The next probe may go at this time. */
  readonly probeAt: number;
  /** When the probes were sent that are out, the last one last. */
  readonly probes: readonly number[];
  /** When the last probe ended. */
  readonly idleSince: number;
  /** How many requests were turned away since then, or since a later one was sent, up to the number that matters. */
  readonly turnedAway: number;
  /** How many failures in a row have shut the gate. */
  readonly failures: number;
  /** The kinds of requests that are known to fail, or on trial. Any other may pass. */
  readonly tried: readonly Tried[];
  /** The kinds that have failed since it was open. Undefined: they are not known. */
  readonly failing: readonly Kind[] | undefined;
  readonly survived: Survived;
  /**
   * Only if a fleet shares the gate, of which one process probes at a time: until when this process may send a probe.
   */
  readonly leaseUntil?: number;
  /** How many processes share it, as the fleet's record says. */
  readonly processes?: number;
}

export interface Ramping {
  readonly kind: 'ramping';
  readonly epoch: Epoch;
  readonly since: number;
  readonly successes: number;
  /** Failures in a row, and the kinds of requests among them. */
  readonly failures: number;
  readonly kinds: readonly Kind[];
  /** The kinds that have failed since the gate was open, and those that have succeeded since it was shut. */
  readonly failing: readonly Kind[] | undefined;
  readonly well: readonly Kind[];
  /** Places taken since `placesSince`, and in the interval before. */
  readonly places: number;
  readonly placesBefore: number;
  readonly placesSince: number;
  readonly survived: Survived;
}

/** What identifies an attempt that was let through. */
export interface GateTicket {
  readonly epoch: Epoch;
  readonly sentAt: number;
}

/** The epoch of attempts that were let through without a place: they have nothing to give back. */
export const noEpoch: Epoch = -1;

export const noRow: Pick<Open, 'failures' | 'since' | 'lastAt' | 'kinds'> = {
  failures: 0,
  since: 0,
  lastAt: 0,
  kinds: [],
};

export const openGate: GateState = /* @__PURE__ */ (() => ({
  kind: 'open',
  epoch: 0,
  openedAt: -Infinity,
  lives: 0,
  ...noRow,
  survived: nothingSurvived,
}))();

export function shut(
  { epoch, survived }: Pick<GateState, 'epoch' | 'survived'>,
  probeAt: number,
  failures: number,
  kinds: readonly Kind[],
  now: number,
  failing: readonly Kind[] | undefined = kinds,
): Shut {
  const idle = { probes: [], idleSince: now, turnedAway: 0 };
  return {
    kind: 'shut',
    epoch: epoch + 1,
    shutAt: now,
    probeAt,
    ...idle,
    failures,
    tried: seenToFail(kinds, now),
    failing,
    survived,
  };
}

export function kindsSeenToFail(state: GateState): readonly Kind[] {
  if (state.kind !== 'shut') return state.kinds;
  return state.tried.filter(({ trial }) => trial !== 'out').map(({ kind }) => kind);
}

/** Spreads a wait over 0.5 to 1.5 times its length, so that clients that saw the same failure do not probe together. */
export function around(waitMs: number, draw: number): number {
  return waitMs * (0.5 + draw);
}

export type GateAnswer =
  | { readonly kind: 'go'; readonly state: GateState; readonly epoch: Epoch }
  /** `by` is what stops the attempt. Only failures do so for long. */
  | {
      readonly kind: 'shut';
      readonly by: 'failures' | 'probe' | 'lease' | 'trial' | 'ramp';
      readonly retryInMs: number;
    };
