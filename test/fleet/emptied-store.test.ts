/** A store that was emptied while requests are paced: every process follows what another one has restored. */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { Session } from '../../src/runtime/session.js';
import { answered } from '../kit.js';
import { Fleets } from './kit.js';

const policy: PolicyOptions = {
  retry: false,
  budget: false,
  hintJitter: 0,
  deadlineMs: 60_000,
  hold: { refusedShare: 0.3, minMs: 1_000, spacingMs: 50, maxQueueMs: 5_000 },
};

function sentAfter(fleets: Fleets, session: Session): number {
  const since = fleets.now;
  for (;;) {
    const admission = session.admit();
    if (admission.kind === 'go') return fleets.now - since;
    if (admission.kind === 'refuse') return Number.POSITIVE_INFINITY;
    fleets.pass(admission.delayMs);
  }
}

test('also one that knew a longer past', () => {
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
