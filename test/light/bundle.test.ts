/** What a page carries: the essentials, and the parts that it names. Nothing else is in its bundle. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Bundle, bundle, type Choice, choices, pageWith, sizeOf } from '../../bench/bundling.js';
import { saidSizes, sizedPages } from '../../scripts/docs/page-sizes.js';

const known = new Map<string, Promise<Bundle>>();

/** Of one file with all modules, as `dist` is. Each bundle is made once. */
function bundled(code: string, isForDevelopment = false): Promise<Bundle> {
  const key = `${isForDevelopment} ${code}`;
  const made = known.get(key) ?? bundle(code, { isForDevelopment, inOneFile: true });
  known.set(key, made);
  return made;
}

const modules: Readonly<Record<Choice, readonly string[]>> = {
  rules: [
    'src/core/policy/routes/patterns.ts',
    'src/core/policy/routes/routes.ts',
    'src/core/policy/routes/trees.ts',
  ],
  overrides: ['src/core/policy/overrides.ts'],
  streams: [
    'src/drivers/body/kept-',
    'src/drivers/body/made-body.ts',
    'src/drivers/body/iterator-source.ts',
    'src/drivers/body/stream-source.ts',
  ],
  'whole answers': ['src/drivers/body/whole.ts'],
  'deadline of bodies': ['src/drivers/body/body-deadline.ts'],
  'stream start': [
    'src/core/decide/stream-start.ts',
    'src/core/decide/stream-events.ts',
    'src/core/hints/event-stream.ts',
  ],
  'gate and hold': [
    'src/core/limits/gate/admit.ts',
    'src/core/limits/gate/gate.ts',
    'src/core/limits/hold/refusals.ts',
    'src/kernel/limits/gate.ts',
    'src/kernel/limits/hold.ts',
    'src/kernel/limits/admission.ts',
  ],
  concurrency: ['src/kernel/limits/concurrency.ts'],
  'sliding window': ['src/core/limits/budget/window.ts'],
  credentials: ['src/kernel/credentials.ts'],

  hooks: ['src/drivers/hooks.ts', 'src/drivers/told-outcome.ts', 'src/kernel/moves.ts'],
  layers: ['src/kernel/layers.ts', 'src/kernel/context.ts'],
  channels: [],
  node: ['src/drivers/node.ts', 'src/drivers/body/node-answers.ts'],
  failures: ['src/core/decide/failures/known.ts', 'src/core/decide/failures/read.ts'],
  evidence: ['src/core/decide/failures/known.ts'],
  'hedge and adaptive timeout': [
    'src/core/limits/latency/latency.ts',
    'src/core/limits/latency/learnt.ts',
    'src/core/decide/both-failed.ts',
    'src/kernel/race.ts',
    'src/kernel/latencies.ts',
    'src/drivers/loop/hedging.ts',
  ],
  'hints of GitHub': ['src/core/hints/signals.ts'],
  'hints of all vendors': ['src/core/hints/vendors.ts', 'src/core/hints/signals.ts'],
  'hints in bodies, and all dates': ['src/core/hints/lenient-date.ts'],
  'hints of one’s own': ['src/core/hints/own.ts'],
  check: ['src/core/policy/check/', 'src/core/policy/routes/pattern-faults.ts'],
};

describe.each(['fetch', 'axios'] as const)('%s', (client) => {
  test.each(Object.keys(choices) as Choice[])(
    '%s is there if it is chosen, and only then',
    async (choice) => {
      const [without, chosen] = [
        await bundled(pageWith(client, [])),
        await bundled(pageWith(client, [choice])),
      ];
      for (const module of modules[choice]) {
        expect(sizeOf(without, [module]), module).toBe(0);
        expect(sizeOf(chosen, [module]), module).toBeGreaterThan(0);
      }
    },
  );

  test('one vendor brings none of the others', async () => {
    const { text } = await bundled(pageWith(client, ['hints of GitHub']));
    expect(text).toContain('graphql');
    expect(text).not.toMatch(/insufficient_quota|x-hubspot/);
    const { modules } = await bundle(pageWith(client, ['hints of GitHub']));
    expect([...modules.keys()]).not.toContain('src/core/hints/own.ts');
  });

  test('the check is there in development, and in production only if it is chosen', async () => {
    const check = ['src/core/policy/check/check.ts'];
    expect(sizeOf(await bundled(pageWith(client, []), true), check)).toBeGreaterThan(0);
    expect(sizeOf(await bundled(pageWith(client, [])), check)).toBe(0);
    expect((await bundled(pageWith(client, []))).text).not.toContain('NODE_ENV');
  });

  test('nothing of another client, nor of the tools', async () => {
    const { modules } = await bundled(pageWith(client, []));
    const rooms = new RegExp(`^src/(core|kernel|drivers|light|parts|adapters/${client})/`);
    expect([...modules.keys()].filter((path) => !rooms.test(path))).toEqual(['<stdin>']);
  });
});

/** The other rows of the table are held by test/tables/pages.test.ts, in CI. */
test('docs/runtimes.md says how large a page is with the essentials alone', async () => {
  const [page] = sizedPages;
  if (page === undefined) throw new Error('no pages');
  const { gzipped } = await bundle(page.codeFor('fetch'));
  const said = saidSizes(readFileSync('docs/runtimes.md', 'utf8'), page).fetch;
  expect(Math.abs(gzipped - said), `${gzipped} kB`).toBeLessThan(0.5);
});

test('a page that wraps fetch with everything carries nothing of the rest', async () => {
  const { modules } = await bundled(`export { withRetry } from 'undaunted/fetch';`);
  const rooms = /^src\/(core|kernel|drivers|parts|adapters\/fetch)\//;
  const unused =
    /^src\/core\/(explain|policy\/presets|policy\/schemes|decide\/round-trips|hints\/origins)\.ts$/;
  const strangers = [...modules.keys()].filter((path) => !rooms.test(path) || unused.test(path));
  expect(strangers).toEqual(['<stdin>']);
});

test('a program that uses nothing of it carries next to nothing', async () => {
  const { modules } = await bundled('');
  // What makes one state of all copies in a process, and numbers.
  expect([...modules].filter(([, size]) => size > 0.15).map(([path]) => path)).toEqual([]);
  expect(modules.size).toBeLessThan(12);
});
