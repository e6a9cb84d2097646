import { defineConfig } from 'vitest/config';

/** Everything in it is loaded once: each file opens and closes what it needs. */
const together = { testTimeout: 60_000, isolate: false };

/** What is slow, and plays outages, states or requests by the thousand: `npm test` leaves it to CI. */
const thorough = ['test/{chaos,models,tables}/**/*.test.ts', 'test/adapters/*/{differential,fuzz}.test.ts'];

/** Its own tests, and the suites that each adapter runs. */
function adapter(name: string) {
  const include = [`test/adapters/${name}/**/*.test.ts`, 'test/adapters/suites/**/*.test.ts'];
  return { test: { ...together, name, include, exclude: thorough, provide: { subject: name } } };
}

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
          exclude: ['test/adapters/**', ...thorough],
        },
      },
      // Each file in a process of its own: among them are those of every client.
      { test: { name: 'thorough', include: thorough, testTimeout: 300_000 } },
      adapter('undici'),
      adapter('axios'),
      adapter('fetch'),
    ],
    // One more than there are cores where this has to be quick: half of the time, tests wait.
    maxWorkers: 3,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    coverage: { provider: 'v8', include: ['src/core/**'], reporter: ['text'] },
  },
});
