/**
 * Measures each variant of something in a process of its own: what one makes the compiler believe, another one would pay
 * for. Nothing forces a collection, since that throws optimised code away.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { amountOf, type CpuCosts, cpuSince, measureRounds, type Series } from './measure.js';

/** The cost of one turn, without waiting. */
export interface Measured {
  readonly ns: number;
  readonly bytes: number;
}

/** In another process, which runs this module with these arguments and calls `tell`, or `report` with what it has measured. */
export async function measuredApart<Found = Measured>(
  module: string,
  given: readonly string[],
): Promise<Found> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), given);
  const result = once(child, 'message').then(([message]) => message as Found);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`"${given[0]}" ended with exit code ${code} before it had a result`);
  });
  return Promise.race([result, failed]);
}

/** The CPU time of each, round by round; the processes run this module with its name and these arguments. */
export async function cpuApart(
  module: string,
  names: readonly string[],
  given: readonly string[],
  rounds: number,
): Promise<CpuCosts[]> {
  const found = await measureRounds(
    names.map((name) => async () => (await measuredApart(module, [name, ...given])).ns),
    rounds,
  );
  return names.map((name, index) => ({ name, cpu: found[index] ?? [] }));
}

const warmUps = amountOf(30);
const batches = amountOf(40);

/**
 * In that process: uses twice what the young generation takes at most. Memory costs much when it is touched for the first
 * time, and a variant that makes little would still do so while it is measured: the bare one most of all, so that others
 * would add less.
 */
export function touchYoungMemory(): void {
  const bytes = 80_000;
  let made: unknown[] = [];
  for (let touched = 0; touched < amountOf(2 ** 30); touched += bytes)
    made = new Array(bytes / 8).fill(made.length);
}

/** In that process: what a batch of so many turns costs. */
export async function costOf(work: (turns: number) => Promise<unknown>, turns: number): Promise<Measured> {
  const before = process.memoryUsage().heapUsed;
  const started = process.cpuUsage();
  await work(turns);
  const ns = cpuSince(started) / turns;
  return { ns, bytes: (process.memoryUsage().heapUsed - before) / turns };
}

/** In that process: measures the work, and tells the other one. */
export async function tell(work: (turns: number) => Promise<unknown>, turns: number): Promise<void> {
  touchYoungMemory();
  for (let batch = 0; batch < warmUps; batch += 1) await work(turns);
  const found: Measured[] = [];
  for (let batch = 0; batch < batches; batch += 1) found.push(await costOf(work, turns));
  reportCost(
    found.map((one) => one.ns),
    found.map((one) => one.bytes),
  );
}

/** In that process: ends it with the cost that these batches of it show. */
export function reportCost(nsOfBatches: Series, bytesOfBatches: Series): void {
  const ns = nsOfBatches.toSorted((a, b) => a - b);
  // A collection in the middle of a batch takes more away than the batch has made.
  const bytes = bytesOfBatches.filter((value) => value > 0).toSorted((a, b) => a - b);
  const cost: Measured = {
    // The lower quartile: whatever else the machine does can only add to it.
    ns: ns[Math.floor(ns.length / 4)] ?? Number.NaN,
    bytes: bytes[Math.floor(bytes.length / 2)] ?? Number.NaN,
  };
  report(cost);
}

/** In that process: ends it with this result. */
export function report(found: unknown): void {
  process.send?.(found, () => process.exit());
}

/** In that process: the one that it was asked for. */
export function contestantIn<One extends { readonly name: string }>(
  all: readonly One[],
  name: string | undefined,
): One {
  const contestant = all.find((one) => one.name === name);
  if (contestant === undefined) throw new Error(`There is no contestant called "${name}"`);
  return contestant;
}
