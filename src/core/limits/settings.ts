/** The settings of the limits, what a decision sees of them, and the reasons that they give, gathered from their folders. */

import type { AskedFirst, LimitName } from './all.js';
import type { FilledBudget } from './budget/kind.js';
import { type BucketBudget, type BudgetOption, bucketDefaults, budgetStops } from './budget/setting.js';
import type { BudgetState } from './budget/state.js';
import {
  type Concurrency,
  type ConcurrencyOption,
  concurrencyDefaults,
  concurrencyRefusals,
  concurrencyStops,
} from './concurrency/setting.js';
import type { Line } from './concurrency/state.js';
import { type Gate, type GateOption, gateDefaults, gateRefusals, gateStops } from './gate/setting.js';
import { type Hold, type HoldOption, holdDefaults, holdRefusals, holdStops } from './hold/setting.js';

/** As users write them. */
export interface LimitOptions extends BudgetOption, GateOption, HoldOption, ConcurrencyOption {}

/** As they are read. */
export interface LimitSettings extends Readonly<Record<LimitName, object | false>> {
  readonly budget: FilledBudget | false;
  readonly gate: Gate | false;
  readonly hold: Hold | false;
  readonly concurrency: Concurrency | false;
}

/** What each is if it is on. */
export interface LimitDefaults extends Readonly<Record<LimitName, object>> {
  readonly budget: BucketBudget;
  readonly gate: Gate;
  readonly hold: Hold;
  readonly concurrency: typeof concurrencyDefaults;
}

export const limitDefaults: LimitDefaults = {
  budget: bucketDefaults,
  gate: gateDefaults,
  hold: holdDefaults,
  concurrency: concurrencyDefaults,
};

/** Those that a policy has without saying so. The others are off. */
export const limitsByDefault: Pick<LimitDefaults, 'budget'> & Readonly<Record<AskedFirst, false>> = {
  budget: bucketDefaults,
  gate: false,
  hold: false,
  concurrency: false,
};

// ---------------------------------------------------------------- what a decision sees

export interface LimitsSeen {
  readonly budget: BudgetState | undefined;
  /** True if the gate of the scope is shut and requests do not wait for it. */
  readonly gateShut: boolean;
  /** How long a retry would have to queue behind the hold of the scope. */
  readonly queueMs?: number | undefined;
  /** Present if requests wait for room among the attempts in flight. */
  readonly line?: Line | undefined;
}

// ---------------------------------------------------------------- before a retry

/** Why there is no retry, and the wait that would have been needed, if that is why. */
interface Forbidden {
  readonly reason: LimitStop;
  readonly delayMs?: number;
}

/** `delayMs`: the wait that was chosen. `leftMs`: until the deadline. Undefined: nothing is against it. */
export type Forbids = (
  settings: LimitSettings,
  seen: Omit<LimitsSeen, 'budget'>,
  delayMs: number,
  leftMs: number,
) => Forbidden | undefined;

// ---------------------------------------------------------------- reasons

/** Why an attempt is not sent. */
export const limitRefusals: {
  readonly gate: typeof gateRefusals;
  readonly hold: typeof holdRefusals;
  readonly concurrency: typeof concurrencyRefusals;
} = { gate: gateRefusals, hold: holdRefusals, concurrency: concurrencyRefusals } satisfies Record<
  AskedFirst,
  readonly string[]
>;

export type LimitRefusal = (typeof limitRefusals)[AskedFirst][number];

/** Why there is no retry. `ended`: how the attempt ended, in words. */
export const limitStops: {
  readonly budget: typeof budgetStops;
  readonly gate: typeof gateStops;
  readonly hold: typeof holdStops;
  readonly concurrency: typeof concurrencyStops;
} = {
  budget: budgetStops,
  gate: gateStops,
  hold: holdStops,
  concurrency: concurrencyStops,
} satisfies Record<
  LimitName,
  Readonly<Record<string, (ended: string, waitMs: number | undefined) => string>>
>;

export type LimitStop = { [K in LimitName]: keyof (typeof limitStops)[K] }[LimitName];
