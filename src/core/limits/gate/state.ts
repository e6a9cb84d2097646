/** The gate of a scope as a value: open, shut, or ramping from one to the other. */

import type { Survived } from './survived.js';
import { nothingSurvived } from './survived.js';

/** A number that tells attempts of one state of the gate from those of earlier ones. */
export type Epoch = number;

export type GateState = Open | Shut | Ramping;

export interface Open {
  readonly kind: 'open';
  readonly epoch: Epoch;
  /** Signs of life before the row, without a failure between them; no more than anybody asks for. */
  readonly lives: number;
  /** In a row; the first and the last of them. */
  readonly failures: number;
  readonly since: number;
  readonly lastAt: number;
  readonly survived: Survived;
}

export interface Shut {
  readonly kind: 'shut';
  readonly epoch: Epoch;
  /** The next probe may go from here on. */
  readonly probeAt: number;
  /** Since when a probe is out. */
  readonly probingSince: number | undefined;
  /** Those that shut it. */
  readonly failures: number;
  readonly survived: Survived;
  /** Only where it is shut for a fleet, of which one probes at a time: until when this process may begin to. */
  readonly leaseUntil?: number;
}

export interface Ramping {
  readonly kind: 'ramping';
  readonly epoch: Epoch;
  readonly since: number;
  readonly successes: number;
  /** In a row. */
  readonly failures: number;
  /** Places taken since `placesSince`, and in the interval before. */
  readonly places: number;
  readonly placesBefore: number;
  readonly placesSince: number;
  readonly survived: Survived;
}

/** What an attempt was let through with. */
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

/** Half of it to one and a half: clients that saw the same failure do not probe together. */
export function around(waitMs: number, draw: number): number {
  return waitMs * (0.5 + draw);
}

export type Passage =
  | { readonly kind: 'go'; readonly state: GateState }
  /** `by`: what is in the way, which for a probe that is out, a lease and a full ramp will not be for long. */
  | {
      readonly kind: 'shut';
      readonly by: 'failures' | 'probe' | 'lease' | 'ramp';
      readonly retryInMs: number;
    };
