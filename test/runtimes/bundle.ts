/** The guest as a script for a runtime: around our sources or, where it is installed, around the package. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export interface Target {
  /** The folder in which the package may be installed. */
  readonly place?: string | undefined;
  readonly format: 'esm' | 'iife';
  readonly conditions?: readonly string[];
  /** What the runtime itself finds beside the script. */
  readonly external?: readonly string[];
}

export async function bundleGuest(
  main: string,
  { place, format, conditions = [], external = [] }: Target,
): Promise<string> {
  const isInstalled = place !== undefined && existsSync(join(place, 'node_modules/undaunted'));
  const { outputFiles } = await build({
    stdin: { contents: main, resolveDir: 'test/runtimes', sourcefile: 'main.ts', loader: 'ts' },
    bundle: true,
    platform: 'browser',
    format,
    target: 'es2022',
    conditions: [...conditions],
    external: [...external],
    plugins: isInstalled ? [asInstalledIn(place)] : [],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Our sources' doors lead to the entries of the package. */
function asInstalledIn(place: string): Plugin {
  return {
    name: 'installed',
    setup(building) {
      building.onResolve({ filter: /\/src\/(adapters\/\w+\/)?index\.js$/ }, ({ path, kind }) => {
        const adapter = /adapters\/(\w+)/.exec(path)?.[1];
        const entry = adapter === undefined ? 'undaunted' : `undaunted/${adapter}`;
        return building.resolve(entry, { kind, resolveDir: place });
      });
    },
  };
}
