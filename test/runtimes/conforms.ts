/** Every scenario through every client that a runtime has. */

import { describe, expect } from 'vitest';
import { conformsBut } from '../conformance/conform.js';
import type { RequestRecord } from '../conformance/record.js';
import type { Scenario } from '../conformance/scenario.js';
import { reasonFor } from './exceptions.js';
import type { ClientName } from './order.js';
import type { Runtime } from './runtime.js';
import { inCodes } from './words.js';

export function conformsThere(runtime: Runtime): void {
  describe.each(runtime.clients)('%s', (client) => {
    conformsBut(
      ({ name }) => reasonFor(runtime.name, client, name),
      (scenario) => played(runtime, client, scenario),
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
