/** Each entry of the package with and without its dependencies, those of the peers, and what one of them is made of. */

import { bundle, entries, type Modules, sizeOf } from './bundling.js';
import type { Row } from './row.js';

/** In kB, with dependencies. */
const bounds: Readonly<Record<string, number>> = { 'undaunted/fetch': 28, 'undaunted/axios': 33 };
const dependencies: Modules = ['node_modules/'];
const peers = ['axios-retry', 'retry-axios'] as const;

/** What browsers load. */
const takenApart = ['undaunted/fetch', 'undaunted/axios'] as const;
const layers: Readonly<Record<string, Modules>> = {
  dependencies,
  adapter: ['src/adapters/'],
  runtime: ['src/runtime/'],
  core: ['src/core/'],
};
const pieces: Readonly<Record<string, Modules>> = {
  dependencies,
  'the vendors’ hints': ['src/core/hints/vendors.ts', 'src/core/hints/signals/'],
  'all hints': ['src/core/hints/'],
  'the check for contradictions': [
    'src/core/policy/check/contradictions.ts',
    'src/core/policy/check/budget-contradictions.ts',
    'src/core/policy/check/schedule-contradictions.ts',
    'src/core/policy/check/rule-contradictions.ts',
    'src/core/policy/check/status-contradictions.ts',
  ],
  'any check of policies': ['src/core/policy/check', 'src/core/policy/routes/pattern-faults.ts'],
  'patterns and routes': ['src/core/policy/routes'],
  'the failures of transport': ['src/core/decide/failure'],
  'gate and hold': ['src/core/limits/gate', 'src/core/limits/hold', 'src/core/limits/admit.ts'],
};

export async function benchEntries(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const entry of Object.keys(entries())) rows.push(...(await rowsOf(entry)));
  for (const peer of peers) {
    const { gzipped, minified } = await bundle(`import * as all from '${peer}'; console.log(all);`);
    rows.push({ name: peer, value: gzipped, unit: 'kB', note: `${minified.toFixed(1)} kB minified` });
  }
  for (const entry of takenApart) rows.push(...(await rowsOfPieces(entry)));
  return rows;
}

async function rowsOf(entry: string): Promise<Row[]> {
  const code = `export * from '${entry}';`;
  const [all, ours] = [await bundle(code), await bundle(code, dependencies)];
  const bound = bounds[entry];
  return [
    {
      name: entry,
      value: all.gzipped,
      unit: 'kB',
      note: `${all.minified.toFixed(1)} kB minified`,
      ...(bound !== undefined && { atMost: bound }),
    },
    {
      name: `${entry}, without dependencies`,
      value: ours.gzipped,
      unit: 'kB',
    },
  ];
}

async function rowsOfPieces(entry: string): Promise<Row[]> {
  const code = `export * from '${entry}';`;
  const all = await bundle(code);
  const rows = Object.entries(layers).map(([layer, modules]) => ({
    name: `${entry}, of the minified: ${layer}`,
    value: sizeOf(all, modules),
    unit: 'kB',
    note: `${((100 * sizeOf(all, modules)) / all.minified).toFixed(0)} %`,
  }));
  for (const [piece, modules] of Object.entries(pieces)) {
    const without = await bundle(code, modules);
    rows.push({
      name: `${entry}, less without ${piece}`,
      value: all.gzipped - without.gzipped,
      unit: 'kB',
      note: `${sizeOf(all, modules).toFixed(1)} kB minified`,
    });
  }
  return rows;
}
