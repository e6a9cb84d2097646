import { defineConfig } from 'vitest/config';

/** Everything in it is loaded once: each file opens and closes what it needs. */
const together = { testTimeout: 60_000, isolate: false };

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    // The tests of one client set what is global to a process, like a dispatcher; the other's must not meet it.
    projects: [
      {
        test: {
          ...together,
          name: 'core',
          include: ['test/**/*.test.ts'],
          exclude: ['test/adapters/**'],
        },
      },
      { test: { ...together, name: 'undici', include: ['test/adapters/undici/**/*.test.ts'] } },
      { test: { ...together, name: 'axios', include: ['test/adapters/axios/**/*.test.ts'] } },
    ],
    // By default one core is left idle, and there are only two where this has to be quick.
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    coverage: { provider: 'v8', include: ['src/core/**'], reporter: ['text'] },
  },
});
