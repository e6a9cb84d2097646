/** The page's other half: runs the simulator in a worker, so that the page itself stays responsive. */

import type { Trace } from '../../sim/index.js';
import { runCandidate } from '../report.js';
import type { Job, JobMessage } from './lab/jobs.js';

export function serveJobs(): void {
  addEventListener('message', ({ data }: MessageEvent<Job>) => send(endOf(data)));
}

function send(message: JobMessage): void {
  postMessage(message);
}

function endOf({ candidate, scenario, seed }: Job): JobMessage {
  try {
    const trace = progressTrace(scenario.world.durationMs);
    return { run: runCandidate(candidate, { scenario, seed, trace }) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Looking at the clock costs more than most steps of a run. */
const stepsBetweenLooks = 1_000;
const betweenMs = 100;

function progressTrace(durationMs: number): Trace {
  let steps = 0;
  let sendAt = performance.now() + betweenMs;
  return (virtualNow) => {
    steps += 1;
    if (steps % stepsBetweenLooks !== 0 || performance.now() < sendAt) return;
    sendAt = performance.now() + betweenMs;
    send({ share: virtualNow / durationMs });
  };
}
