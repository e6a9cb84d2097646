/** Holds the README and docs/ to the code: tables to their sources, code blocks by running them. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readsBody } from '../scripts/docs/hint-table.js';
import { anchorsIn, linksIn } from '../scripts/docs/links.js';
import { type Block, blocksIn, isTestFile, page, pages } from '../scripts/docs/pages.js';
import { regenerated, regionNames, regionsIn } from '../scripts/docs/regions.js';
import { problemsOf } from '../scripts/editor.js';
import { allEntries } from '../scripts/entries.js';
import { isRecipe, recipeOf, sdks } from '../scripts/everywhere/sdks/sdks.js';
import { origins } from '../src/core/hints/origins.js';
import { type HintSetName, hintSetNames } from '../src/core/hints/sets.js';
import { policySchema } from '../src/core/policy/check/schema.js';
import { defaults } from '../src/core/policy/defaults.js';
import { parsePolicy, presets } from '../src/index.js';
import { schemes } from '../src/schemes.js';
import { calledIn, forget, type SeenFunction } from './docs-functions.js';
import { reasons } from './reasons.js';

const written = pages();

function between(path: string, from: string, to: string): string {
  const { text } = page(path);
  return text.slice(text.indexOf(`\n${from}\n`), text.indexOf(`\n${to}\n`));
}

function withoutFunctions(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('what `npm run docs` writes', () => {
  test.each(written.filter((some) => regionsIn(some).length > 0))('stands in $path', (some) => {
    expect(some.text, 'run: npm run docs').toBe(regenerated(some));
  });

  test('appears exactly once', () => {
    expect(written.flatMap(regionsIn).sort()).toEqual([...regionNames].sort());
  });
});

describe('the table of settings', () => {
  const [settings = '', inside = ''] = between('docs/policy.md', '## Settings', '### Functions').split(
    '### Nested settings',
  );
  const rows = new Map(
    [...settings.matchAll(/^\| `(\w+)`[^|]*\| ([^|]*) \|/gm)].map((match) => [
      match[1] ?? '',
      (match[2] ?? '').trim(),
    ]),
  );

  const within = ['windowBudget', 'learntTimeout'];

  test.each(Object.entries(defaults).filter(([key]) => !within.includes(key)))('%s', (key, value) => {
    const written = rows.get(key)?.match(/`(.*)`/)?.[1];
    if (value === undefined) expect(rows.get(key)).toBe('none');
    else expect(JSON.parse(written ?? 'null')).toEqual(withoutFunctions(value));
  });

  test.each([
    'exponential',
    'table',
    'fixed',
    'bucket',
    'window',
    'gate',
    'hold',
    'concurrency',
    'hedge',
    'learntTimeout',
    'cost',
    'idempotencyKey',
    'credentials',
    'streamStart',
  ])('names every key inside: %s', (name) => {
    const keys = Object.keys(policySchema().$defs?.[name]?.properties ?? {});
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(inside).toMatch(new RegExp(`[\`{ ]${key}\\b`));
  });

  test('shows which settings are off by default', () => {
    const off = [...rows].filter(([, text]) => text.startsWith('off')).map(([key]) => key);
    expect(off).toEqual([
      'streamStart',
      'hedge',
      'idempotencyKey',
      'credentials',
      'gate',
      'hold',
      'concurrency',
      'attemptHeader',
    ]);
  });
});

describe('the table of hint sets', () => {
  const rows = page('docs/hints.md').text.match(/^\| \[`.*$/gm) ?? [];

  test('has a row for each, with its source', () => {
    expect(rows).toHaveLength(hintSetNames.length);
    for (const [index, name] of hintSetNames.entries()) {
      expect(rows[index]).toMatch(`| [\`${name}\`](${origins[name].source}) | ${origins[name].reads} | `);
    }
  });

  test('says for each set whether it reads bodies, and on which additional statuses', () => {
    const cells = (name: string) =>
      rows
        .find((row) => row.startsWith(`| [\`${name}\``))
        ?.split('|')
        .slice(3);
    expect(cells('stripe')).toEqual([' 409 ', '  ', '']);
    expect(cells('github')).toEqual([' 403, 200 of `POST …/graphql` ', ' yes ', '']);
    expect(cells('telegram')).toEqual(['  ', ' yes ', '']);
  });

  test.each(Object.entries(origins))(
    '%s has a source that is an address, and says if it looks into bodies',
    (name, { reads, source }) => {
      expect(new URL(source).protocol).toBe('https:');
      expect(/\bbod(y|ies)\b/.test(reads)).toBe(readsBody(name as HintSetName));
    },
  );
});

describe('every code block', () => {
  // A block may set the dispatcher of every fetch; other tests in this process must not meet it.
  const dispatcher = getGlobalDispatcher();
  afterEach(() => setGlobalDispatcher(dispatcher));

  // A block that imports an SDK or a framework is run where that is installed: by `npm run test:everywhere`.
  const blocks = written.flatMap((some) => blocksIn(some, 'ts')).filter(({ code }) => !isRecipe(code));

  const seenInAll: SeenFunction[] = [];

  test('is found', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(30);
  });

  test('compiles', () => {
    const problems = problemsOf(blocks.map(({ code }) => code));
    const found = blocks.map(({ page: path, line }, index) => [`${path}:${line}`, problems[index]]);
    expect(found.filter(([, list]) => list?.length)).toEqual([]);
  });

  test.each(written.flatMap((some) => blocksIn(some, 'json')))('is a policy: $page, line $line', ({ code }) =>
    expect(parsePolicy(JSON.parse(code))).toBeDefined(),
  );

  test('is in a language that a test runs', () => {
    const languages = new Set(written.flatMap((some) => blocksIn(some)).map(({ language }) => language));
    expect(['ts', 'json', 'sh', 'text']).toEqual(expect.arrayContaining([...languages]));
  });

  // A block with tests in it adds them to this suite.
  describe.each(blocks.filter(isTestFile))('$page, line $line', async (block) => {
    await import(fileOf(block));
  });

  test.each(blocks.filter((block) => !isTestFile(block)))(
    'runs, and prints what its comments say: $page, line $line',
    async (block) => {
      const printed: string[] = [];
      const log = vi.spyOn(console, 'log').mockImplementation((...parts: unknown[]) => {
        printed.push(parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '));
      });
      const random = vi.spyOn(Math, 'random').mockReturnValue(0.4);
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      forget();
      await import(fileOf(block));
      const seen = await calledIn(block.code);
      log.mockRestore();
      random.mockRestore();
      warn.mockRestore();
      const promised = [...block.code.matchAll(/console\.log\(.*\);(?: |\n)\/\/ (.*)$/gm)].map(
        (match) => match[1] ?? '',
      );
      expect(printed.map(loosely).slice(0, promised.length)).toEqual(promised.map(loosely));
      // A function that is never called, or that never says yes, may be wrong unnoticed.
      expect(seen.filter(({ returned }) => returned.length === 0)).toEqual([]);
      const deciding = seen.filter(({ name }) => name === 'retryIf' || name === 'test');
      expect(deciding.filter(({ returned }) => !returned.includes(true))).toEqual([]);
      seenInAll.push(...seen);
    },
  );

  test('calls the functions that it defines', () => {
    const names = new Set(seenInAll.map(({ name }) => name));
    expect([...names].sort()).toEqual(expect.arrayContaining(['beforeRetry', 'observe', 'retryIf', 'scope']));
    const scopes = seenInAll.flatMap(({ name, returned }) => (name === 'scope' ? returned : []));
    expect(scopes).toContain('tenant 7');
  });
});

describe('the recipes for SDKs', () => {
  const { text } = page('docs/sdks.md');
  const rows = text.match(/^\| `.*$/gm) ?? [];

  test.each(sdks)("$name has one, which says how to switch off the SDK's own retries", (sdk) => {
    expect(recipeOf(sdk, text)).toContain(sdk.switch ?? sdk.name);
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

/** The file to which a block is written, so that it can be imported. */
function fileOf({ page: path, line, code }: Block): string {
  mkdirSync('.build/docs', { recursive: true });
  const file = `${process.cwd()}/.build/docs/${path.replace(/\W/g, '-')}-${line}.ts`;
  writeFileSync(
    file,
    code.replaceAll(/'undaunted(\/[\w/]+)?'/g, (_, entry) => `'${watchedEntry(entry)}'`),
  );
  return file;
}

/** What takes policies, by entry. */
const takers: Readonly<Record<string, readonly string[]>> = {
  '': ['definePolicy', 'createRetrier'],
  '/undici': ['retry'],
  '/axios': ['attachRetry'],
  '/fetch': ['withRetry'],
};

/** The same entry, which notices the functions of policies. */
function watchedEntry(entry = ''): string {
  const source = sourceOf(entry);
  const names = takers[entry];
  if (names === undefined) return source;
  const file = `${process.cwd()}/.build/docs/entry${entry.replace('/', '-')}.ts`;
  const lines = [
    `import * as own from '${source}';`,
    `import { watched } from '${process.cwd()}/test/docs-functions.ts';`,
    `export * from '${source}';`,
    ...names.map((name) => `export const ${name} = watched(own.${name});`),
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

function sourceOf(entry: string | undefined): string {
  return `${process.cwd()}/${allEntries[`.${entry ?? ''}`]}`;
}

/** Ignores quotes and spaces, since console.log prints objects differently from how the docs write them. */
function loosely(text: string): string {
  return text.replaceAll(/["' ]/g, '');
}

test('names every preset and no hint set that does not exist', () => {
  expect(Object.keys(presets.budgets)).toHaveLength(4);
  // The changes name what has gone, too.
  const all = written.map(({ path, text }) => (path === 'CHANGELOG.md' ? '' : text)).join('\n');
  const shelves: Readonly<Record<string, object>> = { presets, schemes };
  for (const [path, shelf = ''] of all.matchAll(/\b(presets|schemes)\.\w+\.\w+/g)) {
    expect(shelves[shelf], path).toHaveProperty(path.slice(shelf.length + 1));
  }
  for (const match of all.matchAll(/hints: '([\w-]+)'/g)) expect(hintSetNames).toContain(match[1]);
});

describe('the links', () => {
  const links = written.flatMap((from) => linksIn(from).map((link) => ({ ...link, from })));
  const local = links.filter(({ target }) => !/^https?:/.test(target));

  test('are found', () => expect(local.length).toBeGreaterThan(15));

  test.each(local.map((link) => ({ ...link, at: `${link.from.path}:${link.line}` })))(
    '$at leads to $target',
    ({ from, target }) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? from.path : join(dirname(from.path), path);
      expect(existsSync(file), `${file} does not exist`).toBe(true);
      if (anchor !== undefined) expect([...anchorsIn(page(file))]).toContain(anchor);
    },
  );

  test('to other sites are addresses', () => {
    for (const { target } of links) if (!local.some((link) => link.target === target)) new URL(target);
  });

  test('lead from the README to every other page', () => {
    const reached = linksIn(page('README.md')).map(({ target }) => target.split('#')[0]);
    for (const { path } of written.slice(1)) expect(reached).toContain(path);
  });
});

test.each(reasons)('docs/policy.md says what "%s" means', (reason) => {
  expect(between('docs/policy.md', '## What happens to a request', '## Rules')).toContain(`\`${reason}\``);
});

test('the README is short, and counts the vendors correctly', () => {
  const { text } = page('README.md');
  expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
  const count = hintSetNames.length - ['standard', 'common', 'heuristic'].length;
  expect(text).toContain(`GitHub, OpenAI, Stripe and ${count - 3} other APIs`);
  expect(text).toContain(`by name, ${count} of them`);
  for (const mention of page('llms.txt').text.matchAll(/(\d+) vendors/g)) expect(mention[1]).toBe(`${count}`);
});

test('docs/telemetry.md names every metric', () => {
  const source = ['counts', 'gauges'].map((file) => readFileSync(`src/otel/${file}.ts`, 'utf8')).join('\n');
  const names = [...source.matchAll(/create\w+\(\s*'(undaunted\.[\w.]+)'/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) expect(page('docs/telemetry.md').text).toContain(`\`${name}\``);
});
