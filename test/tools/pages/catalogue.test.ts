/** What the lab begins with. */

import { describe, expect, test } from 'vitest';
import { catalogueOf } from '../../../src/tools/pages/browser/lab/catalogue.js';
import { scenarios } from '../../../src/tools/sim/internal.js';

function againstIn(name: string): string {
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return catalogueOf({ format: 1, scenario, seed: 1, entries: [] }).start.against;
}

describe('the policy of undaunted begins beside', () => {
  test('that of another library, if the scenario suggests one', () => {
    expect(againstIn('seed-outage')).toBe('got');
  });

  test('otherwise the one that differs most from it, which the scenario names last', () => {
    expect(againstIn('slow-tail')).toBe('service-hedge');
  });
});
