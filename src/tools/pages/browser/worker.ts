/** The page's other half: runs the simulator in a worker, so that the page itself stays responsive. */

import { runBySecond } from '../report.js';
import type { Job, JobMessage } from './lab/jobs.js';

export function serveJobs(): void {
  addEventListener('message', ({ data }: MessageEvent<Job>) => send(endOf(data)));
}

function send(message: JobMessage): void {
  postMessage(message);
}

const betweenMs = 100;

function endOf({ candidate, scenario, seed }: Job): JobMessage {
  try {
    const steps = runBySecond(candidate, { scenario, seed });
    let sendAt = performance.now() + betweenMs;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return { run: step.value };
      if (performance.now() < sendAt) continue;
      sendAt = performance.now() + betweenMs;
      send({ share: step.value });
    }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
