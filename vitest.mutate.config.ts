/**
 * For mutation tests: tables before properties. What is left out finds hardly a mutant that the tables do
 * not find, and takes most of the time.
 */

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    include: ['test/core/**/*.test.ts', 'test/runtime/session.test.ts'],
    exclude: ['**/hostile.test.ts', '**/check/schema.test.ts'],
    testTimeout: 60_000,
  },
});
