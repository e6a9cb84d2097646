/** The settings of the limits, gathered from their folders. */

import { switched } from '../policy/switched.js';
import type { AskedFirst, LimitName } from './all.js';
import {
  type BucketBudget,
  type Budget,
  type BudgetOption,
  bucketDefaults,
  fillBudget,
} from './budget/setting.js';
import { type Gate, type GateOption, gateDefaults } from './gate/setting.js';
import { type Hold, type HoldOption, holdDefaults } from './hold/setting.js';

/** As users write them. */
export interface LimitOptions extends BudgetOption, GateOption, HoldOption {}

/** As they are read. */
export interface LimitSettings extends Readonly<Record<LimitName, object | false>> {
  readonly budget: Budget | false;
  readonly gate: Gate | false;
  readonly hold: Hold | false;
}

/** What each is if it is on. */
export interface LimitDefaults extends Readonly<Record<LimitName, object>> {
  readonly budget: BucketBudget;
  readonly gate: Gate;
  readonly hold: Hold;
}

export const limitDefaults: LimitDefaults = {
  budget: bucketDefaults,
  gate: gateDefaults,
  hold: holdDefaults,
};

/** Those that a policy has without saying so. The others are off. */
export const limitsByDefault: Pick<LimitDefaults, 'budget'> & Readonly<Record<AskedFirst, false>> = {
  budget: bucketDefaults,
  gate: false,
  hold: false,
};

/** From the written form to the one that is read. */
export const limitFills: {
  readonly [K in LimitName]: (option: NonNullable<LimitOptions[K]>) => LimitSettings[K];
} = {
  budget: fillBudget,
  gate: (option) => switched(option, gateDefaults),
  hold: (option) => switched(option, holdDefaults),
};
