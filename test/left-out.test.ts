/** Parts that a bundler can leave out (docs/runtimes.md), and those that it leaves out anyway: they are not in the bundle. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Bundle, bundle, everything, flags, type LeftOut, sizeOf } from '../bench/bundling.js';

const known = new Map<string, Promise<Bundle>>();

/** What a page that only wraps fetch bundles, without some parts. Each bundle is made once. */
function fetchAlone(leftOut: LeftOut = []): Promise<Bundle> {
  const key = leftOut.join();
  const bundled = known.get(key) ?? bundle(`export { withRetry } from 'undaunted/fetch';`, { leftOut });
  known.set(key, bundled);
  return bundled;
}

const modules = {
  vendors: ['src/core/hints/vendors.ts', 'src/core/hints/signals.ts'],
  gateAndHold: [
    'src/core/limits/gate/gate.ts',
    'src/core/limits/hold/refusals.ts',
    'src/core/limits/gate/admit.ts',
    'src/kernel/limits/gate.ts',
    'src/kernel/limits/hold.ts',
    'src/kernel/limits/admission.ts',
  ],
  check: ['src/core/policy/check/', 'src/core/policy/routes/pattern-faults.ts'],
  rules: [
    'src/core/policy/routes/patterns.ts',
    'src/core/policy/routes/pattern-faults.ts',
    'src/core/policy/routes/trees.ts',
    'src/core/policy/check/rule-contradictions.ts',
    'src/core/policy/check/remarks.ts',
  ],
  tail: [
    'src/core/limits/latency/',
    'src/core/decide/both-failed.ts',
    'src/core/policy/fill-in-tail.ts',
    'src/core/policy/check/tail-contradictions.ts',
    'src/kernel/race.ts',
    'src/kernel/latencies.ts',
    'src/drivers/loop/hedging.ts',
  ],
  streams: [
    'src/drivers/body/kept-',
    'src/drivers/body/iterator-source.ts',
    'src/drivers/body/stream-source.ts',
  ],
} as const;

describe('is not in the bundle', () => {
  test.each(everything)('%s', async (part) => {
    const [whole, without] = [await fetchAlone(), await fetchAlone([part])];
    for (const module of modules[part]) {
      expect(sizeOf(whole, [module]), module).toBeGreaterThan(0);
      expect(sizeOf(without, [module]), module).toBe(0);
    }
  });
});

describe('docs/runtimes.md says how large the bundle is without', () => {
  const text = readFileSync('docs/runtimes.md', 'utf8');
  const bundles: readonly (readonly [string, LeftOut])[] = [
    ['nothing', []],
    ...everything.map((part) => [`\`${flags[part]}: false\``, [part]] as const),
    ['all six', everything],
  ];

  test.each(bundles)('%s', async (row, leftOut) => {
    const { gzipped } = await fetchAlone(leftOut);
    const [, said] = new RegExp(`^\\| ${row} \\| ([\\d.]+) kB`, 'm').exec(text) ?? [];
    expect(Math.abs(gzipped - Number(said)), `${gzipped} kB`).toBeLessThan(0.5);
  });
});

test('a page that only wraps fetch carries nothing of the rest', async () => {
  const { modules } = await fetchAlone();
  const rooms = /^src\/(core|kernel|drivers|adapters\/fetch)\//;
  const unused =
    /^src\/core\/(explain|policy\/presets|policy\/schemes|decide\/round-trips|hints\/origins)\.ts$/;
  const strangers = [...modules.keys()].filter((path) => !rooms.test(path) || unused.test(path));
  expect(strangers).toEqual(['<stdin>']);
});
