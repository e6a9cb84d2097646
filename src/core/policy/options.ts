/** What a user writes: every key may be left out. `settings.ts` fills in the rest. */

import type { BeforeRetry, Observe, RetryIf } from '../events.js';
import type { HintSetName } from '../hints/sets.js';
import type { RequestFacts } from '../types.js';
import type { BucketBudget, Cost, Gate, Hold, WindowBudget } from './limits.js';
import type {
  ExponentialSchedule,
  FixedSchedule,
  Jittered,
  ScheduleFunction,
  TableSchedule,
} from './schedules.js';

type OneOrMore<T> = T | readonly T[];

/** An exponential one without `jitter` has full jitter; a table and a fixed wait are what they say. */
export type ScheduleOptions =
  | (Pick<ExponentialSchedule, 'kind'> & Partial<Omit<ExponentialSchedule, 'kind'>>)
  | (Pick<TableSchedule, 'kind' | 'waitsMs'> & Partial<Jittered>)
  | (Pick<FixedSchedule, 'kind' | 'waitMs'> & Partial<Jittered>)
  | ScheduleFunction;

/** Without a price of its own, a timeout costs what any failure costs. */
export type CostOptions = number | (Omit<Cost, 'timeout'> & Partial<Pick<Cost, 'timeout'>>);

export type BudgetOptions =
  | (Partial<Omit<BucketBudget, 'cost' | 'kind'>> & { readonly kind?: 'bucket'; readonly cost?: CostOptions })
  | (Partial<Omit<WindowBudget, 'cost' | 'kind'>> & {
      readonly kind: 'window';
      readonly cost?: CostOptions;
    });

/** Without a `maxQueueMs`, it is half of the time that is left. */
export interface HoldOptions extends Partial<Omit<Hold, 'maxQueueMs'>> {
  readonly maxQueueMs?: number;
}

export type StatusOption = number | `${number}` | `${number}xx` | `!${number}` | `!${number}xx`;

/** The table of settings; every key may stand at the policy's top level and in a rule. */
export interface SettingsOptions {
  /** `false`: shorthand for `maxRetries: 0`. */
  readonly retry?: false;
  readonly maxRetries?: number;
  readonly deadlineMs?: number;
  readonly deadlineCovers?: 'head' | 'body';
  readonly attemptTimeoutMs?: number;
  readonly statuses?: readonly StatusOption[];
  readonly methods?: readonly string[];
  readonly idempotent?: boolean;
  readonly unsafeMethods?: 'never' | 'unsent' | 'refused';
  readonly idempotencyKey?:
    | boolean
    | { readonly header?: string; readonly quoted?: boolean; readonly generate?: () => string };
  readonly schedule?: ScheduleOptions;
  readonly throttledSchedule?: ScheduleOptions;
  readonly hints?: OneOrMore<HintSetName> | false;
  readonly bodyHintBytes?: number;
  readonly maxHintMs?: number;
  readonly hintJitter?: number;
  readonly budget?: false | BudgetOptions;
  readonly gate?: boolean | Partial<Gate>;
  readonly hold?: boolean | HoldOptions;
  /** A function returns what may stand here: `'origin'` or a name. It cannot be async. */
  readonly scope?: 'origin' | (string & {}) | ((request: RequestFacts) => string);
  readonly bufferBodyBytes?: number;
  readonly resume?: boolean;
  readonly unref?: boolean;
  readonly attemptHeader?: boolean | string;
  readonly retryIf?: RetryIf;
  readonly beforeRetry?: BeforeRetry;
  readonly observe?: Observe;
}

/**
 * A pattern in parts; `test` sees only requests that the other parts let through. It returns true or false, and cannot
 * be async.
 */
export interface MatchObject {
  readonly methods?: OneOrMore<string>;
  readonly host?: string;
  readonly path?: string;
  readonly test?: (request: RequestFacts) => boolean;
}

export interface RuleOptions extends SettingsOptions {
  readonly match: string | MatchObject;
  /** Label for events. */
  readonly name?: string;
}

export interface PolicyOptions extends SettingsOptions {
  /** For editors, in a policy that lives in a JSON file. */
  readonly $schema?: string;
  readonly rules?: readonly RuleOptions[];
  readonly maxScopes?: number;
  readonly scopeIdleMs?: number;
}

/** What one request may say for itself; shared state belongs to rules and can only be left out. */
export interface OverrideOptions extends Omit<SettingsOptions, 'budget' | 'gate' | 'hold'> {
  readonly budget?: false;
  readonly gate?: false;
  readonly hold?: false;
}
