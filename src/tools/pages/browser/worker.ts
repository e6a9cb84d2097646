/** The page's other half: runs the simulator, so that the page itself never stands still. */

import { runCandidate } from '../report.js';
import type { Job, JobResult } from './lab/jobs.js';

export function serveJobs(): void {
  addEventListener('message', ({ data }: MessageEvent<Job>) => postMessage(resultOf(data)));
}

function resultOf({ candidate, ...circumstances }: Job): JobResult {
  try {
    return { run: runCandidate(candidate, circumstances) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
