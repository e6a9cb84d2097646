/** What a hint set is made of: data for all that is regular, named functions for what is not. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import type { ResetReason } from './throttling.js';

/** How a wait is written. `by-magnitude`: below 1e9 delta seconds, below 1e12 epoch seconds, else epoch ms. */
export type Encoding =
  | 'delta-s'
  | 'delta-ms'
  | 'epoch-s'
  | 'epoch-ms'
  | 'date'
  | 'go-duration'
  | 'by-magnitude';

/** A header that says how long to wait, whatever is left of any quota. */
export interface WaitField {
  readonly header: string;
  readonly as: Encoding | 'retry-after';
  /** The header's name where absent. */
  readonly reason?: string;
}

/** One quota: when it starts anew, and what is left of it until then. */
export interface Quota {
  readonly reset: string;
  readonly remaining?: string;
}

/** Headers that say when a quota starts anew: a wait only where nothing is left of it. */
export interface ResetField {
  readonly quotas: readonly Quota[];
  readonly as: Encoding;
  /** One for all, or by what the magnitude told. */
  readonly reason: ResetReason | Readonly<Record<'delta-s' | 'epoch-s' | 'epoch-ms', ResetReason>>;
  /** Only on these statuses. */
  readonly only?: readonly number[];
  /** Counted from the answer's own Date. */
  readonly fromServerDate?: boolean;
  /** Added to the wait. */
  readonly plusMs?: number;
  /** Repeated: refused, instead of the longest. */
  readonly single?: boolean;
}

/** A number of seconds in a body. */
export interface BodyField {
  readonly path: readonly string[];
  /** 0 says "not set". */
  readonly zeroIsUnset?: boolean;
}

/** Reads what fits no row. Undefined: nothing of it there. */
export type Reader = (answer: Answer) => Hint | undefined;

/** A success that may say "later": any with this status by its head, or one of an endpoint by its JSON. */
export interface HintedSuccess {
  readonly status: number;
  readonly method?: string;
  /** How the path ends, without its query. */
  readonly pathEnd?: string;
}

export interface HintSet {
  /** Where the vendor says "later" beside the statuses that everybody does; `signals` run there too. */
  readonly statuses?: readonly number[];
  /** Likewise among the successes. */
  readonly successes?: readonly HintedSuccess[];
  /** Its signals and readers look into bodies; `bodies` do without saying. */
  readonly readsBody?: true;
  /** Headers that rule whether to try again: `true` or `false`, on any status from 400. */
  readonly rulings?: readonly string[];
  /** Rulings in other shapes. */
  readonly signals?: readonly Reader[];
  readonly waits?: readonly WaitField[];
  readonly bodies?: readonly BodyField[];
  /** Waits in other shapes, as good as a body's. */
  readonly readers?: readonly Reader[];
  readonly resets?: readonly ResetField[];
}
