/**
 * A hold whose requests have no deadline. Its queue is bounded all the same, but what it is bounded by has nothing to do
 * with how long the callers are willing to wait: these are remarks of the command `check`.
 */

import type { Remark } from '../../errors.js';
import type { PolicyOptions, SettingsOptions } from '../options.js';
import { pathTo } from './wording.js';

/** In a policy that has been checked. */
export function endlessQueues({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...remarksOn('', top, top),
    ...rules.flatMap((rule, index) => {
      return remarksOn(`${pathTo('rules', index)}.`, rule, { deadlineMs: top.deadlineMs, ...rule });
    }),
  ];
}

function remarksOn(
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
