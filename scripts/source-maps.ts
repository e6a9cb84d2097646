/** Whether stack traces end in TypeScript, although the package ships no sources: the maps carry them. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';

/** Throws unless what entries share and the adapters of the unpacked package have maps with all sources, and a function is found. */
export function followSourceMaps(root: string): void {
  const dist = join(root, 'dist');
  const files = readdirSync(dist).filter((file) => file.endsWith('.js'));
  // A file without code of its own only passes on what others export.
  const mapped = files.filter((file) => /sourceMappingURL/.test(readFileSync(join(dist, file), 'utf8')));
  const unmapped = ['core', 'engine', 'undici'].filter((name) => !mapped.includes(`${name}.js`));
  if (unmapped.length > 0) throw new Error(`Without a map: ${unmapped.join(', ')}`);
  for (const file of mapped) {
    const { sources, sourcesContent } = mapOf(join(dist, file));
    const lacking = sources.filter((_, index) => typeof sourcesContent?.[index] !== 'string');
    if (sources.length === 0 || lacking.length > 0)
      throw new Error(`${file}.map lacks ${lacking.join(', ')}`);
  }
  const others = readdirSync(dist).filter(
    (file) => file.endsWith('.map') && !mapped.includes(file.slice(0, -4)),
  );
  if (others.length > 0)
    throw new Error(`Only the ES modules have maps, but there are: ${others.join(', ')}`);
  followOne(join(dist, 'undici.js'));
}

function followOne(file: string): void {
  const called = 'function retry(';
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes(called));
  const column = (lines[line]?.indexOf(called) ?? 0) + 'function '.length;
  const map = mapOf(file);
  const found = new SourceMap(map).findEntry(line, column);
  if (!('originalSource' in found)) throw new Error(`${file}: retry() has no place in the sources`);
  const { originalSource, originalLine } = found;
  const source = map.sourcesContent[map.sources.indexOf(originalSource)] ?? '';
  const written = source.split('\n')[originalLine];
  if (written?.includes(called) !== true) throw new Error(`${file}: retry() leads to ${written}`);
}

function mapOf(file: string): SourceMapPayload {
  if (!existsSync(`${file}.map`)) throw new Error(`${file}.map is missing`);
  return JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload;
}
