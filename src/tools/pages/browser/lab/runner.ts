/** Runs jobs in a worker. Only the newest wish counts: the page no longer waits for an earlier one. */

import type { Entry, RunReport } from '../../report.js';
import type { Job, JobMessage } from './jobs.js';

/** A run that has taken this long is stopped for a newer wish. A shorter one is quicker to finish. */
const patienceMs = 500;

/** How many finished runs are kept: those of the report, and the latest. */
const mostKept = 50;

interface Wish {
  readonly jobs: readonly Job[];
  /** How much of the running job is done, 0 to 1, and how many jobs are done already. */
  readonly progress: (done: number, share: number) => void;
  readonly fulfil: (entries: readonly Entry[]) => void;
  readonly fail: (failure: string) => void;
}

export class Runner {
  readonly #makeWorker: () => Worker;
  readonly #kept: Map<string, RunReport> = new Map();
  #worker: Worker | undefined = undefined;
  #running: { readonly key: string; readonly since: number } | undefined = undefined;
  #wish: Wish | undefined = undefined;

  constructor(makeWorker: () => Worker) {
    this.#makeWorker = makeWorker;
  }

  /** Keeps a run that is known already. */
  keep(job: Job, run: RunReport): void {
    this.#kept.set(keyOf(job), run);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }

  ask(wish: Wish): void {
    this.#wish = wish;
    this.#goOn();
    const running = this.#running;
    if (running === undefined || this.#isWished(running.key)) return;
    const leftMs = running.since + patienceMs - performance.now();
    setTimeout(() => {
      if (this.#running !== running || this.#isWished(running.key)) return;
      this.#giveUp();
      this.#goOn();
    }, leftMs);
  }

  /** Forgets the wish and stops its run; neither `fulfil` nor `fail` is called. */
  cancel(): void {
    this.#wish = undefined;
    if (this.#running !== undefined) this.#giveUp();
  }

  #isWished(key: string): boolean {
    return this.#wish?.jobs.some((job) => keyOf(job) === key) === true;
  }

  #goOn(): void {
    if (this.#running !== undefined || this.#wish === undefined) return;
    const { jobs, fulfil } = this.#wish;
    const missing = jobs.find((job) => !this.#kept.has(keyOf(job)));
    if (missing !== undefined) {
      this.#start(missing);
      return;
    }
    this.#wish = undefined;
    fulfil(jobs.map((job) => ({ ...job.candidate, run: this.#kept.get(keyOf(job)) as RunReport })));
  }

  #start(job: Job): void {
    this.#worker ??= this.#makeWorker();
    const key = keyOf(job);
    this.#running = { key, since: performance.now() };
    this.#worker.onmessage = ({ data }: MessageEvent<JobMessage>): void => {
      if ('share' in data) {
        this.#tellProgress(key, data.share);
        return;
      }
      this.#running = undefined;
      if ('run' in data) this.keep(job, data.run);
      else if (this.#isWished(key)) this.#fail(data.failure);
      this.#goOn();
    };
    this.#worker.onerror = ({ message }): void => {
      this.#giveUp();
      this.#fail(message || 'This browser does not let a page from a file start a worker.');
    };
    this.#worker.postMessage(job);
  }

  #tellProgress(key: string, share: number): void {
    if (this.#wish === undefined || !this.#isWished(key)) return;
    const { jobs, progress } = this.#wish;
    progress(jobs.filter((job) => this.#kept.has(keyOf(job))).length, share);
  }

  #fail(failure: string): void {
    this.#wish?.fail(failure);
    this.#wish = undefined;
  }

  #giveUp(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#running = undefined;
  }
}

function keyOf(job: Job): string {
  return JSON.stringify(job);
}
