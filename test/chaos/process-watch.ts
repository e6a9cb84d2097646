/** Uncaught exceptions of the process, and resources that are still open. */

import { onTestFinished } from 'vitest';

export class ProcessWatch {
  readonly heard: string[] = [];
  readonly #before = openKinds();

  constructor() {
    for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
      const hear = (what: unknown): void => {
        const isExperiment = Object(what).name === 'ExperimentalWarning';
        if (!isExperiment) this.heard.push(`${event}: ${what instanceof Error ? what.stack : String(what)}`);
      };
      process.on(event, hear);
      onTestFinished(() => void process.off(event, hear));
    }
  }

  /** Timers, sockets, servers and processes that were opened since the watch began. */
  leftovers(): string[] {
    const before = [...this.#before];
    return openKinds().filter((kind) => {
      const at = before.indexOf(kind);
      if (at !== -1) before.splice(at, 1);
      return at === -1;
    });
  }
}

function openKinds(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /^(Timeout|TCP|Process)/.test(kind));
}
