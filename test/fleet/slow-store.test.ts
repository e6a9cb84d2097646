/** A store that is slower than a request waits for the lease of a probe: the gate still reopens. */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { answered, errorWith, failed } from '../kit.js';
import type { Process } from './kit.js';
import { Fleets } from './kit.js';

const reset = failed(errorWith({ code: 'ECONNRESET' }));
const policy: PolicyOptions = {
  retry: false,
  budget: false,
  attemptTimeoutMs: 1_000,
  gate: { failures: 10, deadForMs: 1_000, probeMs: 1_000, rampMs: 2_000 },
};

function isSent(fleets: Fleets, process: Process): boolean {
  const session = process.open();
  for (;;) {
    const admission = session.admit();
    if (admission.kind === 'go') return session.acceptAtOnce(200);
    if (admission.kind === 'refuse') {
      session.abandon();
      return false;
    }
    fleets.pass(admission.delayMs);
  }
}

const cases = [20, 26, 60, 200, 400].flatMap((delayMs) =>
  [100, 1_000, 5_000].map((everyMs) => ({ delayMs, everyMs })),
);

test.each(cases)(
  'messages take $delayMs ms, and a request comes each $everyMs ms',
  ({ delayMs, everyMs }) => {
    const fleets = new Fleets(policy, 2);
    fleets.every(20, 1_000, (process) => process.ask());
    fleets.every(20, 1_400, (process) => process.ask(reset));
    expect(fleets.processes.map((process) => process.gate)).toEqual(['shut', 'shut']);
    fleets.store.network = { delayMs };
    fleets.pass(1_500);
    let requests = 1;
    while (!isSent(fleets, fleets.at(requests % 2))) {
      fleets.pass(everyMs);
      requests += 1;
      expect(requests).toBeLessThan(30);
    }
    expect(fleets.at(requests % 2).isShared).toBe(true);
  },
);

test('while the server is dead, probes keep their distance, however slow the store is', () => {
  const fleets = new Fleets(policy, 4);
  fleets.every(20, 1_000, (process) => process.ask(answered(200)));
  fleets.every(20, 1_800, (process) => process.ask(reset));
  fleets.store.network = { delayMs: 60 };
  fleets.pass(1_500);
  const out: { readonly until: number; readonly end: () => void }[] = [];
  let most = 0;
  const sentAt: number[] = [];
  fleets.every(37, 60_000, (process) => {
    while (out[0] !== undefined && out[0].until <= fleets.now) out.shift()?.end();
    const session = process.open();
    if (session.admit().kind !== 'go') return session.abandon();
    sentAt.push(fleets.now);
    out.push({ until: fleets.now + 900, end: () => session.next(reset, { replayable: true }) });
    most = Math.max(most, out.length);
  });
  // Each takes 900 ms, and the next may go after half an interval.
  expect(most).toBe(2);
  const distances = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
  expect(Math.min(...distances)).toBeGreaterThanOrEqual(500);
  expect(sentAt.length).toBeGreaterThan(5);
});
