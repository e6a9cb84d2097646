/** The entry point of the library for its own tools, beside `index.ts`: these exports are not public API. */

export { classify } from './core/decide/classify.js';
export { failuresByCode } from './core/decide/failures/known.js';
export { longestWait, scheduledWait } from './core/decide/schedule.js';
export { streamStartOf } from './core/decide/stream-start.js';
export { problemText } from './core/errors.js';
export { found, quote } from './core/found.js';
export { hintSetNames } from './core/hints/sets.js';
export { fullBudget } from './core/limits/budget/budget.js';
export { endlessQueues, longPolls } from './core/limits/checks.js';
export type { LatencyState } from './core/limits/latency/latency.js';
export {
  afterAttempt,
  afterSuccess,
  hedgeAfterMs,
  learntTimeoutMs,
  newLatency,
} from './core/limits/latency/latency.js';
export type { JsonSchema } from './core/policy/check/json-schema.js';
export { nearest } from './core/policy/check/nearest.js';
export {
  hedgedWrites,
  implausibleTimes,
  streamStarts,
  unreadBodies,
  wholeBodies,
} from './core/policy/check/remarks.js';
export { checkStructure } from './core/policy/check/structure.js';
export { pathTo } from './core/policy/check/wording.js';
export { defaults } from './core/policy/defaults.js';
export { isPolicy } from './core/policy/policy.js';
export type { Mismatch } from './core/policy/routes/mismatch.js';
export { mismatchOf } from './core/policy/routes/mismatch.js';
export { isPatternProblem, parsePattern } from './core/policy/routes/patterns.js';
export { isPromise } from './core/returned.js';
export { timeText } from './core/time-text.js';
export { verdictOn } from './drivers/hooks.js';
export { takesKey } from './drivers/idempotency-key.js';
export { summaryOf, withoutSecrets } from './kernel/events.js';
export { pause, sleep } from './kernel/sleep.js';
export { checkPolicy, defaultSettings, fillIn } from './parts/all.js';
