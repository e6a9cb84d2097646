/**
 * Over loopback, three answers in ten are 503, the same ones for each contestant, which retries at once: what a request
 * costs until it is done, and how many requests are done in a second. Ours against each peer. Those of axios and fetch have
 * a process each: in one, they would share what the compiler has made of the client, and the platform's pool of connections.
 */

import type { CreateAxiosDefaults } from 'axios';
import type { Dispatcher } from 'undici';
import { measuredApart, report, touchYoungMemory } from './apart.js';
import { retrying as axiosRetrying, serving as axiosServing } from './axios-contestants.js';
import {
  retrying as fetchRetrying,
  serving as fetchServing,
  service,
  statusOf,
} from './fetch-contestants.js';
import { type Peers, withPeers } from './fetch-peers.js';
import { inLines } from './lines.js';
import {
  type AsyncSubject,
  amountOf,
  type Costs,
  measureAsync,
  measureRounds,
  median,
  ratioTo,
} from './measure.js';
import { rowsOfMissing } from './packages.js';
import type { Row } from './row.js';
import { retrying as undiciRetrying, serving as undiciServing } from './undici-contestants.js';
import { undici } from './undici-under-test.js';
import { withSmallServer } from './with-small-server.js';

export const atATime = 50;
const rounds = 21;
/** More retries than the server's dice ever ask for. */
const most = 20;

const ours = {
  maxRetries: most,
  schedule: { kind: 'fixed', waitMs: 0, jitter: 'none' },
  budget: false,
} as const;

export function benchUndiciFailing(): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const agent = (): Dispatcher => new undici.Agent({ connections: atATime });
    const theirs = { maxRetries: most, minTimeout: 0, maxTimeout: 0, timeoutFactor: 1 };
    const contestants = [...undiciRetrying(agent, ours, theirs), undiciServing(agent, ours)];
    try {
      const subjects = contestants.map(({ name, dispatcher }, index) =>
        subject(name, async (turn) => {
          const path = `/flaky/${index}/${turn}`;
          const { statusCode, body } = await dispatcher.request({ origin, path, method: 'GET' });
          await body.dump();
          return statusCode;
        }),
      );
      return rowsOf(await measureAsync(subjects, 800, rounds));
    } finally {
      await Promise.all(contestants.map(({ dispatcher }) => dispatcher.destroy()));
    }
  });
}

export function benchAxiosFailing(): Promise<Row[]> {
  return withSmallServer((origin) => {
    const contestants = axiosContestants(() => ({}), origin);
    return rowsApart(contestants, './axios-failing-variant.js', [origin]);
  });
}

export function benchFetchFailing(): Promise<Row[]> {
  return withPeers((peers) =>
    withSmallServer(async (origin) => {
      const given = [origin, JSON.stringify(peers.scratch)];
      const rows = await rowsApart(fetchContestants(peers, origin), './fetch-failing-variant.js', given);
      return [...rows, ...rowsOfMissing(peers.scratch)];
    }),
  );
}

// ---------------------------------------------------------------- each in a process of its own

/** Of a request, in nanoseconds. */
interface Cost {
  readonly cpu: number;
  readonly elapsed: number;
}

/**
 * Soon: a process that has sent a few thousand requests, whose functions are still being compiled, and whose young
 * generation is in use for the first time. Later: one in which both are over.
 */
interface CostInTime {
  readonly soon: Cost;
  readonly later: Cost;
}

async function rowsApart(
  contestants: readonly AsyncSubject[],
  module: string,
  given: readonly string[],
): Promise<Row[]> {
  const found = await measureRounds(
    contestants.map(
      ({ name }) =>
        () =>
          measuredApart<CostInTime>(module, [name, ...given]),
    ),
    9,
  );
  const costs = (when: keyof CostInTime): Costs[] =>
    contestants.map(({ name }, index) => ({
      name,
      cpu: (found[index] ?? []).map((one) => one[when].cpu),
      elapsed: (found[index] ?? []).map((one) => one[when].elapsed),
    }));
  return [
    ...rowsOf(costs('soon')),
    ...rowsOf(costs('later')).map((row) => ({ ...row, name: `${row.name}, later` })),
  ];
}

/** In that process. */
export async function tellCost(contestant: AsyncSubject, requests: number): Promise<void> {
  const costAfter = async (warmUps: number, rounds: number): Promise<Cost> => {
    for (let warmUp = 0; warmUp < amountOf(warmUps); warmUp += 1) await contestant.work(requests);
    const [costs] = await measureAsync([contestant], requests, rounds);
    return { cpu: median(costs?.cpu ?? []), elapsed: median(costs?.elapsed ?? []) };
  };
  // Until the connections have settled.
  const soon = await costAfter(6, 7);
  touchYoungMemory();
  // Until the compiler has, too.
  const later = await costAfter(16, 15);
  const found: CostInTime = { soon, later };
  report(found);
}

export function axiosContestants(defaults: () => CreateAxiosDefaults, origin: string): AsyncSubject[] {
  const manners = {
    ours,
    axiosRetry: { retries: most, retryDelay: () => 0 },
    retryAxios: { retry: most, backoffType: 'static', retryDelay: 0 },
  } as const;
  const contestants = [...axiosRetrying(defaults, manners), axiosServing(defaults, ours)];
  return contestants.map(({ name, instance }, index) =>
    subject(name, async (turn) => (await instance.get(`${origin}/flaky/${index}/${turn}`)).status),
  );
}

export function fetchContestants(peers: Peers, origin: string): AsyncSubject[] {
  const retrying = fetchRetrying(fetch, peers, { ours, retries: most });
  return [...retrying, fetchServing(fetch, service, ours)].map((contestant, index) =>
    subject(contestant.name, (turn) => statusOf(contestant, `${origin}/flaky/${index}/${turn}`)),
  );
}

function subject(name: string, statusOf: (turn: number) => Promise<number>): AsyncSubject {
  return {
    name,
    async work(turns) {
      await inLines(atATime, turns, async (turn) => {
        const status = await statusOf(turn);
        if (status !== 200)
          throw new Error(`${name} gave up with ${status}, so the contestants cannot be compared`);
      });
      return turns;
    },
  };
}

function rowsOf([first, ...peers]: readonly Costs[]): Row[] {
  if (first === undefined) return [];
  return peers.flatMap((peer) => [
    {
      name: 'CPU per request',
      value: median(first.cpu) / 1_000,
      unit: 'µs',
      ratio: ratioTo(`that with ${peer.name}`, first.cpu, peer.cpu),
    },
    {
      name: 'requests done in a second',
      value: 1e9 / median(first.elapsed),
      unit: '',
      // Requests in a second are the inverse of time for a request.
      ratio: ratioTo(`those with ${peer.name}`, peer.elapsed, first.elapsed),
    },
  ]);
}
