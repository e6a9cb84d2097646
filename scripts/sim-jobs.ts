/**
 * Simulations keep a thread busy for minutes. They run in a thread of their own, so that the main thread can show the
 * progress and react to Ctrl-C.
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PolicyOptions } from '../src/index.js';
import type { Judgement } from './goals/goal.js';
import type { TailFigures } from './tail/figures.js';
import type { TailContender } from './tail/rows.js';

/** The cells of one contender in one case of a table. */
export interface CellsJob {
  readonly kind: 'cells';
  /** Its name. */
  readonly table: string;
  readonly contender: string;
  /** Which of the table's cases. */
  readonly caseIndex: number;
  readonly seeds: number;
}

/** A goal, judged for a policy. */
export interface GoalJob {
  readonly kind: 'goal';
  /** Which of all goals. */
  readonly goalIndex: number;
  readonly policy: PolicyOptions;
  readonly seeds: number;
}

/** What is measured of one contender on a day of the slow tail. */
export interface TailJob {
  readonly kind: 'tail';
  /** The name of the day. */
  readonly row: string;
  readonly contender: TailContender;
  readonly seeds: number;
}

/** What a contender reaches on an ordinary day, or in an outage. */
export interface OrdinaryJob {
  readonly kind: 'ordinary';
  /** Which of all of them. */
  readonly index: number;
  readonly contender: TailContender;
  readonly seeds: number;
}

export type Job = CellsJob | GoalJob | TailJob | OrdinaryJob;

export interface Results {
  readonly cells: readonly string[];
  readonly goal: Judgement;
  readonly tail: TailFigures;
  readonly ordinary: number;
}

export class SimulationThread {
  private readonly worker: Worker = new Worker(new URL('./sim-thread.js', import.meta.url));

  /** One job at a time. */
  async run<Kind extends Job['kind']>(job: Job & { readonly kind: Kind }): Promise<Results[Kind]> {
    this.worker.postMessage(job);
    const [result] = (await once(this.worker, 'message')) as [Results[Kind]];
    return result;
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
