/** What a bundler leaves out of a small program that does not use it, and what it keeps. */

import { bundle, type Modules, pageWith, sizeOf } from './bundling.js';
import type { Row } from './row.js';

const features = {
  presets: ['src/core/policy/presets.ts'],
  explain: ['src/core/explain.ts'],
  'vendors’ hints': ['src/core/hints/vendors.ts', 'src/core/hints/signals.ts'],
  'the check of policies': ['src/core/policy/check/', 'src/core/policy/routes/pattern-faults.ts'],
} as const satisfies Readonly<Record<string, Modules>>;

type Feature = keyof typeof features;

interface Consumer {
  readonly code: string;
  readonly uses: readonly Feature[];
}

const check = 'the check of policies';
const vendors = 'vendors’ hints';

const consumers: readonly Consumer[] = [
  { code: `import { attempts } from 'undaunted'; console.log(attempts({ kind: 'fixed' }));`, uses: [] },
  { code: `import { explain } from 'undaunted'; console.log(explain({}));`, uses: ['explain'] },
  { code: `import { presets } from 'undaunted'; console.log(presets);`, uses: ['presets'] },
  { code: `import { readHint } from 'undaunted'; console.log(readHint({}, {}));`, uses: [vendors] },
  { code: `import { decide } from 'undaunted'; console.log(decide({}));`, uses: [] },
  { code: `import { definePolicy } from 'undaunted'; console.log(definePolicy({}));`, uses: [check] },
  { code: `import { createRetrier } from 'undaunted'; console.log(createRetrier());`, uses: [check] },
  { code: `import { retry } from 'undaunted/undici'; console.log(retry());`, uses: [check] },
  { code: `import { withRetry } from 'undaunted/fetch'; console.log(withRetry());`, uses: [check] },
  { code: `import { attachRetry } from 'undaunted/axios'; attachRetry(api);`, uses: [check] },
  { code: pageWith('fetch', []), uses: [] },
  { code: pageWith('axios', []), uses: [] },
  { code: pageWith('axios', ['rules', 'gate and hold']), uses: [] },
  {
    code: `import { explain } from 'undaunted'; import { attachRetry } from 'undaunted/axios'; attachRetry(api, { observe: (e) => explain(e) });`,
    uses: [check, 'explain'],
  },
  {
    code: `import { presets } from 'undaunted'; import { attachRetry } from 'undaunted/axios'; attachRetry(api, presets.policies.service);`,
    uses: [check, 'presets'],
  },
];

export async function benchConsumers(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const consumer of consumers) rows.push(await rowOf(consumer));
  return rows;
}

async function rowOf({ code, uses }: Consumer): Promise<Row> {
  const made = await bundle(code);
  const idle = Object.entries(features)
    .filter(([feature]) => !uses.some((used) => used === feature))
    .map(([feature, modules]) => ({ feature, size: sizeOf(made, modules) }))
    .filter(({ size }) => size > 0)
    .map(({ feature, size }) => `${feature}, ${size.toFixed(1)} kB minified`);
  return {
    name: importsOf(code),
    value: made.gzipped,
    unit: 'kB',
    note: idle.length === 0 ? 'nothing of it unused' : `unused, but in it: ${idle.join('; ')}`,
  };
}

function importsOf(code: string): string {
  return [...code.matchAll(/import \{ (.+?) \} from '(.+?)'/g)]
    .map(([, names, entry]) => `${names} from ${entry}`)
    .join(', ');
}
