/** Every scenario through every client that a runtime has. */

import { describe, expect, test } from 'vitest';
import { complaintAbout, titleOf } from '../conformance/conform.js';
import { expected, type RequestRecord } from '../conformance/record.js';
import type { Scenario } from '../conformance/scenario.js';
import { themes } from '../conformance/themes.js';
import { reasonFor } from './exceptions.js';
import type { ClientName } from './order.js';
import type { Runtime } from './runtime.js';
import { inCodes } from './words.js';

export function conformsThere(runtime: Runtime): void {
  describe.each(runtime.clients)('%s', (client) => {
    describe.each(themes.map(({ name, scenarios }) => [name, scenarios] as const))(
      '%s',
      (_name, scenarios) => {
        const cases = scenarios.map((scenario) => {
          const reason = reasonFor(runtime.name, client, scenario.name);
          return [titleOf(scenario, reason), scenario, reason] as const;
        });
        test.each(cases)('%s', async (_title, scenario, reason) => {
          const records = await played(runtime, client, scenario);
          const complaint = complaintAbout(reason, scenario, records);
          if (complaint === 'differs') expect(records).toEqual(scenario.requests.map(expected));
          expect(complaint).toBeUndefined();
        });
      },
    );
  });
}

let runs = 0;

async function played(
  { name, host, server }: Runtime,
  client: ClientName,
  scenario: Scenario,
): Promise<readonly RequestRecord[]> {
  runs += 1;
  const run = `run${runs}`;
  const order = { kind: 'scenario', client, places: server().places, run, scenario } as const;
  const { records } = await host().ask(order);
  expect(server().repeatedIn(run), 'sent more than once by the runtime itself').toEqual([]);
  return records.map((record, index) => inCodes(name, record, scenario.requests[index]?.ends.with));
}
