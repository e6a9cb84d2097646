/**
 * The entries of the package: each by its name in the `exports` of package.json, with the source that it is built of. A new
 * entry is a line here and its lines there; a test holds the two together.
 */

type Sources = Readonly<Record<string, string>>;

/**
 * Those of the library, which are ES modules and CommonJS, from the lightest to the heaviest: by the file of `dist` that
 * has what an entry shares with others. Each of these files has what no lighter entry loads.
 */
export const libraryShelves: Readonly<Record<'basis' | 'engine', Sources>> = {
  basis: {
    './otel': 'src/otel/index.ts',
    './redis': 'src/fleet/redis/index.ts',
    './schemes': 'src/schemes.ts',
  },
  engine: {
    '.': 'src/index.ts',
    './undici': 'src/adapters/undici/index.ts',
    './axios': 'src/adapters/axios/index.ts',
    './fetch': 'src/adapters/fetch/index.ts',
    './light': 'src/light/index.ts',
    './light/fetch': 'src/light/fetch.ts',
    './light/axios': 'src/light/axios.ts',
    './parts': 'src/parts/index.ts',
    './parts/hints': 'src/parts/hints.ts',
  },
};

export const libraryEntries: Sources = Object.assign({}, ...Object.values(libraryShelves)) as Sources;

/** ES modules only. The library loads nothing of them. */
export const toolEntries: Sources = {
  './sim': 'src/tools/sim/index.ts',
};

export const allEntries: Sources = { ...libraryEntries, ...toolEntries };

/** Where an entry is in `dist`, without the extension of its files. */
export function nameInDist(entry: string): string {
  return entry === '.' ? 'index' : entry.slice('./'.length);
}
