/** The bundle of a program that imports us: its size and its contents. */

import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { allEntries } from '../scripts/entries.js';

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

/** What a bundler can be told to leave out: docs/runtimes.md. */
export const flags = {
  vendors: '__UNDAUNTED_VENDORS__',
  gateAndHold: '__UNDAUNTED_GATE_AND_HOLD__',
  check: '__UNDAUNTED_CHECK__',
  rules: '__UNDAUNTED_RULES__',
  tail: '__UNDAUNTED_TAIL__',
  streams: '__UNDAUNTED_STREAMS__',
} as const;

export type LeftOut = readonly (keyof typeof flags)[];

export const everything: LeftOut = ['vendors', 'gateAndHold', 'check', 'rules', 'tail', 'streams'];

/** Packages that users have anyway. */
const clients = ['undici', 'axios', '@opentelemetry/api'];

/** The package's entries: their import names and their source files. */
export function entries(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(allEntries).map(([entry, source]) => [`undaunted${entry.slice(1)}`, `./${source}`]),
  );
}

interface BundleOptions {
  readonly leftOut?: LeftOut;
  /** Modules that stay imports, together with what only they need: the difference is their weight. */
  readonly external?: Modules;
}

export async function bundle(
  code: string,
  { leftOut = [], external = [] }: BundleOptions = {},
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    alias: entries(),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    mainFields: ['module', 'main'],
    external: [...clients, 'node:*'],
    define: Object.fromEntries(leftOut.map((part) => [flags[part], 'false'])),
    plugins: [keepOutside(external)],
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

/** In kB, minified. */
export function sizeOf({ modules }: Bundle, some: Modules): number {
  let sum = 0;
  for (const [path, size] of modules) if (isAmong(path, some)) sum += size;
  return sum;
}

function isAmong(path: string, modules: Modules): boolean {
  return modules.some((beginning) => path.startsWith(beginning));
}
