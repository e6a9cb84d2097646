/**
 * The code of `dist`: a file for each entry, as an ES module and as CommonJS, and beside them what several entries share.
 * Their declarations are in rolldown.types.config.ts. docs/development.md says why these tools.
 */

import { relative } from 'node:path';
import type { CodeSplittingNameFunction, OutputOptions, Plugin, RolldownOptions } from 'rolldown';
import { defineConfig } from 'rolldown';
import { libraryShelves, loneEntries, nameInDist, toolEntries } from './scripts/entries.js';

type Sources = Readonly<Record<string, string>>;

/** Of the command line. It is no entry: nothing imports it. */
const program = { cli: 'src/tools/cli/bin.ts' };

/** Platforms and clients stay outside. */
export const outside = [/^node:/, /^(undici|axios|redis|@opentelemetry\/api)$/];

export function inputOf(
  entries: Sources,
  fileOf = (source: string): string => source,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries).map(([entry, source]) => [nameInDist(entry), fileOf(source)]),
  );
}

export function filesNamed(extension: string): OutputOptions {
  return { dir: 'dist', entryFileNames: `[name]${extension}`, chunkFileNames: `[name]${extension}` };
}

// ---------------------------------------------------------------- code

function code(
  input: Record<string, string>,
  output: OutputOptions,
): RolldownOptions & { readonly output: OutputOptions } {
  return {
    input,
    external: outside,
    platform: 'neutral',
    tsconfig: 'tsconfig.json',
    plugins: [fewSources],
    preserveEntrySignatures: 'allow-extension',
    output: {
      codeSplitting: {
        groups: [
          { name: shelfOf, debugName: 'shelves', minShareCount: 2, includeDependenciesRecursively: false },
        ],
      },
      // Names stay as they are. Comments are in the declarations, and in the sources that the maps carry.
      minifyInternalExports: false,
      comments: { legal: true, annotation: true, jsdoc: false },
      ...output,
    },
  };
}

const shelves = Object.entries({ ...libraryShelves, tools: { ...toolEntries, ...program } });

/**
 * The file of what several entries load: the shelf of the lightest of them, so that no entry loads what only heavier ones
 * need. There are few such files, since at a start each costs as much as 40 kB of code.
 */
const shelfOf: CodeSplittingNameFunction = (id, graph) => {
  const users = new Set<string>();
  const visit = (module: string): void => {
    const user = relative('.', module).replaceAll('\\', '/');
    if (users.has(user)) return;
    users.add(user);
    graph.getModuleInfo(module)?.importers.forEach(visit);
  };
  visit(id);
  const [shelf = null] =
    shelves.find(([, entries]) => Object.values(entries).some((source) => users.has(source))) ?? [];
  // Both entries of a client have its adapter, and no other has.
  const [, client] = /[\\/]src[\\/]adapters[\\/](fetch|axios)[\\/]/.exec(id) ?? [];
  return shelf === 'core' && client !== undefined ? `${client}-adapter` : shelf;
};

/**
 * Maps are a quarter of the package. Those of the library's shared files and of the adapters are what a trace of an application
 * needs. The rest would make it a quarter larger, and the entries for parts have values alone.
 */
const fewMaps: Plugin = {
  name: 'few maps',
  generateBundle(_, bundle) {
    for (const file of ['cli.js', 'tools.js', 'parts.js', 'parts/hints.js']) {
      const made = bundle[file];
      if (made?.type !== 'chunk') continue;
      delete bundle[`${file}.map`];
      made.code = made.code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
    }
  },
};

/**
 * What decides in pure functions is in no trace of an application: the maps have only those that call a function of its. Nor are
 * limits that wake no request, and what consists of types.
 */
const fewSources: Plugin = {
  name: 'few sources',
  transform: {
    filter: {
      id: /[\\/]src[\\/](core[\\/](?!decide[\\/](decide|schedule)\.ts|errors)|(drivers|kernel)[\\/]parts\.ts|kernel[\\/](limits[\\/](?!admission|concurrency)|line))/,
    },
    handler: (code) => ({ code, map: { mappings: '' } }),
  },
};

const shared: Sources = { ...libraryShelves.core, ...libraryShelves.engine };

/** The ES modules, with the program: what its tests start. */
export const modules = code(
  { ...inputOf({ ...shared, ...toolEntries }), ...program },
  { ...filesNamed('.js'), format: 'esm', sourcemap: true, plugins: [fewMaps] },
);

/** Each by itself, and without a map. */
const lone = Object.entries(loneEntries).flatMap(([entry, source]) => {
  const input = inputOf({ [entry]: source });
  return [
    code(input, { ...filesNamed('.js'), format: 'esm' }),
    code(input, { ...filesNamed('.cjs'), format: 'cjs', esModule: true }),
  ];
});

// biome-ignore lint/style/noDefaultExport: Rolldown reads its configuration from a default export.
export default defineConfig([
  modules,
  code(inputOf(shared), { ...filesNamed('.cjs'), format: 'cjs', esModule: true }),
  ...lone,
]);
