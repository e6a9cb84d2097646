/**
 * The figures by which policies are compared. All of them are rates: a share of the requests would mislead, because a
 * client whose request is refused at once comes back sooner and asks more often.
 */

import { listOf } from '../crowd.js';
import type { Totals } from '../run.js';
import { backAt } from '../run.js';
import type { Crowds, Fault, SimulatedWorld } from '../world.js';

export interface Figures {
  /** Requests that ended well, a second. Where some requests are guilty, `overall` is about the others. */
  readonly good: Rates;
  /** Attempts that reach the server that fails (or else the last one), a second. */
  readonly load: Rates;
  /**
   * From the end of the outage to the first ten whole seconds that have at least nine tenths of the good requests
   * before it. Undefined: never, or there was no outage.
   */
  readonly recoveredAfterMs: number | undefined;
  /** Requests that started, without the guilty ones. */
  readonly offered: number;
  /** How many of these succeeded. */
  readonly succeeded: number;
  /** How many of these failed, were refused by the gate or the hold, or were left by their callers. */
  readonly lost: number;
  /** Requests that the gate or the hold refused. */
  readonly refused: number;
  /** Attempts while the server had asked their process to send nothing; 0 where it asks only the guilty ones. */
  readonly forbidden: number;
  /** The share of the clients' attempts in the last ten seconds that are retries. */
  readonly retryShareAtEnd: number;
  /** How long requests took that succeeded, in milliseconds. Undefined: none did. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly p999Ms: number | undefined;
}

/** Rates a second. Undefined: there is no outage, or that part has no whole second. */
export interface Rates {
  readonly before: number | undefined;
  readonly during: number | undefined;
  /** In the ten seconds after the outage. */
  readonly after: number | undefined;
  /** In the last ten seconds of the run. */
  readonly atEnd: number;
  readonly overall: number;
}

/** A run, or what a report keeps of one. */
export interface PlayedRun {
  readonly totals: Totals;
  readonly innocent: Totals;
  readonly series: Readonly<Record<'good' | 'sent' | 'retries', ArrayLike<number>>>;
  readonly services: readonly { readonly arrived: ArrayLike<number> }[];
}

/** What is played, as far as figures depend on it: a scenario has names in place of policies. */
export interface PlayedScenario {
  readonly world: Pick<SimulatedWorld, 'durationMs'> & {
    readonly services: readonly { readonly faults?: readonly Fault[] }[];
  };
  readonly clients: Crowds;
}

/** The time in which something is wrong with the server, or in which it gets more requests than usual. */
export interface Outage {
  /** How sentences call it. */
  readonly name: 'outage' | 'surge';
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Undefined: there is none, or it lasts for less than a second, from the start of the run, or to its end. */
export function outageOf({ world, clients }: PlayedScenario): Outage | undefined {
  const faults = world.services.flatMap((service) => service.faults ?? []);
  const outage = faults.length > 0 ? aroundAll(faults) : surgeIn(clients);
  if (outage === undefined) return undefined;
  const { fromMs, untilMs } = outage;
  const isSeen = fromMs >= 1_000 && untilMs - fromMs >= 1_000 && world.durationMs - untilMs >= 1_000;
  return isSeen ? outage : undefined;
}

/** From the beginning of the first fault to the end of the last. */
function aroundAll(faults: readonly Fault[]): Outage {
  const fromMs = Math.min(...faults.map((fault) => fault.fromMs));
  const untilMs = Math.max(...faults.map((fault) => fault.fromMs + fault.forMs));
  return { name: 'outage', fromMs, untilMs };
}

/** From the first rate that is higher than the rate at the start, until that rate is back. */
function surgeIn(clients: Crowds): Outage | undefined {
  for (const crowd of listOf(clients)) {
    if (crowd.kind !== 'open' || typeof crowd.perSecond === 'number') continue;
    const rates = crowd.perSecond;
    const usual = rates[0]?.perSecond ?? 0;
    const begin = rates.findIndex(({ perSecond }) => perSecond > usual);
    const end = rates.findIndex(({ perSecond }, index) => index > begin && perSecond === usual);
    const [first, last] = [rates[begin], rates[end]];
    if (begin > 0 && first && last) return { name: 'surge', fromMs: first.fromMs, untilMs: last.fromMs };
  }
  return undefined;
}

// ---------------------------------------------------------------- what the series say

export function figuresOf(scenario: PlayedScenario, run: PlayedRun): Figures {
  const { series, totals, innocent } = run;
  const { offered, good: succeeded, failed, refused, aborted, p50Ms, p99Ms, p999Ms } = innocent;
  const seconds = Math.floor(scenario.world.durationMs / 1_000);
  const outage = outageOf(scenario);
  const good = ratesOf(series.good, seconds, outage);
  return {
    good: offered === totals.offered ? good : { ...good, overall: innocent.goodput },
    load: ratesOf(loadOf(scenario, run), seconds, outage),
    recoveredAfterMs: outage && recoveredAfter(series.good, seconds, outage),
    offered,
    succeeded,
    lost: failed + refused + aborted,
    refused: totals.refused,
    forbidden: offered === totals.offered ? totals.forbidden : 0,
    retryShareAtEnd: atEnd(series.retries, seconds) / Math.max(atEnd(series.sent, seconds), Number.EPSILON),
    p50Ms,
    p99Ms,
    p999Ms,
  };
}

/** The load on the service that fails, which includes the retries of the services before it. */
function loadOf({ world }: PlayedScenario, run: PlayedRun): ArrayLike<number> {
  const failing = world.services.findLastIndex(({ faults = [] }) => faults.length > 0);
  return run.services.at(failing)?.arrived ?? run.series.sent;
}

function recoveredAfter(
  good: ArrayLike<number>,
  seconds: number,
  { fromMs, untilMs }: Outage,
): number | undefined {
  const second = backAt((from, forMs) => rate(good, from / 1_000, (from + forMs) / 1_000), {
    normal: rate(good, 0, fromMs / 1_000),
    from: Math.ceil(untilMs / 1_000),
    to: seconds,
    window: windowSeconds,
  });
  return second === undefined ? undefined : second * 1_000 - untilMs;
}

function ratesOf(series: ArrayLike<number>, seconds: number, outage: Outage | undefined): Rates {
  const everything = { atEnd: atEnd(series, seconds), overall: rate(series, 0, seconds) };
  if (outage === undefined) return { before: undefined, during: undefined, after: undefined, ...everything };
  const [from, until] = [outage.fromMs / 1_000, outage.untilMs / 1_000];
  return {
    before: known(rate(series, 0, from)),
    during: known(rate(series, from, until)),
    after: known(rate(series, until, Math.min(until + windowSeconds, seconds))),
    ...everything,
  };
}

const windowSeconds = 10;

function atEnd(series: ArrayLike<number>, seconds: number): number {
  return rate(series, Math.max(0, seconds - windowSeconds), seconds);
}

/** The mean of the whole seconds between. */
function rate(series: ArrayLike<number>, from: number, until: number): number {
  const [first, end] = [Math.ceil(from), Math.floor(until)];
  let total = 0;
  for (let second = first; second < end; second += 1) total += series[second] ?? 0;
  return total / (end - first);
}

function known(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
