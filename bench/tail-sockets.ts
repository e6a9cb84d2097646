/**
 * The slow tail over real sockets: one answer in a hundred takes a hundred times as long. For each client, the policy
 * `service` as it is, with hedges and with adaptive attempt timeouts, side by side.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import axios from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import { withRetry } from '../src/adapters/fetch/index.js';
import { retry } from '../src/adapters/undici/index.js';
import type { PolicyOptions } from '../src/index.js';
import { presets } from '../src/index.js';
import { roundsOf } from './measure.js';
import type { Row } from './row.js';
import { undici } from './undici-under-test.js';

const perSecond = 120;
/** Nothing is learnt yet in the first seconds, so these requests are left out of the percentiles. */
const warmUp = 10 * perSecond;
const wanted = 60 * perSecond;

/** Resolves once the answer is whole. */
type Get = (url: string) => Promise<unknown>;

/** No answer takes nearly as long as the deadline, unless the machine stands still: that must not end the run. */
const service = { ...presets.policies.service, deadlineMs: 300_000 };

const policies: Readonly<Record<string, PolicyOptions>> = {
  'as it is': {},
  'with hedges': { hedge: true },
  'with adaptive timeouts': { attemptTimeoutMs: { maxMs: 2_000 } },
};

const clients: Readonly<Record<string, (policy: PolicyOptions) => Get>> = {
  undici(policy) {
    const dispatcher = new undici.Agent().compose(retry(policy));
    return async (url) => (await undici.request(url, { dispatcher })).body.dump();
  },
  axios(policy) {
    const instance = axios.create();
    attachRetry(instance, policy);
    return (url) => instance.get(url);
  },
  fetch(policy) {
    const fetching = withRetry(fetch, policy);
    return async (url) => (await fetching(url)).text();
  },
};

interface Contestant {
  readonly name: string;
  readonly path: string;
  readonly get: Get;
  readonly times: number[];
}

export async function benchTailSockets(): Promise<Row[]> {
  const server = fork(fileURLToPath(new URL('./tail-server.js', import.meta.url)));
  try {
    const [origin] = (await once(server, 'message')) as [string];
    const contestants = contestantsOf();
    const count = roundsOf(wanted) === wanted ? wanted : warmUp + perSecond;
    await Promise.all(contestants.map((contestant, index) => play(contestant, origin, count, index)));
    const attempts = await attemptsAt(server);
    return contestants.flatMap((contestant) => rowsOf(contestant, count, attempts));
  } finally {
    server.kill();
  }
}

function contestantsOf(): Contestant[] {
  return Object.entries(clients).flatMap(([client, getting]) =>
    Object.entries(policies).map(([how, options], index) => ({
      name: `${client}, ${how}`,
      path: `/${client}${index}/`,
      get: getting({ ...service, ...options }),
      times: [],
    })),
  );
}

/** An open loop: requests begin in time, however long the ones before them take. */
async function play(contestant: Contestant, origin: string, count: number, index: number): Promise<void> {
  const everyMs = 1_000 / perSecond;
  const start = performance.now() + index;
  const asked: Promise<void>[] = [];
  for (let number = 0; number < count; number += 1) {
    const waitMs = start + number * everyMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
    asked.push(ask(contestant, `${origin}${contestant.path}${number}`, number));
  }
  await Promise.all(asked);
}

async function ask({ get, times }: Contestant, url: string, number: number): Promise<void> {
  const begun = performance.now();
  await get(url);
  if (number >= warmUp) times.push(performance.now() - begun);
}

async function attemptsAt(server: ChildProcess): Promise<Readonly<Record<string, number>>> {
  server.send('attempts');
  const [attempts] = (await once(server, 'message')) as [Readonly<Record<string, number>>];
  return attempts;
}

function rowsOf(
  { name, path, times }: Contestant,
  count: number,
  attempts: Readonly<Record<string, number>>,
): Row[] {
  const own = Object.entries(attempts).filter(([asked]) => asked.startsWith(path));
  const served = own.reduce((sum, [, times]) => sum + times, 0);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return [
    { name: `${name}: median`, value: at(0.5), unit: 'ms' },
    { name: `${name}: p99.9`, value: at(0.999), unit: 'ms' },
    { name: `${name}: attempts for each request`, value: served / count, unit: 'times' },
  ];
}
