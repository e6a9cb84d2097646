/** What the page asks its worker for, and what it is told. */

import type { Scenario } from '../../../sim/internal.js';
import type { Candidate, RunReport } from '../../report.js';

export interface Job {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly candidate: Candidate;
}

export type JobResult = { readonly run: RunReport } | { readonly failure: string };
