/** Runs of scenarios, and the invariants of each. Violations are printed with the way to replay them. */

import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { type BeforeRetry, type PolicyOptions, presets } from '../../src/index.js';
import { comesTrue } from '../adapters/kit.js';
import type { ClientKind } from './clients.js';
import { complaintsAbout } from './judge.js';
import { Login } from './login.js';
import { bodyBytes } from './orders.js';
import { ProcessWatch } from './process-watch.js';
import { lanesFor, Run } from './run.js';
import type { Scenario } from './scenarios.js';
import { keyingRule, type Trial } from './trial.js';

const { CHAOS_SEED, CHAOS_REQUESTS } = process.env;
export const isLong: boolean = CHAOS_REQUESTS !== undefined;

/** A long run looks for new bugs; the short one, part of every test run, is always the same. */
export const seed: number = Number(CHAOS_SEED ?? (isLong ? Date.now() % 2 ** 31 : 1));
/** The requests of a run; fewer where there is less to find. */
export const many: number = Number(CHAOS_REQUESTS ?? 150);
export const fewer: number = Math.ceil(many / (isLong ? 4 : 2));

/** A hang: nothing else takes nearly as long. */
const foreverMs = 120_000;
export const limits = { timeout: foreverMs + 30_000 };
/** More complaints would tell little more. */
const mostComplaints = 10;

const quickly = { kind: 'exponential', firstMs: 5, factor: 2, maxMs: 200, jitter: 'equal' } as const;

/** Retries everything that it may, for long: a wrong retry would show. */
const persistent: PolicyOptions = {
  maxRetries: 30,
  deadlineMs: 20_000,
  deadlineCovers: 'body',
  attemptTimeoutMs: 300,
  schedule: quickly,
  throttledSchedule: quickly,
  budget: false,
  rules: [keyingRule],
};

/**
 * The policy that a backend should use, a little faster. While attempts hang for their time, there are fewer probes, and
 * kinds of requests to try, than lanes: a shut gate turns some away.
 */
const service: PolicyOptions = {
  ...presets.policies.service,
  attemptTimeoutMs: 300,
  gate: { failures: 2, deadForMs: 0, probeMs: 100, rampMs: 40 },
  hold: { refusedShare: 0, minMs: 20, spacingMs: 5 },
  rules: [keyingRule],
};

/** Hedges reads often, and learns how long attempts may take. */
const hedging: PolicyOptions = {
  ...persistent,
  attemptTimeoutMs: { quantile: 0.9, factor: 4, minMs: 50, maxMs: 300 },
  budget: { capacity: 10_000 },
  hedge: { afterMs: 25, share: 1, capacity: 20 },
};

const whole = { wholeBodyBytes: 2 * bodyBytes, wholeBodyMs: 5_000 } as const satisfies PolicyOptions;

/** Plays a scenario with the persistent policy. */
export async function endure(kind: ClientKind, scenario: Scenario, requests: number): Promise<void> {
  const run = new Run({ kind, scenario, policy: { ...persistent, ...kind.policy }, requests, seed });
  expectNone(await complaintsOf(run));
  if (scenario.canBeMended) expect(run.trials.filter(isMended).length).toBeGreaterThan(0);
  const mendsWrites = scenario.mendsWrites === 'always' || (scenario.mendsWrites === 'mostly' && isLong);
  if (mendsWrites) expect(run.trials.filter(isMendedWrite).length).toBeGreaterThan(0);
  const leavesDoubt = scenario.leavesDoubt === 'always' || (scenario.leavesDoubt === 'mostly' && isLong);
  if (leavesDoubt) expect(run.trials.filter(isInDoubt).length).toBeGreaterThan(0);
}

/** Fewer than there are lanes. */
const mostInFlight = 8;

/** Plays a scenario in which answers wait until their bodies are whole: no body that broke off reaches a reader. */
export async function endureWhole(kind: ClientKind, scenario: Scenario, requests: number): Promise<void> {
  const policy = { ...persistent, ...kind.policy, ...whole };
  const run = new Run({ kind, scenario, policy, requests, seed });
  expectNone(await complaintsOf(run));
  expect(run.trials.filter(isMended).length).toBeGreaterThan(0);
  expect(run.trials.filter(({ manner, isDone }) => manner === 'read' && !isDone)).toEqual([]);
}

/**
 * Plays a scenario in which tokens expire all the time, and attempts wait for their places: no request is lost that a
 * renewed token would have carried, each token is renewed once, and every place is given back.
 */
export async function endureExpiry(kind: ClientKind, scenario: Scenario, requests: number): Promise<void> {
  const login = new Login();
  const { does, late } = scenario.misbehaviour;
  const wantsHedges = late !== undefined;
  // A hedge needs a place that no other attempt waits for.
  const limit = wantsHedges ? 2 * lanesFor(requests) : mostInFlight;
  const policy: PolicyOptions = {
    ...(wantsHedges ? hedging : persistent),
    ...(does === 'cuts bodies' && whole),
    ...kind.policy,
    credentials: login.credentials,
    concurrency: { limit, maxQueueMs: 10_000 },
  };
  const run = new Run({ kind, scenario, policy, requests, seed, wantsHedges, tokenUses: 2 * limit });
  const complaints = await complaintsOf(run);
  expectNone([...login.complaints(run.lines), ...complaints]);
  expect(login.renewals).toBeGreaterThan(0);
  if (wantsHedges) expect(run.hedges).toBeGreaterThan(0);
  expect(run.trials.filter(isMendedWrite).length).toBeGreaterThan(0);
  if (isLong) console.log(`chaos: ${login.renewals} renewals`);
}

/** Plays a scenario behind a gate and under a hold. */
export async function endureGuarded(kind: ClientKind, scenario: Scenario, requests: number): Promise<void> {
  const wantsTurnedAway = scenario.shutsGates;
  const run = new Run({ kind, scenario, policy: service, requests, seed, wantsTurnedAway });
  expectNone(await complaintsOf(run));
  if (wantsTurnedAway)
    expect(run.trials.filter(({ isTurnedAway }) => isTurnedAway).length).toBeGreaterThan(0);
}

/** Plays a scenario with hedges and timeouts that are learnt. */
export async function endureHedged(kind: ClientKind, scenario: Scenario, requests: number): Promise<void> {
  // After a 429 there is none for seconds.
  const wantsHedges = scenario.misbehaviour.does !== 'throttles';
  const run = new Run({
    ...{ kind, scenario, requests, seed, wantsHedges },
    policy: { ...hedging, ...kind.policy },
  });
  expectNone(await complaintsOf(run));
  if (wantsHedges) expect(run.hedges).toBeGreaterThan(0);
}

/**
 * Plays a scenario with a policy that breaks every promise (it repeats all writes, each time under a new key), and
 * returns the complaints.
 */
export function breakPromises(kind: ClientKind, scenario: Scenario, requests: number): Promise<string[]> {
  let keys = 0;
  const beforeRetry: BeforeRetry = ({ headers }) => {
    keys += 1;
    if (headers['idempotency-key'] !== undefined) headers['idempotency-key'] = `another ${keys}`;
  };
  const policy: PolicyOptions = { ...persistent, idempotent: true, beforeRetry };
  return complaintsOf(new Run({ kind, scenario, policy, requests, seed }));
}

function isMended({ isDone, retries }: Trial): boolean {
  return isDone && retries > 0;
}

function isMendedWrite(trial: Trial): boolean {
  return trial.manner === 'write' && isMended(trial);
}

function isInDoubt({ manner, isDone, decisions }: Trial): boolean {
  return manner === 'write' && !isDone && decisions.at(-1)?.finding.evidence === 'unknown';
}

/** The complaints about a run once it has been played. */
async function complaintsOf(run: Run): Promise<string[]> {
  const watch = new ProcessWatch();
  const complaints = await whyNotPlayed(run);
  complaints.push(...complaintsAbout(run.trials, run.lines), ...watch.heard);
  const { timers } = run;
  if (!(await comesTrue(() => timers.pending === 0))) complaints.push(`${timers.pending} timers are set`);
  const waiting = run.snapshot().scopes.filter((scope) => scope.waiting > 0).length;
  if (waiting > 0) complaints.push(`${waiting} scopes count requests that wait`);
  const places = run.snapshot().scopes.flatMap(({ concurrencies = [] }) => concurrencies);
  const taken = places.reduce((sum, { inFlight, waiting: queued }) => sum + inFlight + queued, 0);
  if (taken > 0) complaints.push(`${taken} places of attempts in flight are not given back`);
  const listeners = getEventListeners(run.caller.signal, 'abort').length;
  if (listeners > 0) complaints.push(`${listeners} listeners are left on the signal of all requests`);
  if (!(await comesTrue(() => watch.leftovers().length === 0))) {
    complaints.push(`left open: ${watch.leftovers().join(', ')}`);
  }
  if (isLong) console.log(`chaos: ${run}`);
  return complaints;
}

async function whyNotPlayed(run: Run): Promise<string[]> {
  const played = new AbortController();
  const { signal } = played;
  const hangs = setTimeout(foreverMs, ['it hangs'], { signal });
  try {
    return await Promise.race([run.play().then(() => []), hangs]);
  } catch (error) {
    return [`it broke off: ${error instanceof Error ? error.stack : error}`];
  } finally {
    played.abort();
  }
}

function expectNone(complaints: readonly string[]): void {
  if (complaints.length === 0) return;
  const again = `again: CHAOS_SEED=${seed} CHAOS_REQUESTS=${many} npm run test:chaos`;
  expect.fail([...complaints.slice(0, mostComplaints), again].join('\n'));
}
