/** Hedges that are never sent, and adaptive attempt timeouts where they could do harm. */

import { found } from '../../found.js';
import type { Contradiction, Findings, Level } from './level.js';
import { reversedBounds } from './level.js';
import { problem } from './wording.js';

export const tailContradictions: readonly Contradiction[] = [
  { written: ['attemptTimeoutMs', 'budget'], find: learntWithoutBudget },
  { written: ['attemptTimeoutMs'], find: boundsOfLearnt },
  {
    written: ['hedge'],
    with: ['retry', 'maxRetries', 'beforeRetry'],
    inheritable: true,
    find: hedgeWithoutRetries,
  },
  { written: ['hedge'], find: twoHedgeWaits },
  { written: ['hedge'], with: ['attemptTimeoutMs', 'deadlineMs'], inheritable: true, find: hedgeTooLate },
];

/**
 * An adaptive timeout cuts some that would have come: without a budget, an overloaded server gets more and
 * more retries.
 */
function learntWithoutBudget({ own, settings: { tail, budget } }: Level): Findings {
  if (tail?.timeout === undefined || budget !== false) return false;
  return own.attemptTimeoutMs === undefined
    ? problem('budget', found(false), 'a budget, because attemptTimeoutMs is adaptive')
    : problem(
        'attemptTimeoutMs',
        'an adaptive timeout',
        'a number of milliseconds; an adaptive timeout needs a budget',
      );
}

function boundsOfLearnt({ own, settings: { tail } }: Level): Findings {
  const { timeout } = tail ?? {};
  return (
    timeout !== undefined &&
    reversedBounds('attemptTimeoutMs', own.attemptTimeoutMs, ['minMs', timeout.minMs], timeout.maxMs)
  );
}

function hedgeWithoutRetries({ own, settings }: Level): Findings {
  const { hedge, maxRetries, beforeRetry } = settings;
  if (hedge === false) return false;
  if (maxRetries === 0) {
    const allowed = 'false where nothing is retried: a hedge is sent only where a retry would be';
    return problem('hedge', found(own.hedge), allowed);
  }
  const allowed = 'false where there is a beforeRetry: a hedge would be sent without asking it';
  return beforeRetry !== undefined && problem('hedge', found(own.hedge), allowed);
}

function twoHedgeWaits({ own: { hedge } }: Level): Findings {
  if (typeof hedge !== 'object' || hedge.afterMs === undefined) return false;
  const key = (['quantile', 'factor'] as const).find((name) => hedge[name] !== undefined);
  const allowed = 'either a fixed wait (afterMs), or an adaptive one (quantile, factor)';
  return key !== undefined && problem(`hedge.${key}`, `a ${key} beside afterMs`, allowed);
}

/** By then, the attempt has been aborted. */
function hedgeTooLate({ settings }: Level): Findings {
  const afterMs = settings.hedge === false ? undefined : settings.hedge.afterMs;
  const limit = (['attemptTimeoutMs', 'deadlineMs'] as const).find(
    (key) => afterMs !== undefined && afterMs >= (settings[key] ?? Infinity),
  );
  return (
    limit !== undefined &&
    problem('hedge.afterMs', found(afterMs), `less than ${limit}, which is ${settings[limit]}`)
  );
}
