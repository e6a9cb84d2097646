/** Everything that needs no client. Each adapter is an entry point of its own. */

export { decide } from './core/decide/decide.js';
export type { Problem, Remark } from './core/errors.js';
export { AttemptTimeoutError, DeadlineError, PolicyError } from './core/errors.js';
export type * from './core/events.js';
export { explain } from './core/explain.js';
export { readHint } from './core/hints/all-sets.js';
export type {
  HintSetOption,
  HintUnit,
  OwnBodyHint,
  OwnEventHint,
  OwnHeaderHint,
  OwnHints,
} from './core/hints/own.js';
export type { HintSetName } from './core/hints/sets.js';
export type {
  BucketBudget,
  Budget,
  BudgetOptions,
  Cost,
  CostOptions,
  WindowBudget,
} from './core/limits/budget/setting.js';
export type { BucketState, BudgetState, WindowState } from './core/limits/budget/state.js';
export { ConcurrencyError } from './core/limits/concurrency/error.js';
export type { Concurrency, ConcurrencyOptions } from './core/limits/concurrency/setting.js';
export type { Line } from './core/limits/concurrency/state.js';
export { GateShutError } from './core/limits/gate/error.js';
export type { Gate } from './core/limits/gate/setting.js';
export type { Asked } from './core/limits/hold/error.js';
export { HeldError } from './core/limits/hold/error.js';
export type { Hold, HoldOptions } from './core/limits/hold/setting.js';
export type * from './core/limits/latency/setting.js';
export type { LimitOptions, LimitsSeen } from './core/limits/settings.js';
export type * from './core/policy/options.js';
export type { Policy, PolicyLike, Rule } from './core/policy/policy.js';
export { presets } from './core/policy/presets.js';
export type * from './core/policy/schedules.js';
export type { Settings, Statuses } from './core/policy/settings.js';
export type * from './core/types.js';
export type { Alarm } from './kernel/alarms.js';
export type { AttemptsOptions } from './kernel/attempts.js';
export { attempts } from './kernel/attempts.js';
export type { Fleet, FleetSnapshot } from './kernel/fleet.js';
export { historyOf } from './kernel/history.js';
export { suppressRetries, suppressWhenRetried } from './kernel/layers.js';
export type { LimitSnapshots } from './kernel/limits/limits.js';
export type { Ports } from './kernel/ports.js';
export type { RetrierOptions } from './kernel/public-retrier.js';
export type { Retrier, RetrierLike, RetrierSnapshot } from './kernel/retrier.js';
export type { ScopeSnapshot } from './kernel/scope.js';
export type {
  Prospects,
  Ruling,
  Session,
  SessionLimits,
  SessionScope,
  SessionTail,
} from './kernel/session.js';
export type { Sleep } from './kernel/timers.js';
export { createRetrier, definePolicy, parsePolicy } from './parts/all.js';
