/** The parts of a hint set: data for everything regular, named functions for the rest. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';

/** How a wait is written: reads it, in ms from `since` on. A set brings the encodings of its rows. */
export type Encoding = (value: string, now: number, since: number) => number | undefined;

/** What the magnitude of a number says about its encoding. */
export type Told = 'delta-s' | 'epoch-s' | 'epoch-ms';

/** The reason of a hint: always the same, or by the encoding that the magnitude showed. */
export type WaitReason = string | ((told: Told) => string);

/** Says how long to wait. */
export interface Source {
  /** Those without which it says nothing. */
  readonly headers: readonly string[];
  /**
   * Its place in the order: finer units before coarser ones, the plain name before the `x-` one, rows of one's own before
   * all, then what is in bodies, and quotas last.
   */
  readonly rank: number;
  readonly read: Reader;
}

/** A header that says how long to wait, whatever is left of a quota. */
export interface WaitField extends Pick<Source, 'rank'> {
  readonly header: string;
  readonly as: Encoding;
  /** The reason of the hint. By default, the header's name. */
  readonly reason?: string;
  /** It takes the place of other rows for the same header. */
  readonly isOwn?: true;
}

/** The headers of one quota: when it resets, and how much is left of it. */
export interface Quota {
  readonly reset: string;
  readonly remaining?: string;
}

/** Headers that say when a quota resets. They mean a wait only if the quota is exhausted. */
export interface ResetField {
  readonly quotas: readonly Quota[];
  readonly as: Encoding;
  readonly reason: WaitReason;
  /** The only statuses on which the headers are read. */
  readonly only?: readonly number[];
  /** The wait counts from the answer's own `Date`. */
  readonly fromServerDate?: boolean;
  /** Milliseconds that are added to the wait. */
  readonly plusMs?: number;
  /** A repeated header is refused. Otherwise, the longest wait of its values is used. */
  readonly single?: boolean;
}

/** Reads a hint that fits no row. Undefined: the answer does not have it. */
export type Reader = (answer: Answer) => Hint | undefined;

/**
 * A success that may mean "later": with `pathEnd`, the JSON of that endpoint says so; without it, the head of any
 * response with this status, and its JSON if `readsBody` is true.
 */
export interface HintedSuccess {
  readonly status: number;
  readonly method?: string;
  /** The end of the path, without the query. */
  readonly pathEnd?: string;
  readonly readsBody?: boolean;
}

/** What the first events of a stream mean. */
export interface EventRows {
  /** Whether the event is no content yet. `event`: its name, or an empty text. */
  readonly isPending?: (answer: Answer, event: string) => boolean;
  /** What it says of itself, if it is a failure. */
  readonly read?: (answer: Answer, event: string) => Hint | undefined;
  /** The wait that a failure asks for. */
  readonly readWait?: Reader;
  /** The types of events that are no content yet: their names, or the `type` in their JSON. */
  readonly pending?: readonly string[];
  /** The types of events that are errors. */
  readonly failed?: readonly string[];
  /** The names that errors have, and the status that each of them stands for. */
  readonly errors?: Readonly<Record<string, number>>;
}

export interface HintSet {
  /** Statuses on which the vendor says "later", in addition to the usual ones. `signals` are read there, too. */
  readonly statuses?: readonly number[];
  /** Waits are read at these statuses, too, whatever else the answer says. */
  readonly waitsToo?: true;
  /** Successes on which the vendor says "later". */
  readonly successes?: readonly HintedSuccess[];
  /** True if the set's signals or readers look into bodies. */
  readonly readsBody?: true;
  /** Headers that say whether to retry, `true` or `false`, on any status from 400. */
  readonly rulings?: readonly string[];
  /** Readers of rulings that are not a header with `true` or `false`. */
  readonly signals?: readonly Reader[];
  /** Signals that come before all rulings of other sets but a veto. */
  readonly verdicts?: readonly Reader[];
  readonly sources?: readonly Source[];
  readonly waits?: readonly WaitField[];
  /** Readers of waits in a body, and in other shapes. */
  readonly readers?: readonly Reader[];
  readonly resets?: readonly ResetField[];
  readonly events?: EventRows;
  /** The reasons that mean "rate limited", also if the status is not 429, beside those of `resets` that are texts. */
  readonly throttles?: readonly string[];
}

/** A set that belongs to no vendor. It is read as it is. */
export type BaseSet = HintSet & Required<Pick<HintSet, 'rulings' | 'signals' | 'sources' | 'throttles'>>;
