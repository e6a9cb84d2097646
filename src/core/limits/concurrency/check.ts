/** What the check of a policy knows of the limit of concurrency. */

import type { Remark } from '../../errors.js';
import { found } from '../../found.js';
import { count, either, type JsonSchema, ms, object, ref } from '../../policy/check/json-schema.js';
import { type Contradiction, type Findings, type Level, writtenPath } from '../../policy/check/level.js';
import { type ForeignName, hour, type PlausibleTimes, pathTo, problem } from '../../policy/check/wording.js';
import type { PolicyOptions, SettingsOptions } from '../../policy/options.js';

export const concurrencySchema: JsonSchema = /* @__PURE__ */ (() => ({
  title: 'false, a whole number from 1 to 1,000,000, or an object such as { limit: 20, maxQueueMs: 500 }',
  ...either({ const: false }, count(1), ref('concurrency')),
}))();

export const concurrencyDefinition: JsonSchema = /* @__PURE__ */ (() =>
  object({ limit: count(1), maxQueueMs: ms(0), maxWaiting: count(0) }, ['limit']))();

export const concurrencyTimes: PlausibleTimes = { 'concurrency.maxQueueMs': [5, hour] };

export const concurrencyElsewhere: readonly ForeignName[] = [
  ['concurrency', 'bulkhead concurrencyLimit maxConcurrent maxConcurrency maxConcurrentCalls'],
  ['concurrency.limit', 'max maxConcurrent maxConcurrency maxConcurrentCalls permitLimit size'],
  ['concurrency.maxQueueMs', 'maxWaitTime maxWaitDuration queueTimeout timeout'],
  ['concurrency.maxWaiting', 'queue maxQueue maxQueueSize queueLimit queueSize highWater'],
];

// ---------------------------------------------------------------- contradictions

export const concurrencyContradictions: readonly Contradiction[] = [
  { written: ['concurrency'], find: lineOfNone },
  { written: ['concurrency', 'deadlineMs'], find: waitPastDeadline },
  { written: ['concurrency', 'hedge'], find: noRoomForHedge },
];

/** A time in a line without places, or places in a line without time. */
function lineOfNone({ own: { concurrency } }: Level): Findings {
  if (typeof concurrency !== 'object') return false;
  const { maxQueueMs, maxWaiting } = concurrency;
  if (maxQueueMs === maxWaiting || maxQueueMs === undefined || maxWaiting === undefined) return false;
  if (maxWaiting === 0) {
    const allowed = '0 or nothing: with maxWaiting 0, none waits';
    return problem('concurrency.maxQueueMs', found(maxQueueMs), allowed);
  }
  const allowed = '0 or nothing: with maxQueueMs 0, none waits';
  return maxQueueMs === 0 && problem('concurrency.maxWaiting', found(maxWaiting), allowed);
}

function waitPastDeadline({ own, settings: { concurrency, deadlineMs } }: Level): Findings {
  const maxQueueMs = concurrency === false ? undefined : concurrency.maxQueueMs;
  if (maxQueueMs === undefined || deadlineMs === undefined || maxQueueMs < deadlineMs) return false;
  return own.concurrency === undefined
    ? problem('deadlineMs', found(deadlineMs), `more than concurrency.maxQueueMs, which is ${maxQueueMs}`)
    : problem('concurrency.maxQueueMs', found(maxQueueMs), `less than deadlineMs, which is ${deadlineMs}`);
}

/** A hedge is sent beside an attempt that is still out. */
function noRoomForHedge({ own, settings: { concurrency, hedge } }: Level): Findings {
  if (hedge === false || concurrency === false || concurrency.limit > 1) return false;
  return own.hedge === undefined
    ? problem(
        writtenPath('concurrency', own.concurrency, 'limit'),
        'a limit of 1',
        '2 or more where there is a hedge, which needs room beside the first attempt',
      )
    : problem(
        'hedge',
        found(own.hedge),
        'false where concurrency is 1: there is no room for a second attempt',
      );
}

// ---------------------------------------------------------------- a remark: lines whose requests have no deadline

export function endlessLines({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...endlessLine('', top, top),
    ...rules.flatMap((rule, index) => {
      return endlessLine(`${pathTo('rules', index)}.`, rule, { deadlineMs: top.deadlineMs, ...rule });
    }),
  ];
}

function endlessLine(
  before: string,
  { concurrency }: SettingsOptions,
  { deadlineMs }: { readonly deadlineMs?: number | undefined },
): readonly Remark[] {
  const isOn = concurrency !== undefined && concurrency !== false;
  const { maxQueueMs, maxWaiting } = typeof concurrency === 'object' ? concurrency : {};
  if (!isOn || maxQueueMs !== undefined || maxWaiting === 0 || deadlineMs !== undefined) return [];
  return [
    {
      path: `${before}concurrency`,
      says: 'without a deadlineMs, a request may wait 30 s for its turn, and then be refused',
      advice: 'Set deadlineMs, of which a request waits for half at most, or concurrency.maxQueueMs.',
    },
  ];
}
