/** Sends ten requests at once to a healthy server that answers within twenty milliseconds. */

import type { Session } from '../../src/kernel/session.js';
import type { ScopeMachine, State } from './scope-machine.js';

interface Waiting {
  readonly session: Session;
  readonly at: number;
  readonly isSent: boolean;
}

/** How many were refused. This changes the machine's memory, which the caller has to restore. */
export function refusedOfTen(machine: ScopeMachine, { now }: State): number {
  let refused = 0;
  let waiting: Waiting[] = Array.from({ length: 10 }, () => {
    return { session: machine.retrier.open(machine.request), at: now, isSent: false };
  });
  for (let next = earliestOf(waiting); next !== undefined; next = earliestOf(waiting)) {
    const { session, at, isSent } = next;
    waiting = waiting.filter((one) => one !== next);
    machine.now = Math.max(machine.now, at);
    if (isSent) session.acceptAtOnce(200);
    else {
      const admission = session.admit();
      if (admission.kind === 'refuse') refused += 1;
      if (admission.kind === 'refuse') session.abandon();
      else if (admission.kind === 'go') waiting.push({ session, at: machine.now + 20, isSent: true });
      else waiting.push({ session, at: machine.now + admission.delayMs, isSent: false });
    }
  }
  return refused;
}

function earliestOf(waiting: readonly Waiting[]): Waiting | undefined {
  return waiting.reduce<Waiting | undefined>(
    (first, one) => (first === undefined || one.at < first.at ? one : first),
    undefined,
  );
}
