/** The bundle of a program that imports us: its size and its contents. */

import { join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { allEntries, nameInDist } from '../scripts/entries.js';

export interface Bundle {
  readonly text: string;
  /** In kB, minified and gzipped, as servers send it. */
  readonly gzipped: number;
  readonly minified: number;
  /** The minified kB of each module, by its path. */
  readonly modules: ReadonlyMap<string, number>;
}

/** Prefixes of the paths of modules in this folder. */
export type Modules = readonly string[];

/** What a page may add to the essentials of its light entry, and the values that it imports for it. */
export const choices = {
  rules: ['rules'],
  overrides: ['overrides'],
  streams: ['streams'],
  'whole answers': ['wholeAnswers'],
  'deadline of bodies': ['bodyDeadline'],
  'stream start': ['streamStart'],
  'gate and hold': ['gate', 'hold'],
  concurrency: ['concurrency'],
  'sliding window': ['slidingWindow'],
  credentials: ['credentials'],
  failures: ['failures'],
  evidence: ['evidence'],
  hooks: ['hooks'],
  layers: ['layers'],
  channels: ['channels'],
  node: ['node'],
  'hedge and adaptive timeout': ['hedge', 'adaptiveTimeout'],
  'hints of GitHub': ['github'],
  'hints of all vendors': ['vendors'],
  'hints in bodies, and all dates': ['bodyHints', 'lenientDates'],
  'hints of one’s own': ['ownHints'],
  check: ['check'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Choice = keyof typeof choices;

/** The program of a page that wraps one client, with what it chooses. */
export function pageWith(client: 'fetch' | 'axios', chosen: readonly Choice[]): string {
  const call = client === 'fetch' ? 'withRetry' : 'attachRetry';
  const values = chosen.flatMap((choice): readonly string[] => choices[choice]);
  const isHint = (value: string): boolean =>
    ['github', 'vendors', 'bodyHints', 'lenientDates', 'ownHints'].includes(value);
  const imports = (names: readonly string[], entry: string): string =>
    names.length === 0 ? '' : `import { ${names.join(', ')} } from 'undaunted/${entry}';`;
  return [
    imports([call], `light/${client}`),
    imports(
      values.filter((value) => !isHint(value)),
      'parts',
    ),
    imports(values.filter(isHint), 'parts/hints'),
    `console.log(${call}(globalThis.client, globalThis.policy, [${values.join(', ')}]));`,
  ].join('');
}

/** Packages that users have anyway. */
const clients = ['undici', 'axios', '@opentelemetry/api'];

/** The package's entries: their import names and their source files, or those of a built `dist`. */
export function entries(dist?: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    // The first that fits is taken: the longest names come first.
    Object.entries(allEntries)
      .map(
        ([entry, source]) =>
          [
            `undaunted${entry.slice(1)}`,
            dist === undefined ? `./${source}` : join(dist, `${nameInDist(entry)}.js`),
          ] as const,
      )
      .sort(([one], [other]) => other.length - one.length),
  );
}

interface BundleOptions {
  /** Policies are checked then, by the light entries, too. */
  readonly isForDevelopment?: boolean;
  /** Modules that stay imports, together with what only they need: the difference is their weight. */
  readonly external?: Modules;
  /**
   * All modules are in one file with what the program needs, as in `dist`: what it does not use falls away only if a bundler
   * sees that it has no effect. Without this, `sideEffects: false` says so of whole modules.
   */
  readonly inOneFile?: boolean;
  /** A built `dist`, instead of the sources. */
  readonly dist?: string;
}

const allOfPages = ['undaunted/fetch', 'undaunted/axios'].map((entry) => `\nimport '${entry}';`).join('');

export async function bundle(
  code: string,
  { isForDevelopment = false, external = [], inOneFile = false, dist }: BundleOptions = {},
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: inOneFile ? `${code}${allOfPages}` : code, resolveDir: process.cwd() },
    ...(inOneFile ? {} : { alias: entries(dist) }),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    mainFields: ['module', 'main'],
    external: [...clients, 'node:*'],
    define: { 'process.env.NODE_ENV': isForDevelopment ? '"development"' : '"production"' },
    plugins: [keepOutside(external), ...(inOneFile ? [withEffects] : [])],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (file === undefined || output === undefined) throw new Error('esbuild produced no output');
  const modules = Object.entries(output.inputs).map(
    ([path, { bytesInOutput }]) => [path, bytesInOutput / 1_000] as const,
  );
  return {
    text: file.text,
    gzipped: gzipSync(file.contents, { level: 9 }).byteLength / 1_000,
    minified: file.contents.byteLength / 1_000,
    modules: new Map(modules),
  };
}

function keepOutside(modules: Modules): Plugin {
  return {
    name: 'keep outside',
    setup(build) {
      build.onResolve({ filter: /./, namespace: 'file' }, ({ path, resolveDir }) => {
        const source = path.startsWith('.')
          ? relative(process.cwd(), join(resolveDir, path)).replace(/\.js$/, '.ts')
          : `node_modules/${path}`;
        return isAmong(source, modules) ? { external: true, path } : undefined;
      });
    },
  };
}

/** What a plugin finds is taken to have effects, whatever package.json says. */
const withEffects: Plugin = {
  name: 'with effects',
  setup(build) {
    const own = new Map(Object.entries(entries()));
    build.onResolve({ filter: /^(\.|undaunted)/ }, ({ path, resolveDir }) => {
      const source = own.get(path) ?? join(resolveDir, path).replace(/\.js$/, '.ts');
      return { path: resolve(source) };
    });
  },
};

/** In kB, minified. */
export function sizeOf({ modules }: Bundle, some: Modules): number {
  let sum = 0;
  for (const [path, size] of modules) if (isAmong(path, some)) sum += size;
  return sum;
}

function isAmong(path: string, modules: Modules): boolean {
  return modules.some((beginning) => path.startsWith(beginning));
}
