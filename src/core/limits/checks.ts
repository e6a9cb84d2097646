/** What the check of a policy knows of the limits, gathered from their folders. */

import type { Remark } from '../errors.js';
import type { JsonSchema } from '../policy/check/json-schema.js';
import type { Contradiction } from '../policy/check/level.js';
import type { ForeignName, PlausibleTimes } from '../policy/check/wording.js';
import type { PolicyOptions } from '../policy/options.js';
import type { LimitName } from './all.js';
import {
  budgetContradictions,
  budgetDefinitions,
  budgetElsewhere,
  budgetSchema,
  budgetTimes,
} from './budget/check.js';
import {
  concurrencyContradictions,
  concurrencyDefinition,
  concurrencyElsewhere,
  concurrencySchema,
  concurrencyTimes,
  endlessLines,
} from './concurrency/check.js';
import { gateContradictions, gateDefinition, gateElsewhere, gateSchema, gateTimes } from './gate/check.js';
import {
  endlessQueues as endlessHolds,
  holdContradictions,
  holdDefinition,
  holdSchema,
  holdTimes,
} from './hold/check.js';

export { longPolls } from './gate/check.js';

/** Queues whose requests have no deadline. */
export function endlessQueues(options: PolicyOptions): readonly Remark[] {
  return [...endlessHolds(options), ...endlessLines(options)];
}

export const limitSchemas: Readonly<Record<LimitName, JsonSchema>> = {
  budget: budgetSchema,
  gate: gateSchema,
  hold: holdSchema,
  concurrency: concurrencySchema,
};

/** What the schemas refer to. */
export const limitDefinitions: Readonly<Record<string, JsonSchema>> = /* @__PURE__ */ (() => ({
  ...budgetDefinitions,
  gate: gateDefinition,
  hold: holdDefinition,
  concurrency: concurrencyDefinition,
}))();

export const limitContradictions: readonly Contradiction[] = /* @__PURE__ */ (() => [
  ...gateContradictions,
  ...holdContradictions,
  ...concurrencyContradictions,
  ...budgetContradictions,
])();

/** What other libraries call them and their settings. */
export const limitNamesElsewhere: readonly ForeignName[] = /* @__PURE__ */ (() => [
  ...gateElsewhere,
  ...budgetElsewhere,
  ...concurrencyElsewhere,
])();

/** The times that are plausible at this path, for remarks. */
export function plausibleTimes(path: string): PlausibleTimes[string] | undefined {
  return budgetTimes[path] ?? gateTimes[path] ?? holdTimes[path] ?? concurrencyTimes[path];
}
