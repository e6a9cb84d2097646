/** Scripts for a page, bundled as by somebody who has browsers in mind. */

import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';

/** Minified. Fails where something of Node would be needed: nothing is left for the page to resolve. */
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

/** What the tests talk to, with our sources in it or, where one is named, with the package in that folder. */
export async function bundlePage(installed?: string): Promise<string> {
  const source = await readFile('test/browser/page.ts', 'utf8');
  if (installed === undefined) return bundle(source, 'test/browser');
  const asUser = source
    .replace(/'[./]+\/src\/index\.js'/, "'undaunted'")
    .replace(/'[./]+\/src\/adapters\/axios\/index\.js'/, "'undaunted/axios'");
  return bundle(asUser, installed);
}
