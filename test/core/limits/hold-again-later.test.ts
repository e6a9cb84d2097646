/** A hold that begins long after the last one paces requests as the first one did. */

import { expect, test } from 'vitest';
import { Fleets } from '../../fleet/kit.js';
import { answered } from '../../kit.js';

const minute = 60_000;

test.each([1, 5, 6, 30, 60, 180])('%d minutes after the last one, alone', (minutes) => {
  for (const gap of gapsBehindSecondHold(minutes * minute, true)) expect(gap).toBeGreaterThan(40);
});

test.each([1, 6, 180])('%d minutes after the last one, in a fleet', (minutes) => {
  for (const gap of gapsBehindSecondHold(minutes * minute, false)) expect(gap).toBeGreaterThan(40);
});

/** The time between the first requests that are sent behind the second hold. */
function gapsBehindSecondHold(laterMs: number, isAlone: boolean): number[] {
  const hold = { refusedShare: 0, spacingMs: 50, maxQueueMs: 20_000 };
  const fleets = new Fleets({ retry: false, budget: false, hintJitter: 0, scopeIdleMs: 1e9, hold }, 1);
  const process = fleets.at(0);
  process.link.isCut = isAlone;
  const refusal = answered(429, { 'retry-after': '5' });
  fleets.every(50, 3_000, () => process.ask());
  process.ask(refusal);
  fleets.pass(20_000);
  process.ask();
  fleets.pass(laterMs);
  process.ask(refusal);
  fleets.pass(100);
  const waiting = new Set([process.open(), process.open(), process.open()]);
  for (const session of waiting) session.admit();
  const sentAt: number[] = [];
  const endsAt = fleets.now + 10_000;
  while (waiting.size > 0 && fleets.now < endsAt) {
    for (const session of waiting) {
      if (session.admit().kind !== 'go') continue;
      waiting.delete(session);
      sentAt.push(fleets.now);
    }
    fleets.pass(1);
  }
  return [(sentAt[1] ?? 0) - (sentAt[0] ?? 0), (sentAt[2] ?? 0) - (sentAt[1] ?? 0)];
}
