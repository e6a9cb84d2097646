/**
 * Dependencies point one way (core <- kernel <- drivers <- parts <- adapters | fleet | otel <- light | tools), and within the core from floor to
 * floor. Our tools come in by the entry points. There are no import cycles. The core knows no time, no dice and no
 * clients, and no adapter knows another. A violation planted in memory proves each check.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Source {
  /** The path from `src/`, with slashes. */
  readonly path: string;
  readonly text: string;
}

const root = fileURLToPath(new URL('../src/', import.meta.url));
const sources: readonly Source[] = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => {
    const file = `${entry.parentPath}/${entry.name}`;
    return { path: relative(root, file).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') };
  });

/** The folders that have tests of a room. */
function testedIn(room: string): string[] {
  const tests = readdirSync(new URL(`./${room}/`, import.meta.url), { recursive: true, encoding: 'utf8' });
  const files = tests.map((file) => file.replaceAll('\\', '/')).filter((file) => file.endsWith('.test.ts'));
  return [...new Set(files.map((file) => posix.dirname(`${room}/${file}`)))];
}

/**
 * Which room may import from which. At the top are the entry points, for users and for our own tools; the library
 * itself uses none.
 */
const reaches: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  kernel: ['core', 'kernel'],
  drivers: ['core', 'kernel', 'drivers'],
  parts: ['core', 'kernel', 'drivers', 'parts'],
  adapters: ['core', 'kernel', 'drivers', 'parts', 'adapters'],
  light: ['core', 'kernel', 'drivers', 'parts', 'adapters', 'light'],
  otel: ['core', 'kernel', 'otel'],
  fleet: ['core', 'kernel', 'fleet'],
  'tools/sim': ['tools/sim', 'fleet', ''],
  'tools/pages': ['tools/sim', 'tools/pages', ''],
  'tools/cli': ['adapters', 'tools/sim', 'tools/pages', 'tools/cli', ''],
  '': ['core', 'kernel', 'drivers', 'parts'],
};

/**
 * The entry points through which tools import from other rooms. `internal` is for our own tools and is not exported by
 * the package.
 */
const doors: Readonly<Record<string, RegExp>> = {
  '': /^(index|internal|schemes)\.js$/,
  adapters: /^adapters\/\w+\/index\.js$/,
  fleet: /^fleet\/(\w+\/)?index\.js$/,
  'tools/sim': /^tools\/sim\/(index|internal)\.js$/,
};

/** The floors of the core, from the ground up. A file imports only from its own floor and from those beneath it. */
const floors: Readonly<Record<string, RegExp>> = {
  words:
    /^core\/([^/]+|policy\/switched|limits\/(all|settings|(budget|concurrency)\/state|budget\/kind|[a-z]+\/setting))\.[jt]s$/,
  failures: /^core\/decide\/failures\//,
  hints: /^core\/hints\//,
  settings: /^core\/policy\/(options|settings|schedules|defaults|check\/(json-schema|level|wording))\.[jt]s$/,
  limits: /^core\/limits\//,
  decide: /^core\/decide\//,
  policy: /^core\/policy\//,
};

function floorOf(path: string): number {
  return Object.values(floors).findIndex((files) => files.test(path));
}

/** The packages that each room may import: the core, the kernel and the drivers none, each adapter its client. */
const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  kernel: [],
  drivers: [],
  '': [],
};

function layerOf(path: string): string {
  const [top = '', room = ''] = path.split('/').slice(0, -1);
  return top === 'tools' ? `${top}/${room}` : top;
}

function importsOf({ text }: Source): string[] {
  const found = withoutComments(text).matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\1/g);
  return [...found].map((match) => match[2] ?? '');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** Adapters import only types from their client, so that a bundle with a policy does not include the client. */
function clientsLoaded({ path, text }: Source): string[] {
  if (layerOf(path) !== 'adapters') return [];
  const found = withoutComments(text).matchAll(
    /^(?:import|export)\s(?!type\s)[^;]*?from\s*['"](undici|axios)['"]/gm,
  );
  return [...found].map((match) => `loads ${match[1]}`);
}

function violations(files: readonly Source[]): string[] {
  return files.flatMap((file) => {
    const layer = layerOf(file.path);
    const imports = importsOf(file).flatMap((name) => {
      if (!name.startsWith('.')) return packages[layer]?.includes(name) === false ? [`imports ${name}`] : [];
      const target = targetOf(file, name);
      const isAllowed = reaches[layer]?.includes(layerOf(target)) === true;
      const isNeighbour =
        layer === 'adapters' && layerOf(target) === 'adapters' && !sameAdapter(file.path, target);
      if (!isAllowed || isNeighbour) return [`reaches ${target}`];
      if (isBesideTheDoor(layer, target)) return [`reaches ${target} beside the door`];
      return layer === 'core' && floorOf(target) > floorOf(file.path) ? [`climbs to ${target}`] : [];
    });
    const impurities = layer === 'core' ? impuritiesIn(file.text) : [];
    return [...imports, ...impurities, ...clientsLoaded(file)].map((fault) => `${file.path} ${fault}`);
  });
}

function targetOf({ path }: Source, name: string): string {
  return posix.normalize(posix.join(posix.dirname(path), name));
}

function isBesideTheDoor(layer: string, target: string): boolean {
  const into = layerOf(target);
  return layer.startsWith('tools/') && into !== layer && doors[into]?.test(target) === false;
}

/** Files that import themselves through others, types included. */
function inCircles(files: readonly Source[]): string[] {
  const imports = new Map(files.map((file) => [file.path, targetsOf(file)] as const));
  return files.map(({ path }) => path).filter((path) => reachedFrom(path, imports).has(path));
}

function targetsOf(file: Source): string[] {
  return importsOf(file).map((name) => targetOf(file, name).replace(/\.js$/, '.ts'));
}

function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [path];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const found = (imports.get(one) ?? []).filter((target) => !reached.has(target));
    for (const target of found) reached.add(target);
    open.push(...found);
  }
  return reached;
}

function sameAdapter(one: string, other: string): boolean {
  return one.split('/')[1] === other.split('/')[1];
}

/** Everything through which a value could come from outside: an iterator of Object.prototype, too. */
const impure =
  /\b(Array\.from\(\{|Date\.now|Date\.parse|new Date\(\)|performance\b|Math\.random|crypto\b|setTimeout|setInterval|setImmediate|queueMicrotask|process\.|fetch\()|['"]node:/g;

function impuritiesIn(text: string): string[] {
  return [...withoutComments(text).matchAll(impure)].map((match) => `names ${match[0]}`);
}

describe('the architecture', () => {
  test('has no violations', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(violations(sources)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['core/x.ts', "import { y } from '../kernel/session.js';", 'reaches kernel/session.js'],
    ['core/x.ts', "import type { Rule } from './policy/policy.js';", 'climbs to core/policy/policy.js'],
    [
      'core/decide/failures/x.ts',
      "import { read } from '../../hints/read-hint.js';",
      'climbs to core/hints/read-hint.js',
    ],
    [
      'core/hints/x.ts',
      "import type { Settings } from '../policy/settings.js';",
      'climbs to core/policy/settings.js',
    ],
    [
      'core/policy/settings.ts',
      "import { full } from '../limits/budget/budget.js';",
      'climbs to core/limits/budget/budget.js',
    ],
    ['core/limits/x.ts', "import { decide } from '../decide/decide.js';", 'climbs to core/decide/decide.js'],
    [
      'core/decide/x.ts',
      "import { fillIn } from '../policy/fill-in.js';",
      'climbs to core/policy/fill-in.js',
    ],
    ['core/x.ts', "import { explain } from '../index.js';", 'reaches index.js'],
    ['kernel/x.ts', "import { found } from '../internal.js';", 'reaches internal.js'],
    ['adapters/axios/x.ts', "import { explain } from '../../index.js';", 'reaches index.js'],
    ['tools/cli/x.ts', "import { explain } from '../../core/explain.js';", 'reaches core/explain.js'],
    ['tools/pages/x.ts', "import { sleep } from '../../kernel/sleep.js';", 'reaches kernel/sleep.js'],
    [
      'tools/cli/x.ts',
      "import { UndiciExchange } from '../../adapters/undici/exchange.js';",
      'reaches adapters/undici/exchange.js beside the door',
    ],
    [
      'tools/cli/x.ts',
      "import { simulate } from '../sim/simulate.js';",
      'reaches tools/sim/simulate.js beside the door',
    ],
    ['core/hints/x.ts', "export * from '../../kernel/y.js';", 'reaches kernel/y.js'],
    ['core/x.ts', "const y = await import('../adapters/axios.js');", 'reaches adapters/axios.js'],
    ['core/x.ts', "import type { Dispatcher } from 'undici';", 'imports undici'],
    ['core/x.ts', "import axios from 'axios';", 'imports axios'],
    ['core/x.ts', 'const now = Date.now();', 'names Date.now'],
    ['core/x.ts', 'const at = new Date();', 'names new Date()'],
    ['core/x.ts', 'const at = Date.parse(text);', 'names Date.parse'],
    ['core/x.ts', 'const list = Array.from({ length: 9 });', 'names Array.from({'],
    ['core/x.ts', 'const draw = Math.random();', 'names Math.random'],
    ['core/x.ts', 'const t = performance.now();', 'names performance'],
    ['core/x.ts', 'setTimeout(go, 1);', 'names setTimeout'],
    ['core/x.ts', "import { readFileSync } from 'node:fs';", "names 'node:"],
    ['kernel/x.ts', "import { go } from '../drivers/hop-counter.js';", 'reaches drivers/hop-counter.js'],
    ['drivers/x.ts', "import { go } from '../adapters/undici/index.js';", 'reaches adapters/undici/index.js'],
    ['drivers/x.ts', "import { rules } from '../parts/all.js';", 'reaches parts/all.js'],
    ['parts/x.ts', "import { go } from '../adapters/fetch/wrap.js';", 'reaches adapters/fetch/wrap.js'],
    ['adapters/fetch/x.ts', "import { go } from '../../light/chosen.js';", 'reaches light/chosen.js'],
    ['kernel/x.ts', "import { Agent } from 'undici';", 'imports undici'],
    ['adapters/axios/x.ts', "import { go } from '../undici/index.js';", 'reaches adapters/undici/index.js'],
    ['adapters/undici/x.ts', "import { Agent } from 'undici';", 'loads undici'],
    ['adapters/axios/x.ts', "import axios, { type AxiosError } from 'axios';", 'loads axios'],
    [
      'tools/sim/x.ts',
      "import { go } from '../../adapters/undici/index.js';",
      'reaches adapters/undici/index.js',
    ],
    ['index.ts', "export { go } from './adapters/undici/index.js';", 'reaches adapters/undici/index.js'],
    ['kernel/x.ts', "import { go } from '../fleet/port.js';", 'reaches fleet/port.js'],
    ['adapters/undici/x.ts', "import { go } from '../../fleet/index.js';", 'reaches fleet/index.js'],
    [
      'tools/sim/x.ts',
      "import { go } from '../../fleet/memory/store.js';",
      'reaches fleet/memory/store.js beside the door',
    ],
  ])('forbids this in %s: %s', (path, text, fault) => {
    expect(violations([{ path, text }])).toContain(`${path} ${fault}`);
  });

  test.each<[string, string]>([
    ['core/policy/x.ts', "import { y } from '../hints/read.js';\n// not Date.now()"],
    ['adapters/axios/x.ts', "import { y } from './body.js';"],
    ['adapters/undici/x.ts', "import type { Dispatcher } from 'undici';"],
    ['core/decide/x.ts', "import type { Settings } from '../policy/settings.js';"],
    ['core/policy/x.ts', "import { scheduledWait } from '../decide/schedule.js';"],
    ['tools/cli/x.ts', "import { simulate } from '../sim/index.js';"],
    ['tools/cli/x.ts', "import { retry } from '../../adapters/undici/index.js';"],
    ['tools/sim/x.ts', "import { MemoryStore } from '../../fleet/index.js';"],
    ['fleet/redis/x.ts', "import type { Store } from '../port.js';"],
    ['tools/sim/x.ts', "import { explain } from '../../index.js';\nimport { y } from './z.js';"],
    ['tools/pages/x.ts', "import { checkPolicy } from '../../internal.js';"],
  ])('allows this in %s: %s', (path, text) => {
    expect(violations([{ path, text }])).toEqual([]);
  });

  test('has a floor for each file of the core, and a file on each floor', () => {
    const core = sources.filter(({ path }) => layerOf(path) === 'core');
    const used = new Set(core.map(({ path }) => floorOf(path)));
    expect([...used].sort()).toEqual(Object.keys(floors).map((_, index) => index));
  });

  test('has no import cycles, types included', () => {
    expect(inCircles(sources)).toEqual([]);
    const planted: Source[] = [
      { path: 'core/a.ts', text: "import type { B } from './b/b.js';" },
      { path: 'core/b/b.ts', text: "export * from './c.js';" },
      { path: 'core/b/c.ts', text: "import { a } from '../a.js';" },
      { path: 'core/d.ts', text: "import { a } from './a.js';" },
    ];
    expect(inCircles(planted)).toEqual(['core/a.ts', 'core/b/b.ts', 'core/b/c.ts']);
  });

  test('has a room for each room of tests', () => {
    const rooms = new Set(sources.map(({ path }) => posix.dirname(path)));
    const tests = ['core', 'kernel', 'drivers', 'fleet', 'otel', 'tools'].flatMap((room) => testedIn(room));
    expect(tests.length).toBeGreaterThan(10);
    expect(tests.filter((room) => !rooms.has(room))).toEqual([]);
  });

  test('has no rooms for odds and ends', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|constants|types)\//;
    expect(
      sources.filter(({ path }) => drawers.test(path) || /(utils?|helpers?|constants)\.ts$/.test(path)),
    ).toEqual([]);
  });

  test('has no default exports and no enums', () => {
    expect(sources.filter(({ text }) => /^export default|^(export )?(const )?enum /m.test(text))).toEqual([]);
  });
});

describe('exports', () => {
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm;
  const folders = ['src', 'test', 'bench', 'scripts'].map((name) =>
    fileURLToPath(new URL(`../${name}/`, import.meta.url)),
  );
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );
  const published = readFileSync(new URL('../fixtures/public-api.txt', import.meta.url), 'utf8');

  /** The words of a text: a name that stands in no other file is imported by none. */
  const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g));

  function unusedIn(all: ReadonlyMap<string, string>): string[] {
    const counts = new Map<string, number>();
    for (const text of all.values()) {
      for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const isPublic = wordsOf(published);
    return [...all].flatMap(([file, text]) =>
      [...text.matchAll(declared)]
        .map(([, name = '']) => name)
        .filter((name) => file.startsWith(root) && counts.get(name) === 1 && !isPublic.has(name))
        .map((name) => `${relative(root, file)} exports ${name}, which nothing else uses`),
    );
  }

  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

  test('serve another file, or the public', () => expect(unusedIn(texts)).toEqual([]));

  test('that serve none are found', () => {
    const name = ['planted', 'Name'].join('');
    const planted = new Map([...texts, [`${root}core/planted.ts`, `export const ${name} = 1;\n`]]);
    expect(unusedIn(planted)).toEqual([`core/planted.ts exports ${name}, which nothing else uses`]);
  });
});
