/** The gate of a scope as a value: open, shut, or ramping from shut to open. */

import type { Survived } from './survived.js';
import { nothingSurvived } from './survived.js';

/** A number that tells attempts in one state of the gate from those in earlier states. */
export type Epoch = number;

export type GateState = Open | Shut | Ramping;

export interface Open {
  readonly kind: 'open';
  readonly epoch: Epoch;
  /**
   * Signs of life before the row of failures, without a failure between them. Counted only up to the number that
   * matters.
   */
  readonly lives: number;
  /** The failures in a row, and the times of the first and the last of them. */
  readonly failures: number;
  readonly since: number;
  readonly lastAt: number;
  readonly survived: Survived;
}

export interface Shut {
  readonly kind: 'shut';
  readonly epoch: Epoch;
  /** The next probe may go at this time. */
  readonly probeAt: number;
  /** When the probe was sent that is out now. */
  readonly probingSince: number | undefined;
  /** How many failures in a row have shut the gate. */
  readonly failures: number;
  readonly survived: Survived;
  /**
   * Only if a fleet shares the gate, of which one process probes at a time: until when this process may send a probe.
   */
  readonly leaseUntil?: number;
}

export interface Ramping {
  readonly kind: 'ramping';
  readonly epoch: Epoch;
  readonly since: number;
  readonly successes: number;
  /** Failures in a row. */
  readonly failures: number;
  /** Places taken since `placesSince`, and in the interval before. */
  readonly places: number;
  readonly placesBefore: number;
  readonly placesSince: number;
  readonly survived: Survived;
}

/** What identifies an attempt that was let through. */
export interface Pass {
  readonly epoch: Epoch;
  readonly sentAt: number;
}

export const noRow: Pick<Open, 'failures' | 'since' | 'lastAt'> = { failures: 0, since: 0, lastAt: 0 };

export const openGate: GateState = {
  kind: 'open',
  epoch: 0,
  lives: 0,
  ...noRow,
  survived: nothingSurvived,
};

export function shut(epoch: Epoch, probeAt: number, failures: number, survived: Survived): Shut {
  return { kind: 'shut', epoch, probeAt, probingSince: undefined, failures, survived };
}

/** Spreads a wait over 0.5 to 1.5 times its length, so that clients that saw the same failure do not probe together. */
export function around(waitMs: number, draw: number): number {
  return waitMs * (0.5 + draw);
}

export type Passage =
  | { readonly kind: 'go'; readonly state: GateState }
  /** `by` is what stops the attempt. A probe that is out, a lease and a full ramp will not do so for long. */
  | {
      readonly kind: 'shut';
      readonly by: 'failures' | 'probe' | 'lease' | 'ramp';
      readonly retryInMs: number;
    };
