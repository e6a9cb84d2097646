/** The README is held to the code: its table of settings to the defaults, its code blocks by running them. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { isRecipe, recipeOf, sdks } from '../scripts/everywhere/sdks/sdks.js';
import { origins } from '../src/core/hints/origins.js';
import { type HintSetName, hintSetNames } from '../src/core/hints/sets.js';
import { vendors } from '../src/core/hints/vendors.js';
import { policySchema } from '../src/core/policy/check/schema.js';
import { defaults } from '../src/core/policy/defaults.js';
import { presets } from '../src/index.js';

const readme = readFileSync('README.md', 'utf8');

function between(from: string, to: string): string {
  return readme.slice(readme.indexOf(`\n${from}\n`), readme.indexOf(`\n${to}\n`));
}

function withoutFunctions(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('the table of settings', () => {
  const [settings = '', inside = ''] = between('## Settings', '### Functions').split('### Inside of them');
  const rows = new Map(
    [...settings.matchAll(/^\| `(\w+)`[^|]*\| ([^|]*) \|/gm)].map((match) => [
      match[1] ?? '',
      (match[2] ?? '').trim(),
    ]),
  );

  test.each(Object.entries(defaults).filter(([key]) => key !== 'windowBudget'))('%s', (key, value) => {
    const written = rows.get(key)?.match(/`(.*)`/)?.[1];
    if (value === undefined) expect(rows.get(key)).toBe('none');
    else expect(JSON.parse(written ?? 'null')).toEqual(withoutFunctions(value));
  });

  test.each(['exponential', 'table', 'fixed', 'bucket', 'window', 'gate', 'hold', 'cost', 'idempotencyKey'])(
    'names every key inside: %s',
    (name) => {
      const keys = Object.keys(policySchema.$defs?.[name]?.properties ?? {});
      expect(keys.length).toBeGreaterThan(0);
      for (const key of keys) expect(inside).toMatch(new RegExp(`[\`{ ]${key}\\b`));
    },
  );

  test('says what is off by default', () => {
    const off = [...rows].filter(([, text]) => text.startsWith('off')).map(([key]) => key);
    expect(off).toEqual(['idempotencyKey', 'gate', 'hold', 'attemptHeader']);
  });
});

describe('the table of hint sets', () => {
  const rows =
    between('## Hints', '## When the server is down: budget, gate, hold').match(/^\| \[`.*$/gm) ?? [];

  test('has a row for each, with its source', () => {
    const expected = hintSetNames.map(
      (name) => `| [\`${name}\`](${origins[name].source}) | ${origins[name].reads} |`,
    );
    expect(rows).toEqual(expected);
  });

  test.each(Object.entries(origins))(
    '%s has a source that is an address, and says if it looks into bodies',
    (name, { reads, source }) => {
      expect(new URL(source).protocol).toBe('https:');
      const { readsBody, bodies } = vendors[name as HintSetName];
      expect(/\bbod(y|ies)\b/.test(reads)).toBe(readsBody ?? bodies !== undefined);
    },
  );
});

describe('every code block', () => {
  const written = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
  // What imports an SDK is run where that is installed: `npm run test:everywhere -- sdk`.
  const blocks = written.filter((code) => !isRecipe(code));

  test('is found', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(6);
  });

  test.each(blocks.map((code, index) => ({ index, code })))(
    'runs, and prints what its comments say: $index',
    async ({ index, code }) => {
      const printed: string[] = [];
      const log = vi.spyOn(console, 'log').mockImplementation((...parts: unknown[]) => {
        printed.push(parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '));
      });
      const random = vi.spyOn(Math, 'random').mockReturnValue(0.4);
      mkdirSync('.build/readme', { recursive: true });
      const file = `${process.cwd()}/.build/readme/block-${index}.ts`;
      writeFileSync(
        file,
        code.replaceAll(/'undaunted(\/\w+)?'/g, (_, entry) => `'${sourceOf(entry)}'`),
      );
      await import(file);
      log.mockRestore();
      random.mockRestore();
      const promised = [...code.matchAll(/console\.log\(.*\);(?: |\n)\/\/ (.*)$/gm)].map(
        (match) => match[1] ?? '',
      );
      expect(printed.map(loosely).slice(0, promised.length)).toEqual(promised.map(loosely));
    },
  );
});

describe('the recipes for SDKs', () => {
  const rows = between('## With the SDKs people use', '## On the command line').match(/^\| `.*$/gm) ?? [];

  test.each(sdks)('$name has one, which says how its own retries are switched off', (sdk) => {
    expect(recipeOf(sdk, readme)).toContain(sdk.switch ?? sdk.name);
  });

  test.each(sdks.map((sdk, index) => ({ ...sdk, row: rows[index] })))(
    '$name has a row, with the version and the number of requests that are tried',
    ({ name, packages: [pinned], requestsWithTheirs, row }) => {
      const [version] = /\d+\.\d+(?=\.\d+$)/.exec(pinned ?? '') ?? [];
      expect(row).toMatch(`| \`${name}\` ${version} |`);
      expect(row).toMatch(new RegExp(`\\| ${requestsWithTheirs}( \\(\`llm\`\\))? \\|$`));
    },
  );

  test('has no row for others', () => expect(rows).toHaveLength(sdks.length));
});

function sourceOf(entry: string | undefined): string {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, string | { readonly default: string }>;
  };
  const files = exports[`.${entry ?? ''}`] ?? '';
  const built = typeof files === 'string' ? files : files.default;
  return `${process.cwd()}/${built.replace('./dist/', 'src/').replace('.js', '.ts')}`;
}

/** Objects are printed in one way and written in another. */
function loosely(text: string): string {
  return text.replaceAll(/["' ]/g, '');
}

test('names every preset and no hint set that does not exist', () => {
  expect(Object.keys(presets.budgets)).toHaveLength(3);
  for (const name of [...readme.matchAll(/presets\.(\w+)\.(\w+)/g)]) {
    const group = presets[name[1] as keyof typeof presets] as Readonly<Record<string, unknown>>;
    expect(group).toHaveProperty(name[2] ?? '');
  }
  for (const match of readme.matchAll(/hints: '([\w-]+)'/g)) expect(hintSetNames).toContain(match[1]);
});
