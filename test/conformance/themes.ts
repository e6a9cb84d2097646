/** The scenarios under `fixtures/scenarios`, one file per theme. */

import { readdirSync, readFileSync } from 'node:fs';
import type { Scenario, ScenarioRequest } from './scenario.js';

export interface Theme {
  readonly name: string;
  /** The scenarios as they are in the file. */
  readonly json: unknown;
  readonly scenarios: readonly Scenario[];
}

const folder = new URL('../../fixtures/scenarios/', import.meta.url);

export const themes: readonly Theme[] = readdirSync(folder)
  .sort()
  .map((file) => {
    const json = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { scenarios: Scenario[] };
    return { name: file.replace('.json', ''), json, scenarios: json.scenarios.map(spelledOut) };
  });

/** The scenario with every request of a series on its own. */
function spelledOut(scenario: Scenario): Scenario {
  const [first, ...others] = scenario.requests.flatMap(seriesOf);
  return first === undefined ? scenario : { ...scenario, requests: [first, ...others] };
}

function seriesOf({ times = 1, everyMs = 0, ...request }: ScenarioRequest): ScenarioRequest[] {
  return Array.from({ length: times }, (_, index) => laterBy(index * everyMs, request));
}

function laterBy(ms: number, request: ScenarioRequest): ScenarioRequest {
  if (ms === 0) return request;
  const { atMs = 0, attempts, ends } = request;
  return {
    ...request,
    atMs: atMs + ms,
    attempts: attempts.map((attempt) => ({ ...attempt, atMs: attempt.atMs + ms })),
    ends: { ...ends, atMs: ends.atMs + ms },
  };
}
