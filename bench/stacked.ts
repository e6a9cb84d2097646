/**
 * A realistic policy of ours beside what people stack by hand around undici's request: a retry, a breaker and a time
 * limit. From memory, where each has a process of its own, and over loopback, where they take turns.
 */

import { measuredApart } from './apart.js';
import { inLines } from './lines.js';
import {
  type Costs,
  measureAsync,
  measureRounds,
  median,
  perRound,
  ratioTo,
  type Series,
} from './measure.js';
import { rowsOfMissing, type Scratch, withPackages } from './packages.js';
import type { Row } from './row.js';
import { contestants, names, packages } from './stacked-contestants.js';
import { undici } from './undici-under-test.js';
import { withSmallServer } from './with-small-server.js';

const rounds = 9;
const atATime = 16;
const requestsPerRound = 400;

/** Of what each of them adds. */
const atMostOf = { [names.cockatiel]: 0.2, [names.timeout]: 0.8 } as const;

export function benchStacked(): Promise<Row[]> {
  return withPackages(packages, async (scratch) => [
    ...(await fromMemory(scratch)),
    ...(await overLoopback(scratch)),
    ...rowsOfMissing(scratch),
  ]);
}

async function fromMemory(scratch: Scratch): Promise<Row[]> {
  const isMissing = (name: string): boolean => scratch.missing.some((one) => name.startsWith(one.name));
  const there = Object.values(names).filter((name) => !isMissing(name));
  const given = JSON.stringify(scratch);
  const [bare = [], ...others] = await measureRounds(
    there.map((name) => async () => (await measuredApart('./stacked-variant.js', [name, given])).ns),
    rounds,
  );
  const added = others.map((values) => perRound(values, bare, (value, least) => value - least));
  const service: Series = added[there.indexOf(names.service) - 1] ?? [];
  const what = (name: string): string => `from memory: ${name} adds to a request`;
  return there.slice(1).flatMap((name, index): Row[] => {
    const values = added[index] ?? [];
    const row = { name: what(name), value: median(values) / 1_000, unit: 'µs' };
    if (name === names.service || name === names.defaults) return [row];
    const atMost = (atMostOf as Readonly<Record<string, number>>)[name];
    const ratio = ratioTo(`what ${name} adds`, service, values);
    const ours = { name: what(names.service), value: median(service) / 1_000, unit: 'µs', ratio };
    return [row, { ...ours, ...(atMost !== undefined && { atMost }) }];
  });
}

function overLoopback(scratch: Scratch): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const agent = new undici.Agent({ connections: atATime, keepAliveTimeout: 300_000 });
    try {
      const subjects = (await contestants(agent, scratch)).map(({ name, send }) => ({
        name,
        async work(turns: number) {
          let sum = 0;
          await inLines(atATime, turns, async () => {
            sum += await send(origin);
          });
          return sum;
        },
      }));
      return rowsOf(await measureAsync(subjects, requestsPerRound, 31));
    } finally {
      await agent.destroy();
    }
  });
}

function rowsOf(costs: readonly Costs[]): Row[] {
  const [bare] = costs;
  return costs.map(({ name, cpu }) => ({
    name: `loopback, ${atATime} at a time: ${name}`,
    value: median(cpu) / 1_000,
    unit: 'µs of CPU',
    ...(cpu !== bare?.cpu && { ratio: ratioTo('bare', cpu, bare?.cpu ?? []) }),
  }));
}
