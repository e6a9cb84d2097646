/** A table of what retry layers do to servers: one row for each contender, columns by cases. */

import type { Contender } from '../src/tools/sim/index.js';
import { peers } from '../src/tools/sim/index.js';
import type { Seeds } from './sim-reading.js';

export type Contenders = Readonly<Record<string, Contender>>;

/** Columns that come from the same runs. */
export interface Case {
  readonly about: string;
  /** The goal for our policies. */
  readonly asked: string;
  readonly columns: readonly string[];
  readonly cells: (contender: Contender, seeds: Seeds) => readonly string[];
  /** With all seeds, it takes long. */
  readonly isLong?: true;
}

export interface Table {
  /** For the command line. */
  readonly name: string;
  readonly title: string;
  readonly contenders: Contenders;
  readonly cases: readonly Case[];
}

/** The cells of a whole row. */
export function rowOf({ cases }: Pick<Table, 'cases'>, contender: Contender, seeds: Seeds): string[] {
  return cases.flatMap(({ cells }) => cells(contender, seeds));
}

// ---------------------------------------------------------------- contenders

export const naive: Contenders = {
  'no retry': peers.noRetry,
  '3 retries, full jitter': peers.threeRetries,
};

export const libraries: Contenders = {
  'axios-retry, `exponentialDelay`': peers.axiosRetry,
  'undici retry': peers.undiciRetry,
  got: peers.got,
  ky: peers.ky,
  'p-retry': peers.pRetry,
  'AWS standard': peers.awsStandard,
};
