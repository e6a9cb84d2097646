/**
 * For `npm run test:matrix`, which names the adapter: one file after the other, as several such runs share a
 * machine.
 */

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
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
