/** What the check of a policy knows of the hold. */

import type { Remark } from '../../errors.js';
import { found } from '../../found.js';
import {
  boolean,
  count,
  either,
  type JsonSchema,
  ms,
  object,
  ref,
  share,
} from '../../policy/check/json-schema.js';
import { type Contradiction, writtenPath } from '../../policy/check/level.js';
import { hour, type PlausibleTimes, pathTo, problem } from '../../policy/check/wording.js';
import type { PolicyOptions, SettingsOptions } from '../../policy/options.js';

export const holdSchema: JsonSchema = /* @__PURE__ */ (() => either(boolean, ref('hold')))();

export const holdDefinition: JsonSchema = /* @__PURE__ */ (() =>
  object({
    refusedShare: share,
    minMs: ms(0),
    spacingMs: ms(1),
    maxQueueMs: ms(0),
    maxWaiting: count(1),
    enforce: boolean,
  }))();

export const holdContradictions: readonly Contradiction[] = [
  {
    written: ['hold'],
    with: ['maxHintMs'],
    inheritable: true,
    find: ({ own, settings: { hold, maxHintMs } }) =>
      hold &&
      hold.minMs > maxHintMs &&
      problem(
        writtenPath('hold', own.hold, 'minMs'),
        `a minMs of ${hold.minMs}`,
        `at most maxHintMs, which is ${maxHintMs}`,
      ),
  },
  {
    written: ['hold'],
    with: ['hints'],
    inheritable: true,
    find: ({ own, settings: { hold, hints } }) =>
      hold && hints === undefined && problem('hold', found(own.hold), 'false, unless hints are read'),
  },
];

export const holdTimes: PlausibleTimes = {
  'hold.minMs': [61, hour],
  'hold.maxQueueMs': [61, hour],
};

// ---------------------------------------------------------------- a remark: holds whose requests have no deadline

// The queue is bounded all the same, but what it is bounded by has nothing to do with how long the callers are willing to
// wait.

export function endlessQueues({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...endlessQueue('', top, top),
    ...rules.flatMap((rule, index) => {
      return endlessQueue(`${pathTo('rules', index)}.`, rule, { deadlineMs: top.deadlineMs, ...rule });
    }),
  ];
}

function endlessQueue(
  before: string,
  { hold }: SettingsOptions,
  { deadlineMs }: { readonly deadlineMs?: number | undefined },
): readonly Remark[] {
  const hasQueue = hold === true || (typeof hold === 'object' && hold.maxQueueMs === undefined);
  if (!hasQueue || deadlineMs !== undefined) return [];
  return [
    {
      path: `${before}hold`,
      says: 'without a deadlineMs, a request may queue for 30 s, and then be refused',
      advice: 'Set deadlineMs, of which a request queues for half at most, or hold.maxQueueMs.',
    },
  ];
}
