/**
 * The entries of the package: each by its name in the `exports` of package.json, with the source that it is built of. A new
 * entry is a line here and its lines there; a test holds the two together.
 */

type Sources = Readonly<Record<string, string>>;

/**
 * Those of the library, which are ES modules and CommonJS, by the file of `dist` that has what they share: an entry loads
 * its own, and those above it. The light ones load only `core`.
 */
export const libraryShelves: Readonly<Record<'core' | 'engine', Sources>> = {
  core: {
    './light': 'src/light/index.ts',
    './light/fetch': 'src/light/fetch.ts',
    './light/axios': 'src/light/axios.ts',
  },
  engine: {
    '.': 'src/index.ts',
    './undici': 'src/adapters/undici/index.ts',
    './axios': 'src/adapters/axios/index.ts',
    './fetch': 'src/adapters/fetch/index.ts',
    './parts': 'src/parts/index.ts',
    './parts/hints': 'src/parts/hints.ts',
  },
};

/**
 * Entries of the library that are one file each, with copies of the few pure functions that others have, too: they need
 * little of them, and are often loaded without them.
 */
export const loneEntries: Sources = {
  './otel': 'src/otel/index.ts',
  './redis': 'src/fleet/redis/index.ts',
  './schemes': 'src/schemes.ts',
};

export const libraryEntries: Sources = { ...libraryShelves.engine, ...libraryShelves.core, ...loneEntries };

/** ES modules only. The library loads nothing of them. */
export const toolEntries: Sources = {
  './sim': 'src/tools/sim/index.ts',
};

export const allEntries: Sources = { ...libraryEntries, ...toolEntries };

/** Where an entry is in `dist`, without the extension of its files. */
export function nameInDist(entry: string): string {
  return entry === '.' ? 'index' : entry.slice('./'.length);
}
