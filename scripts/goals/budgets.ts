/** What a budget must not get in the way of: a server that fails at random, and is not overloaded. */

import type { Contender } from '../../src/tools/sim/index.js';
import { ordinaryDays as days } from '../../src/tools/sim/index.js';
import { percent } from '../sim-reading.js';
import type { DayGoal } from './day-goal.js';
import { failures, good, wholeNumber } from './day-goal.js';

/** A job is more patient than a request that a person waits for. */
function withFiveRetries(contender: Contender): Contender {
  return { ...contender, maxRetries: 5 } as Contender;
}

const batches = [0.2, 0.4].map((share): DayGoal => {
  return {
    name: 'batch',
    about: `400 requests, 8 at a time, ${percent(share)} fail, 5 retries`,
    day: days.flakyBatch(share, 400, 8),
    adapted: withFiveRetries,
    ...(share === 0.4 && { column: 'a batch' }),
    figures: [{ what: 'lost', of: failures, atMost: 4, text: wholeNumber }],
  };
});

const steady = [100, 1_000].map((perSecond): DayGoal => {
  return {
    name: 'steady',
    about: `20 % fail all the time, ${perSecond}/s`,
    day: days.partialFailure(0.2, perSecond),
    ...(perSecond === 1_000 && { column: '20 % fail' }),
    figures: [{ what: 'good', of: good, atLeast: 0.995 }],
  };
});

const fleets = [10, 50].map((processes): DayGoal => {
  return {
    name: 'steady',
    about: `20 % fail all the time, 1,000/s, ${processes} processes that share the budget`,
    day: days.inProcesses(days.partialFailure(0.2, 1_000), processes),
    store: { delayMs: 5 },
    figures: [{ what: 'good', of: good, atLeast: 0.995 }],
  };
});

export const budgetDays: readonly DayGoal[] = [...batches, ...steady, ...fleets];
