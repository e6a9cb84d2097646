/** The size of each entry, of pages with what they choose, of the peers, and of an entry's layers. */

import { bundle, type Choice, choices, entries, type Modules, pageWith, sizeOf } from './bundling.js';
import type { Row } from './row.js';

/** What may be no larger than this, in kB. `test/light/sizes.test.ts` holds them. */
export const bounds: readonly Bound[] = [
  { ...entryNamed('undaunted/fetch'), atMost: 81.4 },
  { ...entryNamed('undaunted/axios'), atMost: 84.5 },
  { ...pageOf('fetch', []), atMost: 24 },
  { ...pageOf('axios', []), atMost: 24.9 },
  { ...pageOf('fetch', ['rules', 'streams']), atMost: 29.3 },
  { ...pageOf('axios', ['rules', 'streams']), atMost: 30.2 },
];

interface Program {
  readonly name: string;
  readonly code: string;
}

interface Bound extends Program {
  readonly atMost: number;
}

function entryNamed(name: string): Program {
  return { name, code: `export * from '${name}';` };
}

function pageOf(client: 'fetch' | 'axios', chosen: readonly Choice[]): Program {
  return {
    name: [`a page with undaunted/light/${client}`, ...chosen].join(', '),
    code: pageWith(client, chosen),
  };
}

const peers = ['axios-retry', 'retry-axios'] as const;

/** What a browser loads. */
const takenApart = ['undaunted/fetch', 'undaunted/axios'] as const;
const layers: Readonly<Record<string, Modules>> = {
  adapter: ['src/adapters/'],
  kernel: ['src/kernel/'],
  drivers: ['src/drivers/'],
  core: ['src/core/'],
};
const pieces: Readonly<Record<string, Modules>> = {
  'the vendors’ hints': ['src/core/hints/vendors.ts', 'src/core/hints/signals.ts'],
  'all hints': ['src/core/hints/'],
  'the check for contradictions': [
    'src/core/policy/check/contradictions.ts',
    'src/core/limits/budget/check.ts',
    'src/core/limits/gate/check.ts',
    'src/core/limits/hold/check.ts',
    'src/core/policy/check/rule-contradictions.ts',
  ],
  'any check of policies': ['src/core/policy/check', 'src/core/policy/routes/pattern-faults.ts'],
  'patterns and routes': ['src/core/policy/routes'],
  'the failures of transport': ['src/core/decide/failure'],
  'gate and hold': [
    'src/core/limits/gate',
    'src/core/limits/hold',
    'src/kernel/limits/gate.ts',
    'src/kernel/limits/hold.ts',
    'src/kernel/limits/admission.ts',
  ],
  'buffers for streams': [
    'src/drivers/body/kept-',
    'src/drivers/body/iterator-source.ts',
    'src/drivers/body/stream-source.ts',
  ],
  'hedges and adaptive timeouts': [
    'src/core/limits/latency/',
    'src/core/decide/both-failed.ts',
    'src/core/policy/fill-in-parts.ts',
    'src/core/policy/check/tail-contradictions.ts',
    'src/kernel/race.ts',
    'src/kernel/latencies.ts',
    'src/kernel/alarms.ts',
    'src/drivers/loop/hedging.ts',
    'src/drivers/apart.ts',
  ],
};

export async function benchEntries(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const entry of Object.keys(entries())) rows.push(await rowOf(entryNamed(entry)));
  for (const client of ['fetch', 'axios'] as const)
    for (const chosen of pages) rows.push(await rowOf(pageOf(client, chosen)));
  for (const peer of peers) {
    const { gzipped, minified } = await bundle(`import * as all from '${peer}'; console.log(all);`);
    rows.push({ name: peer, value: gzipped, unit: 'kB', note: `${minified.toFixed(1)} kB minified` });
  }
  for (const entry of takenApart) rows.push(...(await rowsOfPieces(entry)));
  return rows;
}

async function rowOf({ name, code }: Program): Promise<Row> {
  const { gzipped, minified } = await bundle(code);
  const atMost = bounds.find((bound) => bound.name === name)?.atMost;
  return {
    name,
    value: gzipped,
    unit: 'kB',
    note: `${minified.toFixed(1)} kB minified`,
    ...(atMost !== undefined && { atMost }),
  };
}

const pages: readonly (readonly Choice[])[] = [
  [],
  ['rules', 'streams'],
  ...Object.keys(choices).map((choice) => [choice as Choice]),
];

async function rowsOfPieces(entry: string): Promise<Row[]> {
  const { code } = entryNamed(entry);
  const all = await bundle(code);
  const rows = Object.entries(layers).map(([layer, modules]) => ({
    name: `${entry}, of the minified: ${layer}`,
    value: sizeOf(all, modules),
    unit: 'kB',
    note: `${((100 * sizeOf(all, modules)) / all.minified).toFixed(0)} %`,
  }));
  for (const [piece, modules] of Object.entries(pieces)) {
    const without = await bundle(code, { external: modules });
    rows.push({
      name: `${entry}, less without ${piece}`,
      value: all.gzipped - without.gzipped,
      unit: 'kB',
      note: `${sizeOf(all, modules).toFixed(1)} kB minified`,
    });
  }
  return rows;
}
