/** What the page asks its worker for, and what the worker answers. */

import type { Scenario } from '../../../sim/internal.js';
import type { Candidate, RunReport } from '../../report.js';

export interface Job {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly candidate: Candidate;
}

/** Any number of shares, then a run or a failure. */
export type JobMessage =
  /** How much of the run is done: 0 to 1. */
  { readonly share: number } | { readonly run: RunReport } | { readonly failure: string };
