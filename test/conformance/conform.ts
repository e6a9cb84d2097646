/** Runs every scenario through one runner. A runner may skip a scenario only if it cannot run it, and must say why. */

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { expected, type RequestRecord } from './record.js';
import type { RunnerName, Scenario } from './scenario.js';
import { themes } from './themes.js';

/** Returns the records of the scenario's requests, in order. */
export type Play = (scenario: Scenario) => Promise<readonly RequestRecord[]>;

export function conforms(runner: RunnerName, play: Play): void {
  conformsBut(({ skip }) => skip?.[runner], play);
}

/** `reasonOf`: why a scenario cannot be played. */
export function conformsBut(reasonOf: (scenario: Scenario) => string | undefined, play: Play): void {
  describe.each(themes.map(({ name, scenarios }) => [name, scenarios] as const))('%s', (_name, scenarios) => {
    const cases = scenarios.map((scenario) => {
      const reason = reasonOf(scenario);
      return [titleOf(scenario, reason), scenario, reason] as const;
    });
    test.each(cases)('%s', async (_title, scenario, reason) => {
      const records = await play(scenario);
      const complaint = complaintAbout(reason, scenario, records);
      if (complaint === 'differs') expect(records).toEqual(scenario.requests.map(expected));
      expect(complaint).toBeUndefined();
    });
  });
}

export type Complaint = 'differs' | 'skipped without a reason' | 'skipped, and would pass';

export function complaintOf(
  runner: RunnerName,
  scenario: Scenario,
  records: readonly RequestRecord[],
): Complaint | undefined {
  return complaintAbout(scenario.skip?.[runner], scenario, records);
}

/** `reason`: why this runner cannot do it. */
export function complaintAbout(
  reason: string | undefined,
  { requests }: Scenario,
  records: readonly RequestRecord[],
): Complaint | undefined {
  const passes = isDeepStrictEqual(records, requests.map(expected));
  if (reason === undefined) return passes ? undefined : 'differs';
  if (reason.trim() === '') return 'skipped without a reason';
  return passes ? 'skipped, and would pass' : undefined;
}

export function titleOf({ name }: Scenario, reason: string | undefined): string {
  return reason === undefined ? name : `${name} (skipped: ${reason})`;
}
