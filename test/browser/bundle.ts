/** Scripts for a page, bundled for browsers. */

import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';

/** Minified. Fails if the script needs anything from Node: the page has nothing left to resolve. */
export async function bundle(source: string, folder: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder, sourcefile: 'page.ts', loader: 'ts' },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** The script that the tests talk to, with our sources in it or with the package that is installed in a folder. */
export async function bundlePage(installed?: string): Promise<string> {
  const source = await readFile('test/browser/page.ts', 'utf8');
  if (installed === undefined) return bundle(source, 'test/browser');
  const asUser = source
    .replace(/'[./]+\/src\/index\.js'/, "'undaunted'")
    .replace(/'[./]+\/src\/adapters\/axios\/index\.js'/, "'undaunted/axios'");
  return bundle(asUser, installed);
}
