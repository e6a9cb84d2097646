/**
 * Rounds in which several subjects take turns, so that a slow moment of the machine affects all of them. Each round
 * starts with another subject. There are many short rounds, because slow moments last long.
 */

import type { Ratio } from './row.js';

export interface Subject {
  readonly name: string;
  /** Does its work that many times. The result must depend on the work. */
  readonly work: (turns: number) => number;
}

export interface AsyncSubject {
  readonly name: string;
  readonly work: (turns: number) => Promise<number>;
}

/** For each round, the value of one turn. */
export type Series = readonly number[];

export interface Costs {
  readonly name: string;
  /** CPU time in nanoseconds, without waiting. */
  readonly cpu: Series;
  /** Elapsed time in nanoseconds; turns at the same time share it. */
  readonly elapsed: Series;
}

const usualRounds = 31;

/** The wanted number of rounds, or fewer if the run is only a check that everything works. */
export function roundsOf(wanted: number): number {
  return Math.min(wanted, Number(process.env['BENCH_ROUNDS'] ?? wanted));
}

/** How much of something big a round has: a tenth if the run is only a check that everything works. */
export function amountOf(wanted: number): number {
  return process.env['BENCH_ROUNDS'] === undefined ? wanted : wanted / 10;
}

/** Measures a piece of work in nanoseconds or bytes. */
export type Gauge = (work: () => number) => number;

export function measure(
  subjects: readonly Subject[],
  turns: number,
  gauge: Gauge = nanoseconds,
  wanted = usualRounds,
): Series[] {
  for (let warmUp = 0; warmUp < 3; warmUp += 1) for (const { work } of subjects) work(turns);
  const found = subjects.map(() => [] as number[]);
  const rounds = roundsOf(wanted);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of orderOf(subjects, round)) {
      found[index]?.push(gauge(() => subjects[index]?.work(turns) ?? 0) / turns);
    }
  }
  return found;
}

export const nanoseconds: Gauge = (work) => {
  const started = process.hrtime.bigint();
  sink += work();
  return Number(process.hrtime.bigint() - started);
};

/** Bytes allocated, if the young generation is not collected meanwhile. Needs `--expose-gc` and a large one. */
export const bytes: Gauge = (work) => {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  sink += work();
  return process.memoryUsage().heapUsed - before;
};

/** Measures asynchronous work. */
export type AsyncGauge = (work: () => Promise<number>) => Promise<number>;

/** In nanoseconds, on all threads. */
export const cpuTime: AsyncGauge = async (work) => {
  const started = process.cpuUsage();
  sink += await work();
  return cpuSince(started);
};

/** Like `bytes`. */
export const allocated: AsyncGauge = async (work) => {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  sink += await work();
  return process.memoryUsage().heapUsed - before;
};

export async function measureWork(
  subjects: readonly AsyncSubject[],
  turns: number,
  gauge: AsyncGauge,
  wanted: number,
): Promise<Series[]> {
  for (let warmUp = 0; warmUp < 3; warmUp += 1) for (const { work } of subjects) await work(turns);
  const gauges = subjects.map(
    ({ work }) =>
      async () =>
        (await gauge(() => work(turns))) / turns,
  );
  return measureRounds(gauges, wanted);
}

/** Without the time that passed. */
export type CpuCosts = Pick<Costs, 'name' | 'cpu'>;

/** Measures work that takes turns of the event loop. */
export async function measureAsync(
  subjects: readonly AsyncSubject[],
  turns: number,
  wanted: number,
): Promise<Costs[]> {
  for (const { work } of subjects) await work(turns);
  const gauges = subjects.map(({ work }) => async () => {
    const cpu = process.cpuUsage();
    const started = process.hrtime.bigint();
    sink += await work(turns);
    return { elapsed: Number(process.hrtime.bigint() - started) / turns, cpu: cpuSince(cpu) / turns };
  });
  const found = await measureRounds(gauges, wanted);
  return subjects.map(({ name }, index) => ({
    name,
    cpu: (found[index] ?? []).map(({ cpu }) => cpu),
    elapsed: (found[index] ?? []).map(({ elapsed }) => elapsed),
  }));
}

/** The values of each gauge, round by round. */
export async function measureRounds<T>(
  gauges: readonly (() => Promise<T>)[],
  wanted: number,
): Promise<T[][]> {
  const found = gauges.map(() => [] as T[]);
  const rounds = roundsOf(wanted);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of orderOf(gauges, round)) {
      const value = await gauges[index]?.();
      if (value !== undefined) found[index]?.push(value);
    }
  }
  return found;
}

/** In nanoseconds. */
export function cpuSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) * 1_000;
}

function orderOf(subjects: readonly unknown[], round: number): number[] {
  return subjects.map((_, turn) => (round + turn) % subjects.length);
}

export function ratioTo(to: string, values: Series, peers: Series): Ratio {
  const ratios = perRound(values, peers, (value, peer) => value / peer);
  return {
    to,
    median: median(ratios),
    from: quantile(ratios, 0.25),
    until: quantile(ratios, 0.75),
    rounds: ratios.length,
  };
}

export function perRound(
  values: Series,
  others: Series,
  combine: (value: number, other: number) => number,
): Series {
  return values.map((value, round) => combine(value, others[round] ?? Number.NaN));
}

export function median(values: Series): number {
  return quantile(values, 0.5);
}

/** Half of the rounds differ from the median by at most this share of it. */
export function spreadOf(values: Series): number {
  const middle = median(values);
  return median(values.map((value) => Math.abs(value - middle))) / middle;
}

function quantile(values: Series, share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

let sink = 0;

/** Uses the results, so that the optimiser cannot remove the work. */
export function used(): number {
  return sink;
}
