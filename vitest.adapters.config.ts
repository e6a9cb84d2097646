/**
 * For `npm run test:matrix`, which names the adapter and has built the package: the tests take its entries from `dist`, as
 * they are packed. One file after the other, as several such runs share a machine.
 */

import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { libraryEntries, nameInDist } from './scripts/entries.js';

/** What tests import of the sources and users import of the package. Other sources are only types, or beside the point. */
const packed = Object.entries(libraryEntries).map(([entry, source]) => ({
  find: new RegExp(`^(\\.\\./)+${source.replace(/\.ts$/, '\\.js$')}`),
  replacement: resolve('dist', `${nameInDist(entry)}.js`),
}));

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  resolve: { alias: packed },
  test: {
    include: ['test/adapters/**/*.test.ts', 'test/conformance/{undici,axios,fetch}.test.ts'],
    // A run of its own: `npm run test:fuzz`.
    exclude: ['**/fuzz.test.ts'],
    // The adapter that runs the suites.
    provide: { subject: process.env['SUBJECT'] ?? '' },
    testTimeout: 30_000,
    maxWorkers: 1,
    // Each file opens and closes what it needs; loading everything anew for each would take as long as the tests.
    isolate: false,
    // The pairs of the matrix share what was compiled.
    experimental: { fsModuleCache: true },
  },
});
