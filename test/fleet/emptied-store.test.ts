/** A store that was emptied, or whose clock was set back: the processes restore what they know, and follow each other. */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { Session } from '../../src/kernel/session.js';
import { answered, errorWith, failed } from '../kit.js';
import { Fleets } from './kit.js';

const policy: PolicyOptions = {
  retry: false,
  budget: false,
  hintJitter: 0,
  deadlineMs: 60_000,
  hold: { refusedShare: 0, minMs: 1_000, spacingMs: 50, maxQueueMs: 5_000 },
};

function sentAfter(fleets: Fleets, session: Session): number {
  const since = fleets.now;
  for (;;) {
    const admission = session.admit();
    if (admission.kind === 'go') return fleets.now - since;
    if (admission.kind === 'refuse') {
      session.abandon();
      return Infinity;
    }
    fleets.pass(admission.delayMs);
  }
}

test('a process that knew a longer past follows the queue that another one has restored', () => {
  const fleets = new Fleets(policy, 2);
  fleets.every(20, 2_000, (process) => process.ask());
  // The pace is set again and again.
  for (let turn = 0; turn < 6; turn += 1) {
    fleets.every(20, 1_500, (process) => process.ask(answered(429)));
    fleets.pass(1_200);
  }
  fleets.store.forget();
  // Only the first process has something to do. It restores the queue.
  const first = Array.from({ length: 5 }, () => fleets.at(0).open());
  for (const session of first) session.admit();
  fleets.pass(600);
  const second = fleets.at(1).open();
  expect(second.admit().kind).toBe('wait');
  expect(sentAfter(fleets, second)).toBeLessThan(2_000);
});

test.each([60_000, 3_600_000])(
  'a store whose clock was set back by %d ms does not keep the gate shut',
  (backMs) => {
    const gate = { failures: 10, deadForMs: 1_000, probeMs: 1_000, rampMs: 2_000 };
    const fleets = new Fleets({ retry: false, budget: false, attemptTimeoutMs: 1_000, gate }, 2);
    const shift = fleets.setStoreClock(1e9);
    fleets.every(20, 1_000, (process) => process.ask());
    fleets.every(20, 1_400, (process) => process.ask(failed(errorWith({ code: 'ECONNRESET' }))));
    fleets.pass(3_000);
    expect(fleets.processes.map((process) => process.gate)).toEqual(['shut', 'shut']);
    fleets.setStoreClock(shift - backMs);
    const since = fleets.now;
    while (sentAfter(fleets, fleets.at(0).open()) === Infinity) {
      fleets.pass(500);
      expect(fleets.now - since).toBeLessThan(5_000);
    }
  },
);
