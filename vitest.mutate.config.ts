/** For mutation tests: only the tests that `scripts/mutate.ts` names for what it mutates. */

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? 'test/core/**/*.test.ts').split(' '),
    testTimeout: 60_000,
    // The adapter that runs the suites among them.
    provide: { subject: process.env['SUBJECT'] ?? '' },
  },
});
