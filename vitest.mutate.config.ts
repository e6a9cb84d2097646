/** For mutation tests: the tests of the core, without those that measure nothing but patience. */

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    include: ['test/core/**/*.test.ts', 'test/properties/**/*.test.ts', 'test/runtime/**/*.test.ts'],
    exclude: ['**/hostile.test.ts'],
  },
});
