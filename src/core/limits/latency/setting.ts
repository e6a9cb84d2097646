/** Hedges and adaptive attempt timeouts, as they are written in a policy and as they are read. */

import type { Partly } from '../../policy/switched.js';

/** When a second attempt is sent while the first is still out, and which requests get one. */
export interface Hedge {
  /**
   * The quantile of recent answer times, from 0 to 1, that the wait for a hedge is based on: 0.5 is the median.
   * @default 0.5
   */
  readonly quantile: number;
  /**
   * The wait is this many times that quantile.
   * @default 4
   */
  readonly factor: number;
  /**
   * A fixed wait in milliseconds, in place of one that adapts to the answer times.
   * @default none
   */
  readonly afterMs: number | undefined;
  /**
   * Methods that are hedged. Both attempts may reach the server and be carried out at the same time.
   * @default ['GET', 'HEAD', 'OPTIONS', 'QUERY']
   */
  readonly methods: readonly string[];
  /**
   * How many hedges each request that succeeds adds; three decimals count.
   * @default 0.05
   */
  readonly share: number;
  /**
   * How many hedges may be saved up. There are none at the start.
   * @default 5
   */
  readonly capacity: number;
}

/** An adaptive attempt timeout. */
export interface LearntTimeout {
  /**
   * The quantile of recent answer times, from 0 to 1, that the timeout is based on.
   * @default 0.95
   */
  readonly quantile: number;
  /**
   * The timeout is this many times that quantile.
   * @default 2
   */
  readonly factor: number;
  /**
   * The shortest timeout in milliseconds.
   * @default 50
   */
  readonly minMs: number;
  /**
   * The longest timeout in milliseconds. It applies until enough answers are known, to last attempts, and where a retry
   * is not safe or not affordable.
   * @default none
   */
  readonly maxMs: number;
}

/** What is learnt from the answers of a rule's requests in a scope, and for what. */
export interface Tail {
  readonly hedge: Hedge | false;
  readonly timeout: LearntTimeout | undefined;
}

export type HedgeOptions = Partly<Hedge>;

export type LearntTimeoutOptions = Pick<LearntTimeout, 'maxMs'> & Partial<Omit<LearntTimeout, 'maxMs'>>;
