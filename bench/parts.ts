/** The parts of the table. Each runs in its own process, so that none affects the compiler or heap of another. */

import type { Row } from './row.js';

export interface Part {
  readonly name: string;
  readonly title: string;
  readonly rows: () => Promise<readonly Row[]>;
}

const parts: readonly Part[] = [
  {
    name: 'undici-memory',
    title: 'undici: a request that succeeds at once, answered from memory',
    rows: async () => (await import('./undici-variants.js')).benchUndiciOverhead(),
  },
  {
    name: 'undici-sockets',
    title: 'undici: a request that succeeds at once, over loopback',
    rows: async () => (await import('./undici-sockets.js')).benchUndiciSockets(),
  },
  {
    name: 'undici-failing',
    title: 'undici: 30 % of the answers are 503, undaunted against its peers',
    rows: async () => (await import('./failing.js')).benchUndiciFailing(),
  },
  {
    name: 'undici-waiting',
    title: 'undici: 100,000 requests wait',
    rows: async () => (await import('./undici-waiting.js')).benchUndiciWaiting(),
  },
  {
    name: 'undici-hour',
    title: 'undici: an hour of traffic, 5,000,000 requests to 10,000 origins, everything switched on',
    rows: async () => (await import('./hour.js')).benchHour(),
  },
  {
    name: 'undici-tail',
    title: 'undici: what time limits and hedges add to a request that succeeds at once, from memory',
    rows: async () => (await import('./undici-variants.js')).benchUndiciTail(),
  },
  {
    name: 'tail-sockets',
    title: 'every client: one answer in a hundred takes a hundred times as long, over loopback',
    rows: async () => (await import('./tail-sockets.js')).benchTailSockets(),
  },
  {
    name: 'stacked',
    title: 'undici: a realistic policy beside what people stack by hand around request()',
    rows: async () => (await import('./stacked.js')).benchStacked(),
  },
  {
    name: 'axios-success',
    title: 'axios: a request that succeeds at once',
    rows: async () => (await import('./axios-overhead.js')).benchAxiosOverhead(),
  },
  {
    name: 'axios-service',
    title: 'axios: what a realistic policy adds to a request that succeeds at once, answered from memory',
    rows: async () => (await import('./axios-service.js')).benchAxiosService(),
  },
  {
    name: 'axios-failing',
    title: 'axios: 30 % of the answers are 503, undaunted against its peers',
    rows: async () => (await import('./failing.js')).benchAxiosFailing(),
  },
  {
    name: 'axios-waiting',
    title: 'axios: 10,000 requests wait',
    rows: async () => (await import('./axios-waiting.js')).benchAxiosWaiting(),
  },
  {
    name: 'fetch-success',
    title: 'fetch: a request that succeeds at once, answered from memory',
    rows: async () => (await import('./fetch-overhead.js')).benchFetchOverhead(),
  },
  {
    name: 'fetch-sockets',
    title: 'fetch: a request that succeeds at once, over loopback',
    rows: async () => (await import('./fetch-sockets.js')).benchFetchSockets(),
  },
  {
    name: 'fetch-failing',
    title: 'fetch: 30 % of the answers are 503, undaunted against its peers',
    rows: async () => (await import('./failing.js')).benchFetchFailing(),
  },
  {
    name: 'post-sockets',
    title: 'every client: a POST without a key that succeeds at once, over loopback',
    rows: async () => (await import('./post-sockets.js')).benchPostSockets(),
  },
  {
    name: 'whole-sockets',
    title: 'every client: a small JSON that is waited for until it is whole, over loopback',
    rows: async () => (await import('./whole-sockets.js')).benchWholeSockets(),
  },
  {
    name: 'stream-starts',
    title: 'every client: when the first content of a stream comes that was waited for',
    rows: async () => (await import('./stream-starts.js')).benchStreamStarts(),
  },
  {
    name: 'core-deciding',
    title: 'the core: decisions of one CPU',
    rows: async () => (await import('./deciding.js')).benchDeciding(),
  },
  {
    name: 'core-succeeding',
    title: 'the core: a request that succeeds at once',
    rows: async () => (await import('./succeeding.js')).benchSucceeding(),
  },
  {
    name: 'core-learning',
    title: 'the core: learning from the answers, where a rule hedges',
    rows: async () => (await import('./learning.js')).benchLearning(),
  },
  {
    name: 'core-matching',
    title: 'the core: finding the rule of a request',
    rows: async () => (await import('./matching.js')).benchMatching(),
  },
  {
    name: 'simulating',
    title: 'the simulator: events of one CPU',
    rows: async () => (await import('./simulating.js')).benchSimulating(),
  },
  {
    name: 'cold',
    title: 'a fresh process: what loading costs, beside loading axios in the same manner',
    rows: async () => (await import('./cold.js')).benchCold(),
  },
  {
    name: 'bundle-entries',
    title: 'bundle: each entry, minified and gzipped; clients and OpenTelemetry stay outside',
    rows: async () => (await import('./bundle-entries.js')).benchEntries(),
  },
  {
    name: 'bundle-consumers',
    title: 'bundle: what small programs get, minified and gzipped',
    rows: async () => (await import('./bundle-consumers.js')).benchConsumers(),
  },
];

/** By name or by the beginning of names: `bundle-entries`, `undici`. Without names, all of them. */
export function partsNamed(wanted: readonly string[]): readonly Part[] {
  for (const word of wanted) {
    if (parts.some((part) => isNamed(part, word))) continue;
    throw new Error(`No part is called "${word}". There are: ${parts.map(({ name }) => name).join(', ')}`);
  }
  return wanted.length === 0 ? parts : parts.filter((part) => wanted.some((word) => isNamed(part, word)));
}

function isNamed({ name }: Part, word: string): boolean {
  return name === word || name.startsWith(`${word}-`);
}
