/**
 * Arrows point one way (core <- runtime <- adapters | otel <- tools), the core knows neither time nor dice nor
 * clients, and no adapter knows another. Each check is proven by a violation planted in memory.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Source {
  /** From `src/`, with slashes. */
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

/** Who may import from whom; the entry at the top may reach core and runtime. */
const reaches: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  runtime: ['core', 'runtime'],
  adapters: ['core', 'runtime', 'adapters'],
  otel: ['core', 'runtime', 'otel'],
  'tools/sim': ['core', 'runtime', 'tools/sim'],
  'tools/pages': ['core', 'runtime', 'tools/sim', 'tools/pages'],
  'tools/cli': ['core', 'runtime', 'adapters', 'tools/sim', 'tools/pages', 'tools/cli', ''],
  '': ['core', 'runtime', ''],
};

/** Of the packages that may be there, the core uses one; clients are the adapters' own. */
const packages: Readonly<Record<string, readonly string[]>> = {
  core: ['structured-headers'],
  runtime: [],
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

/** What an adapter imports of its client are types: nobody has to bundle a client for a policy. */
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
      const target = posix.normalize(posix.join(posix.dirname(file.path), name));
      const isAllowed = reaches[layer]?.includes(layerOf(target)) === true;
      const isNeighbour =
        layer === 'adapters' && layerOf(target) === 'adapters' && !sameAdapter(file.path, target);
      return isAllowed && !isNeighbour ? [] : [`reaches ${target}`];
    });
    const impurities = layer === 'core' ? impuritiesIn(file.text) : [];
    return [...imports, ...impurities, ...clientsLoaded(file)].map((fault) => `${file.path} ${fault}`);
  });
}

function sameAdapter(one: string, other: string): boolean {
  return one.split('/')[1] === other.split('/')[1];
}

/** Anything by which a value could come from outside. */
const impure =
  /\b(Date\.now|Date\.parse|new Date\(\)|performance\b|Math\.random|crypto\b|setTimeout|setInterval|setImmediate|queueMicrotask|process\.|fetch\()|['"]node:/g;

function impuritiesIn(text: string): string[] {
  return [...withoutComments(text).matchAll(impure)].map((match) => `names ${match[0]}`);
}

describe('the house', () => {
  test('stands', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(violations(sources)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['core/x.ts', "import { y } from '../runtime/session.js';", 'reaches runtime/session.js'],
    ['core/hints/x.ts', "export * from '../../runtime/y.js';", 'reaches runtime/y.js'],
    ['core/x.ts', "const y = await import('../adapters/axios.js');", 'reaches adapters/axios.js'],
    ['core/x.ts', "import type { Dispatcher } from 'undici';", 'imports undici'],
    ['core/x.ts', "import axios from 'axios';", 'imports axios'],
    ['core/x.ts', 'const now = Date.now();', 'names Date.now'],
    ['core/x.ts', 'const at = new Date();', 'names new Date()'],
    ['core/x.ts', 'const at = Date.parse(text);', 'names Date.parse'],
    ['core/x.ts', 'const draw = Math.random();', 'names Math.random'],
    ['core/x.ts', 'const t = performance.now();', 'names performance'],
    ['core/x.ts', 'setTimeout(go, 1);', 'names setTimeout'],
    ['core/x.ts', "import { readFileSync } from 'node:fs';", "names 'node:"],
    ['runtime/x.ts', "import { go } from '../adapters/undici/index.js';", 'reaches adapters/undici/index.js'],
    ['runtime/x.ts', "import { Agent } from 'undici';", 'imports undici'],
    ['adapters/axios/x.ts', "import { go } from '../undici/index.js';", 'reaches adapters/undici/index.js'],
    ['adapters/undici/x.ts', "import { Agent } from 'undici';", 'loads undici'],
    ['adapters/axios/x.ts', "import axios, { type AxiosError } from 'axios';", 'loads axios'],
    [
      'tools/sim/x.ts',
      "import { go } from '../../adapters/undici/index.js';",
      'reaches adapters/undici/index.js',
    ],
    ['index.ts', "export { go } from './adapters/undici/index.js';", 'reaches adapters/undici/index.js'],
  ])('would not with this in %s: %s', (path, text, fault) => {
    expect(violations([{ path, text }])).toContain(`${path} ${fault}`);
  });

  test.each<[string, string]>([
    ['core/x.ts', "import { y } from './hints/read.js';\n// not Date.now()"],
    ['adapters/axios/x.ts', "import { y } from './body.js';"],
    ['adapters/undici/x.ts', "import type { Dispatcher } from 'undici';"],
    ['tools/cli/x.ts', "import { simulate } from '../sim/simulate.js';"],
  ])('would with this in %s: %s', (path, text) => {
    expect(violations([{ path, text }])).toEqual([]);
  });

  test('has no rooms where everything ends up', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|constants|types)\//;
    expect(
      sources.filter(({ path }) => drawers.test(path) || /(utils?|helpers?|constants)\.ts$/.test(path)),
    ).toEqual([]);
  });

  test('has no default exports and no enums', () => {
    expect(sources.filter(({ text }) => /^export default|^(export )?(const )?enum /m.test(text))).toEqual([]);
  });
});
