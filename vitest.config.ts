import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Everything in it is loaded once: each file opens and closes what it needs. */
const together = { testTimeout: 60_000, isolate: false };

/**
 * What is slow, and plays outages, states or requests by the thousand, or starts a process for each case: `npm test`
 * leaves it to CI.
 */
const thorough = [
  'test/{chaos,models,processes,tables}/**/*.test.ts',
  'test/adapters/*/{differential,fuzz}.test.ts',
];

/** Its own tests, and the suites that each adapter runs. */
function adapter(name: Client) {
  const include = [`test/adapters/${name}/**/*.test.ts`, 'test/adapters/suites/**/*.test.ts'];
  return { test: { ...together, name, include, exclude: thorough, provide: { subject: name } } };
}

/**
 * What `npm test` runs of an adapter: its own tests, and each suite with one client only. The matrix runs all suites with
 * every client, and `--project undici` runs those of one.
 */
function quick(name: Client) {
  const { test } = adapter(name);
  const include = [
    `test/adapters/${name}/**/*.test.ts`,
    ...suites.filter((suite) => clientOf(suite) === name),
  ];
  return { test: { ...test, name: `${name}-quick`, include, exclude: [...thorough, ...leftToMatrix] } };
}

const clients = ['undici', 'axios', 'fetch'] as const;
type Client = (typeof clients)[number];

const suites = readdirSync('test/adapters/suites')
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/adapters/suites/${file}`);

/** By its name, so that a new suite does not move the others to other clients. */
function clientOf(suite: string): Client | undefined {
  const sum = [...suite].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return clients[sum % clients.length];
}

/**
 * Every failure, abort, hop and body that there is, real waits, or a process of its own for each case: each file takes
 * half a second of work or several of waiting.
 */
const leftToMatrix = [
  'suites/{abort,abort-midst,bodies-gateway,bodies-upload,credentials-crowd,credentials-storm,failures}',
  'suites/{stream-storm,times-process,unread,unsent,whole-cuts}',
  'undici/{abort-resume,bodies-unread,compose-interceptors,compose-twice,contract-controller,discard}',
  'undici/{h2-early-answers,h2-resets,h2-uploads,hops,resume-clients,times-undici,unsent-once,unsent-recovers}',
  'axios/{bodies-spent,held,layers,odd-values,statuses,times-alive}',
  'fetch/{bodies,redirects}',
].map((files) => `test/adapters/${files}.test.ts`);

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
      ...clients.map(adapter),
      ...clients.map(quick),
    ],
    // One more than there are cores where this has to be quick: half of the time, tests wait.
    maxWorkers: 3,
    // Each project would compile the sources anew otherwise, and so would each run.
    experimental: { fsModuleCache: true },
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    coverage: { provider: 'v8', include: ['src/core/**'], reporter: ['text'] },
  },
});
