/** What a report holds, as plain JSON: every page has it inside, and `undaunted simulate --json` prints it with the verdict. */

import type { PolicyOptions } from '../../index.js';
import type { Contender, Run, SimulatedWorld, Trace } from '../sim/index.js';
import type { Scenario } from '../sim/internal.js';
import { contenderNamed, simulateBySecond } from '../sim/internal.js';

export interface Report extends Comparison {
  readonly format: 1;
  readonly seed: number;
  /** What a lab without runs shows first, as the part of an address after its `#`. */
  readonly link?: string;
}

export interface Comparison {
  readonly scenario: Scenario;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly name: string;
  /** Absent: the name says it all, and may stand for another library, which no policy describes. */
  readonly policy?: PolicyOptions;
  readonly run: RunReport;
}

/** A policy that is to run in the scenario. */
export type Candidate = Omit<Entry, 'run'>;

/** A run with lists in place of typed arrays. Series are by the second, and have whole seconds only. */
export interface RunReport {
  readonly totals: Run['totals'];
  /** Without the guilty requests; the same as `totals` where there are none. */
  readonly innocent: Run['totals'];
  readonly series: Readonly<Record<keyof Run['series'], readonly number[]>>;
  /** By the second: the longest duration of the requests that succeeded in it; 0 if none did. */
  readonly slowestMs: readonly number[];
  readonly services: readonly ServiceReport[];
  readonly events: number;
}

interface ServiceReport {
  readonly arrived: readonly number[];
  readonly concurrency: readonly number[];
  readonly delayMs: readonly number[];
}

export interface Circumstances {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly trace?: Trace;
}

export function runCandidate(candidate: Candidate, circumstances: Circumstances): RunReport {
  const run = runBySecond(candidate, circumstances);
  for (let step = run.next(); ; step = run.next()) if (step.done === true) return step.value;
}

/** The same in steps, each of which yields how much of the run is done, from 0 to 1. */
export function* runBySecond(
  { name, policy }: Candidate,
  { scenario, seed, trace }: Circumstances,
): Generator<number, RunReport> {
  const { durationMs } = scenario.world;
  const contender = policy ?? known(name);
  const options = trace === undefined ? { seed } : { seed, trace };
  const steps = simulateBySecond(worldOf(scenario), scenario.clients, contender, options);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return reportOn(step.value, Math.floor(durationMs / 1_000));
    yield step.value / durationMs;
  }
}

function worldOf({ world }: Scenario): SimulatedWorld {
  const [first, ...others] = world.services.map(({ policy, ...service }) =>
    policy === undefined
      ? service
      : { ...service, policy: typeof policy === 'string' ? known(policy) : policy },
  );
  if (first === undefined) throw new TypeError('A world has at least one service');
  return { ...world, services: [first, ...others] };
}

function known(name: string): Contender {
  const contender = contenderNamed(name);
  if (contender === undefined) throw new RangeError(`No policy is called "${name}"`);
  return contender;
}

function reportOn(
  { totals, innocent, series, slowestMs, services, events }: Run,
  seconds: number,
): RunReport {
  // Half a second at the end would look like a collapse.
  const listOf = (values: Float64Array): number[] => Array.from(values.subarray(0, seconds), rounded);
  const { offered, sent, firstTries, retries, hedges, hedgesWon, timedOut, forbidden } = series;
  const { good, goodOfOffered, failed, refused, aborted } = series;
  return {
    totals,
    innocent: innocent.totals,
    series: {
      offered: listOf(offered),
      sent: listOf(sent),
      firstTries: listOf(firstTries),
      retries: listOf(retries),
      hedges: listOf(hedges),
      hedgesWon: listOf(hedgesWon),
      good: listOf(good),
      goodOfOffered: listOf(goodOfOffered),
      failed: listOf(failed),
      timedOut: listOf(timedOut),
      refused: listOf(refused),
      aborted: listOf(aborted),
      forbidden: listOf(forbidden),
    },
    slowestMs: listOf(slowestMs),
    services: services.map(({ arrived, concurrency, delayMs }) => ({
      arrived: listOf(arrived),
      concurrency: listOf(concurrency),
      delayMs: listOf(delayMs),
    })),
    events,
  };
}

/** To the microsecond: more digits would only make the page longer. */
function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
