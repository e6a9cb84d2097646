/** Rounds of several subjects in turn, so that a slow moment of the machine slows all of them. */

export interface Row {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
}

export interface Measured {
  readonly name: string;
  /** Median of the rounds, in nanoseconds for one turn. */
  readonly ns: number;
  /** Half of the rounds are within this share of the median, either way. */
  readonly spread: number;
}

export interface Subject {
  readonly name: string;
  /** Does its work so many times. What it returns must depend on the work. */
  readonly work: (turns: number) => number;
}

const rounds = 31;

export function measure(subjects: readonly Subject[], turns: number): Measured[] {
  for (const { work } of subjects) work(turns);
  const times = subjects.map(() => [] as number[]);
  for (let round = 0; round < rounds; round += 1) {
    subjects.forEach(({ work }, index) => {
      times[index]?.push(timed(work, turns));
    });
  }
  return subjects.map(({ name }, index) => ({ name, ...summary(times[index] ?? []) }));
}

export interface AsyncSubject {
  readonly name: string;
  readonly work: (turns: number) => Promise<number>;
}

export interface Compared {
  readonly name: string;
  /** Median of the rounds, in nanoseconds of CPU for one turn. */
  readonly ns: number;
  /** Of the first subject's time in the same round: the median, and the quarters around it. */
  readonly ratio: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Work that takes turns of the event loop, in CPU time, where waiting for others costs nothing. Each round is
 * compared for itself, and another subject begins it. Many short rounds, since a machine's moods are long.
 */
export async function compareAsync(
  subjects: readonly AsyncSubject[],
  turns: number,
  rounds: number,
): Promise<Compared[]> {
  for (const { work } of subjects) await work(turns);
  const times = subjects.map(() => [] as number[]);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const index = (round + turn) % subjects.length;
      const started = process.cpuUsage();
      sink += (await subjects[index]?.work(turns)) ?? 0;
      const { user, system } = process.cpuUsage(started);
      times[index]?.push(((user + system) * 1_000) / turns);
    }
  }
  return subjects.map(({ name }, index) => {
    const own = times[index] ?? [];
    const ratios = own.map((ns, round) => ns / (times[0]?.[round] ?? Number.NaN));
    const [from, ratio, to] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share)) as [
      number,
      number,
      number,
    ];
    return { name, ns: quantile(own, 0.5), ratio, from, to };
  });
}

let sink = 0;

function timed(work: Subject['work'], turns: number): number {
  const started = process.hrtime.bigint();
  sink += work(turns);
  return Number(process.hrtime.bigint() - started) / turns;
}

function summary(values: readonly number[]): { ns: number; spread: number } {
  const ns = quantile(values, 0.5);
  const deviations = values.map((value) => Math.abs(value - ns));
  return { ns, spread: quantile(deviations, 0.5) / ns };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** Keeps the optimiser from seeing that nobody needs the results. */
export function used(): number {
  return sink;
}

/** The least of several rounds: whatever else allocates only adds. Needs `--expose-gc`. */
export function bytesPerTurn(work: () => number, turns: number): number {
  const found = Array.from({ length: 9 }, () => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    sink += work();
    return (process.memoryUsage().heapUsed - before) / turns;
  });
  return Math.min(...found);
}
