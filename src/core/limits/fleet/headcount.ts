/** Counts processes, each once in a slice of time, when it first reports; two numbers are enough. */

export interface Census {
  readonly slice: number;
  readonly processes: number;
  readonly processesBefore: number;
}

export const noProcesses: Census = { slice: 0, processes: 0, processesBefore: 0 };

/** For counting processes: when this one was last counted (0: never), and how many there are. */
export interface Headcount {
  readonly slice: number;
  readonly processes: number;
}

const sliceMs = 15_000;

/** `countedIn`: the slice in which this process was last counted. */
export function counted(census: Census, countedIn: number, now: number): Census {
  const slice = sliceAt(now);
  const passed = slice - census.slice;
  const kept: Census =
    passed === 0 ? census : { slice, processes: 0, processesBefore: passed === 1 ? census.processes : 0 };
  return countedIn === slice ? kept : { ...kept, processes: kept.processes + 1 };
}

export function processesIn({ processes, processesBefore }: Census): number {
  return Math.max(1, processes, processesBefore);
}

/** The store's clock was set back: the record's times are in the future, so the record is useless. */
export function isAhead({ slice }: Census, now: number): boolean {
  return slice > sliceAt(now);
}

function sliceAt(now: number): number {
  return Math.floor(now / sliceMs) + 1;
}
