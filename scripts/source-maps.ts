/** Whether "go to definition" and stack traces end in the TypeScript that ships with the package. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** Throws unless each map of the unpacked package leads to a source in it, and that of a function to where it is written. */
export function followSourceMaps(root: string): void {
  const dist = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  const built = dist.filter((file) => /\.(js|d\.ts)$/.test(file)).map((file) => join(root, 'dist', file));
  if (built.length < 200) throw new Error(`Only ${built.length} files were built`);
  const lost = built.flatMap((file) =>
    existsSync(`${file}.map`) ? sourcesOf(file).filter((source) => !existsSync(source)) : [`${file}.map`],
  );
  if (lost.length > 0) throw new Error(`Missing: ${lost.join('\n')}`);
  for (const half of ['dist', 'dist/cjs']) {
    for (const kind of ['.d.ts', '.js']) followOne(join(root, half, `adapters/undici/index${kind}`));
  }
}

function followOne(file: string): void {
  const called = 'function retry(';
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes(called));
  const column = (lines[line]?.indexOf(called) ?? 0) + 'function '.length;
  const found = new SourceMap(mapOf(file)).findEntry(line, column);
  if (!('originalSource' in found)) throw new Error(`${file}: retry() has no place in the sources`);
  const { originalSource, originalLine } = found;
  const source = readFileSync(resolve(dirname(file), originalSource), 'utf8').split('\n');
  const written = source[originalLine];
  if (written?.includes(called) !== true) throw new Error(`${file}: retry() leads to ${written}`);
}

function sourcesOf(file: string): readonly string[] {
  return mapOf(file).sources.map((source) => resolve(dirname(file), source));
}

function mapOf(file: string): SourceMapPayload {
  return JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload;
}
