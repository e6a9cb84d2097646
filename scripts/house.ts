/**
 * How the house is kept, in numbers: what has to be read together although it is apart, and what a new limit would have to
 * change. `npm run house` prints the table, and a test bounds each row.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { posix, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Source {
  /** The path from `src/`, with slashes. */
  readonly path: string;
  readonly code: string;
  readonly lines: number;
  /** The paths of our own files that it imports. */
  readonly imports: readonly string[];
}

/** The files of the library; our tools are not a part of it. */
export function sourcesIn(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !/^tools[\\/]/.test(file))
    .map((file) =>
      sourceOf(relative('.', file).replaceAll('\\', '/'), readFileSync(resolve(folder, file), 'utf8')),
    )
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function sourceOf(path: string, text: string): Source {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const imports = [...code.matchAll(/\bfrom\s*'(\.[^']+)'/g)].map(([, name = '']) =>
    posix.normalize(posix.join(posix.dirname(path), name)).replace(/\.js$/, '.ts'),
  );
  return { path, code, lines: text.split('\n').length - 1, imports };
}

/** What each row lists, in the order of the files. */
export const houseRows: Readonly<Record<string, (files: readonly Source[]) => string[]>> = {
  'classes that are only there for the one that extends them': onlyBases,
  'places that spell several limits': spellings,
  'files that import themselves through others': circles,
  'files that name the hold, beside its own': (files) => naming(files, 'hold'),
  'files that name the gate, beside its own': (files) => naming(files, 'gate'),
  'files of at most 60 lines that one other imports': smallParts,
};

/** Classes of ours that are never made, and that one class extends. */
function onlyBases(files: readonly Source[]): string[] {
  const code = files.map((file) => file.code).join('\n');
  const bases = files.flatMap(({ code: own, path }) =>
    [...own.matchAll(/\bclass (\w+)/g)].map(([, name = '']) => ({ name, path })),
  );
  const count = (pattern: string): number => code.match(new RegExp(pattern, 'g'))?.length ?? 0;
  return bases
    .filter(({ name }) => count(`\\bextends ${name}\\b(?! \\?)`) === 1 && count(`\\bnew ${name}\\b`) === 0)
    .map(({ name, path }) => `${name} (${path})`);
}

/** `settings.gate === false && settings.hold === false`, and its like: a limit that is forgotten there is bypassed. */
const spelling =
  /\b(gate|hold|budget) [!=]== false\s*(?:&&|\|\|)\s*(?:\w+\.)?(?!\1)(?:gate|hold|budget) [!=]== false/g;

function spellings(files: readonly Source[]): string[] {
  return files.flatMap(({ code, path }) => [...code.matchAll(spelling)].map(() => path));
}

function circles(files: readonly Source[]): string[] {
  const imports = new Map(files.map((file) => [file.path, file.imports] as const));
  return files.map(({ path }) => path).filter((path) => reachedFrom(path, imports).has(path));
}

function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [path];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const target of imports.get(one) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}

/** Its own are the files in a folder with its name, and those whose name begins with it. */
function naming(files: readonly Source[], limit: 'gate' | 'hold'): string[] {
  const own = new RegExp(`(^|/)${limit}[-./]`);
  const capital = limit[0]?.toUpperCase() + limit.slice(1);
  const word = new RegExp(`\\b${limit}s?\\b|\\b\\w*${capital}(?![a-z])\\w*`);
  return files.filter(({ path, code }) => !own.test(path) && word.test(code)).map(({ path }) => path);
}

function smallParts(files: readonly Source[]): string[] {
  const importers = (path: string): number => files.filter(({ imports }) => imports.includes(path)).length;
  return files.filter(({ path, lines }) => lines <= 60 && importers(path) === 1).map(({ path }) => path);
}

/** For people: the number of each row, and what it counts. */
function table(files: readonly Source[]): string {
  return Object.entries(houseRows)
    .map(([name, list]) => {
      const found = list(files);
      return [`${found.length} ${name}`, ...found].join('\n    ');
    })
    .join('\n');
}

const isRun = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isRun) console.log(table(sourcesIn('src')));
