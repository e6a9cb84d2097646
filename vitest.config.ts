import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // No test waits for a clock; a slow machine is no reason to fail.
    testTimeout: 60_000,
    // By default one core is left idle, and there are only two where this has to be quick.
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    coverage: { provider: 'v8', include: ['src/core/**'], reporter: ['text'] },
  },
});
