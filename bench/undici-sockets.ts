/**
 * CPU per request over loopback, with the server in another process: with and without a retry layer, in turns. A second
 * bare agent shows how much of a difference is noise, and an empty interceptor what any interceptor costs.
 */

import type { Dispatcher } from 'undici';
import { rowsBesideBare } from './beside-bare.js';
import { inLines } from './lines.js';
import { type Costs, measureAsync, median, perRound } from './measure.js';
import type { Row } from './row.js';
import { bare, type Contestant, passThrough, retrying, serving } from './undici-contestants.js';
import { undici } from './undici-under-test.js';
import { withSmallServer } from './with-small-server.js';

interface Load {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly connections: number;
  readonly requestsPerRound: number;
  readonly rounds: number;
}

const small = { name: 'small GET', path: '/', bytes: 5 };
const download = { name: '1 MB download', path: '/megabyte', bytes: 2 ** 20 };
const loads: readonly Load[] = [
  { ...small, connections: 1, requestsPerRound: 400, rounds: 31 },
  { ...small, connections: 50, requestsPerRound: 800, rounds: 31 },
  { ...small, connections: 500, requestsPerRound: 1_500, rounds: 21 },
  { ...download, connections: 1, requestsPerRound: 40, rounds: 31 },
  { ...download, connections: 50, requestsPerRound: 100, rounds: 21 },
  { ...download, connections: 500, requestsPerRound: 500, rounds: 21 },
];

export function benchUndiciSockets(): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const rows: Row[] = [];
    for (const load of loads) rows.push(...(await rowsFor(load, origin)));
    return rows;
  });
}

async function rowsFor(load: Load, origin: string): Promise<Row[]> {
  const { connections } = load;
  const agent = (): Dispatcher => new undici.Agent({ connections, keepAliveTimeout: 300_000 });
  const contestants = [...bare(agent), passThrough(agent), ...retrying(agent), serving(agent)];
  const downloads = contestants.map(({ dispatcher }) => new Downloads(dispatcher, origin, load));
  try {
    const subjects = contestants.map(({ name }, index) => ({
      name,
      work: async (turns: number) => (await downloads[index]?.run(turns)) ?? 0,
    }));
    const costs = await measureAsync(subjects, load.requestsPerRound, load.rounds);
    const sockets = `${connections} ${connections === 1 ? 'socket' : 'sockets'}`;
    return rowsBesideBare(`${load.name}, ${sockets}`, costs).map((row, index) => ({
      ...row,
      ...(index > 0 && load.bytes > 1_000 && noteOnChunks(costs[index], costs[0], downloads[index])),
    }));
  } finally {
    await Promise.all(contestants.map(({ dispatcher }: Contestant) => dispatcher.destroy()));
  }
}

function noteOnChunks(
  costs: Costs | undefined,
  bare: Costs | undefined,
  downloads: Downloads | undefined,
): Pick<Row, 'note'> {
  const chunks = downloads?.chunksEach ?? 1;
  const more = median(perRound(costs?.cpu ?? [], bare?.cpu ?? [], (own, least) => own - least)) / chunks;
  return { note: `${more.toFixed(0)} ns more for each of ${chunks.toFixed(0)} chunks` };
}

/** Sends requests through one dispatcher, one after the other on each connection. */
class Downloads {
  private readonly dispatcher: Dispatcher;
  private readonly origin: string;
  private readonly load: Load;
  private requests = 0;
  private chunks = 0;

  constructor(dispatcher: Dispatcher, origin: string, load: Load) {
    this.dispatcher = dispatcher;
    this.origin = origin;
    this.load = load;
  }

  get chunksEach(): number {
    return this.chunks / this.requests;
  }

  async run(turns: number): Promise<number> {
    await inLines(this.load.connections, turns, () => this.download());
    return this.chunks;
  }

  private async download(): Promise<void> {
    const { origin, load } = this;
    const { body } = await this.dispatcher.request({ origin, path: load.path, method: 'GET' });
    let bytes = 0;
    for await (const chunk of body) {
      bytes += (chunk as Buffer).byteLength;
      this.chunks += 1;
    }
    this.requests += 1;
    if (bytes !== load.bytes)
      throw new Error(`${load.path} arrived with ${bytes} of its ${load.bytes} bytes`);
  }
}
