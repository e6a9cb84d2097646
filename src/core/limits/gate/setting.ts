/** The gate as it is written in a policy, and its defaults. */

import { type Partly, switched } from '../../policy/switched.js';

/** The circuit breaker of a scope. */
export interface Gate {
  /**
   * How many first attempts have to fail in a row, without a sign of life between them, before the gate shuts.
   * @default 20
   */
  readonly failures: number;
  /**
   * How many milliseconds that row has to last before the gate shuts.
   * @default 2_000
   */
  readonly deadForMs: number;
  /**
   * Milliseconds between probes while the gate is shut; the first comes after a quarter of that.
   * @default 1_000
   */
  readonly probeMs: number;
  /**
   * Milliseconds over which traffic ramps up again after a successful probe.
   * @default 2_000
   */
  readonly rampMs: number;
  /**
   * What requests do while the gate is shut: fail at once with a `GateShutError`, or wait, which needs a `deadlineMs`.
   * @default 'fail'
   */
  readonly whenShut: 'fail' | 'wait';
  /**
   * How many requests may wait at the same time.
   * @default 1_000
   */
  readonly maxWaiting: number;
  /**
   * Whether it refuses anything. False: it only counts and reports what it would refuse.
   * @default true
   */
  readonly enforce: boolean;
}

export interface GateOption {
  /**
   * The circuit breaker of a scope: while its server is down, first attempts are stopped, too.
   * @default false
   */
  readonly gate?: boolean | Partly<Gate>;
}

/** What `gate: true` means. */
// At any usual error rate, twenty failures in a row are not a coincidence; and replacing a server takes less than two
// seconds.
export const gateDefaults: Gate = /* @__PURE__ */ Object.freeze({
  failures: 20,
  deadForMs: 2_000,
  probeMs: 1_000,
  rampMs: 2_000,
  whenShut: 'fail',
  maxWaiting: 1_000,
  enforce: true,
});

export function fillGate(option: NonNullable<GateOption['gate']>): Gate | false {
  return switched(option, gateDefaults);
}

/** Why an attempt is not sent: the server seems dead, or `maxWaiting` requests are already waiting for the gate. */
export const gateRefusals = ['gate-shut', 'gate-full'] as const;

/** Why there is no retry, as a reason and in words. */
export const gateStops = {
  'gate-shut': (ended: string): string => `${ended}, and the gate of its scope is shut`,
} as const;
