/**
 * The entries of the package: each by its name in the `exports` of package.json, with the source that it is built of. A new
 * entry is a line here and its lines there; a test holds the two together.
 */

type Sources = Readonly<Record<string, string>>;

/** They are used beside others, and load little: what they share with the rest is in a file of its own. */
export const smallEntries: Sources = {
  './otel': 'src/otel/index.ts',
  './redis': 'src/fleet/redis/index.ts',
  './schemes': 'src/schemes.ts',
};

const wholeEntries: Sources = {
  '.': 'src/index.ts',
  './undici': 'src/adapters/undici/index.ts',
  './axios': 'src/adapters/axios/index.ts',
  './fetch': 'src/adapters/fetch/index.ts',
};

/** What programs load: as ES modules and as CommonJS. */
export const libraryEntries: Sources = { ...wholeEntries, ...smallEntries };

/** ES modules only. The library loads nothing of them. */
export const toolEntries: Sources = {
  './sim': 'src/tools/sim/index.ts',
};

export const allEntries: Sources = { ...libraryEntries, ...toolEntries };

/** Where an entry is in `dist`, without the extension of its files. */
export function nameInDist(entry: string): string {
  return entry === '.' ? 'index' : entry.slice('./'.length);
}
