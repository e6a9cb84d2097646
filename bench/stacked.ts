/**
 * A realistic policy of ours beside what people stack by hand around undici's request: a retry, a breaker and a time
 * limit. From memory and over loopback, each in a process of its own.
 */

import { cpuApart } from './apart.js';
import { rowsBesideBare } from './beside-bare.js';
import { type CpuCosts, median, perRound, ratioTo, type Series } from './measure.js';
import { rowsOfMissing, type Scratch, withPackages } from './packages.js';
import type { Row } from './row.js';
import { names, packages } from './stacked-contestants.js';
import { withSmallServer } from './with-small-server.js';

const rounds = 9;
/** Over loopback. */
export const atATime = 16;

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
  const [bare, ...others] = await costsApart(scratch);
  const added = others.map(({ name, cpu }) => ({
    name,
    ns: perRound(cpu, bare?.cpu ?? [], (value, least) => value - least),
  }));
  const service: Series = added.find(({ name }) => name === names.service)?.ns ?? [];
  const what = (name: string): string => `from memory: ${name} adds to a request`;
  return added.flatMap(({ name, ns }): Row[] => {
    const row = { name: what(name), value: median(ns) / 1_000, unit: 'µs' };
    if (name === names.service || name === names.defaults) return [row];
    const atMost = (atMostOf as Readonly<Record<string, number>>)[name];
    const ratio = ratioTo(`what ${name} adds`, service, ns);
    const ours = { name: what(names.service), value: median(service) / 1_000, unit: 'µs', ratio };
    return [row, { ...ours, ...(atMost !== undefined && { atMost }) }];
  });
}

function overLoopback(scratch: Scratch): Promise<Row[]> {
  return withSmallServer(async (origin) =>
    rowsBesideBare(`loopback, ${atATime} at a time`, await costsApart(scratch, [origin])),
  );
}

/** Each in a process of its own. */
function costsApart(scratch: Scratch, origin: readonly string[] = []): Promise<CpuCosts[]> {
  const isMissing = (name: string): boolean => scratch.missing.some((one) => name.startsWith(one.name));
  const there = Object.values(names).filter((name) => !isMissing(name));
  return cpuApart('./stacked-variant.js', there, [JSON.stringify(scratch), ...origin], rounds);
}
