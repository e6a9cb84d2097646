/** The scenarios under `fixtures/scenarios`, one file per theme. */

import { readdirSync, readFileSync } from 'node:fs';
import type { Scenario } from './scenario.js';

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
    return { name: file.replace('.json', ''), json, scenarios: json.scenarios };
  });
