/**
 * Callers who leave at any moment: seeds choose the policy, what the server does and when the abort comes, and what has to
 * hold after an abort does hold. A failing script is printed with the way to replay it.
 */

import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createRetrier, type PolicyOptions, presets, type RequestEvent } from '../../../src/index.js';
import type { Sleep } from '../../../src/kernel/timers.js';
import { type Answer, answer, type Play, startLab } from '../../faults/lab.js';
import { brief } from '../decisions.js';
import { comesTrue, settled } from '../kit.js';
import type { Asked, Subject, Way } from '../suites/subject.js';
import { leftInFlight } from '../told-ends.js';
import { Dice } from './dice.js';
import { saveHedges } from './hedges.js';
import { listenToProcess } from './process.js';
import { fastTime, hangs } from './stage.js';

/** What is counted: the abort comes at the n-th. */
type Moment =
  /** In the listener that is told of it. */
  | 'event'
  /** In a function of the caller's. */
  | 'function'
  /** A timer was set, or is about to be heard of. */
  | 'timer set'
  | 'timer'
  | 'arrival'
  /** A turn of the event loop. */
  | 'turn';

type Does =
  | 'answers'
  | 'is busy'
  | 'is busy for a while'
  | 'hangs up'
  | 'resets'
  | 'is slow'
  | 'drips'
  | 'is silent';

interface Script {
  readonly way: number;
  /** Whether the policy's time runs faster, and is watched. */
  readonly isTimed: boolean;
  readonly policy: PolicyOptions;
  readonly functions: readonly ('retryIf' | 'schedule' | 'beforeRetry')[];
  /** What the server does with the attempts of each call; the last one repeats. */
  readonly calls: readonly { readonly method: 'GET' | 'PUT' | 'POST'; readonly plays: readonly Does[] }[];
  /** Of the first call. */
  readonly abort: { readonly at: Moment; readonly n: number };
}

function scriptOf(seed: number, number: number): Script {
  const dice = new Dice(seed, number);
  const isHedged = dice.chance(0.3);
  const isTimed = dice.chance(0.7);
  // Whatever the server does, this ends it.
  const attemptTimeoutMs = isTimed ? dice.oneOf([100, 400]) : 50;
  const policy: PolicyOptions = {
    maxRetries: dice.whole(1, 3),
    schedule: { kind: 'fixed', waitMs: dice.oneOf([0, 10, 50]), jitter: 'none' },
    throttledSchedule: { kind: 'fixed', waitMs: 20, jitter: 'none' },
    unsafeMethods: dice.oneOf(['never', 'refused']),
    ...(dice.chance(0.4) && { ...presets.policies.service, deadlineMs: 3_000 }),
    attemptTimeoutMs,
    ...(dice.chance(0.3) && { deadlineMs: dice.whole(attemptTimeoutMs, 500) }),
    ...(dice.chance(0.3) && { concurrency: isHedged ? 2 : dice.oneOf([1, 2]) }),
    ...(dice.chance(0.3) && { wholeBodyBytes: dice.oneOf([10, 10_000]), wholeBodyMs: dice.oneOf([10, 300]) }),
    ...(isHedged && { hedge: { afterMs: dice.oneOf([5, 20, 40]), share: 1, capacity: 20 } }),
  };
  const names = isHedged
    ? (['retryIf', 'schedule'] as const)
    : (['retryIf', 'schedule', 'beforeRetry'] as const);
  return {
    way: dice.whole(0, 99),
    isTimed,
    policy,
    functions: names.filter(() => dice.chance(0.3)),
    calls: dice.some(1, 3, () => ({
      method: dice.oneOf(['GET', 'GET', 'GET', 'PUT', 'POST']),
      plays: dice.some(1, 4, () => dice.oneOf(whatServersDo)),
    })),
    abort: { at: dice.oneOf(moments), n: dice.whole(1, 6) },
  };
}

/** Longer than anything that goes on once a request is over. */
const longMs = 2_000;

const moments: readonly Moment[] = ['event', 'event', 'function', 'timer set', 'timer', 'arrival', 'turn'];
const text = 'a'.repeat(2_000);

function slowly(ms: number, play: Answer): Answer {
  const [head, ...rest] = play.steps;
  return head === undefined ? play : { ...play, steps: [head, { do: 'wait', ms }, ...rest] };
}

const plays: Readonly<Record<Does, Play>> = {
  answers: answer(200, text),
  'is busy': answer(503, text),
  'is busy for a while': answer(429, 'later', { 'retry-after-ms': '30' }),
  'hangs up': { steps: [{ do: 'fin' }] },
  resets: { steps: [{ do: 'rst' }] },
  'is slow': { ...answer(200, text), steps: [{ do: 'wait', ms: 6 }, ...answer(200, text).steps] },
  drips: slowly(6, answer(200, text)),
  'is silent': { steps: [{ do: 'stall' }] },
};
const whatServersDo: readonly Does[] = [
  ...(['answers', 'answers', 'is busy', 'is busy', 'is busy for a while', 'hangs up', 'resets'] as const),
  ...(['is slow', 'is slow', 'drips', 'is silent'] as const),
];

// ---------------------------------------------------------------- playing

/** The caller who may leave, and what was known when it did. */
class Leaver {
  readonly aborter = new AbortController();
  readonly reason = new Error('the caller left');
  readonly events: RequestEvent[] = [];
  eventsBefore: number | undefined = undefined;
  isSettled = false;
  readonly #abort: Script['abort'];
  #heard = 0;

  constructor(abort: Script['abort']) {
    this.#abort = abort;
  }

  hear(moment: Moment): void {
    if (moment !== this.#abort.at) return;
    this.#heard += 1;
    if (this.#heard !== this.#abort.n || this.isSettled) return;
    this.eventsBefore = this.events.length;
    this.aborter.abort(this.reason);
  }
}

interface Played {
  readonly complaints: readonly string[];
  readonly hasLeft: boolean;
}

async function play(script: Script, way: Way, subject: Subject): Promise<Played> {
  const leaver = new Leaver(script.abort);
  const events: RequestEvent[][] = script.calls.map((_, index) => (index === 0 ? leaver.events : []));
  await using lab = await startLab(({ path }) => {
    const index = Number(path.slice(1));
    const { plays: all = [] } = script.calls[index] ?? {};
    const arrived = lab.requests.filter((each) => each.path === path).length;
    if (index === 0) leaver.hear('arrival');
    return plays[all[Math.min(arrived, all.length) - 1] ?? 'answers'];
  });
  const time = fastTime();
  const long: Set<() => void> = new Set();
  const sleep: Sleep = (ms, wake, options) => {
    queueMicrotask(() => leaver.hear('timer set'));
    let isCancelled = false;
    const woken = (): void => {
      long.delete(woken);
      leaver.hear('timer');
      if (!isCancelled) wake();
    };
    const cancel = time.ports.sleep(ms, woken, options);
    if (ms > longMs) long.add(woken);
    return () => {
      isCancelled = true;
      long.delete(woken);
      cancel();
    };
  };
  const observe = (event: RequestEvent): void => {
    const index = Number(new URL(event.request.url).pathname.slice(1));
    events[index]?.push(event);
    if (index === 0) leaver.hear('event');
  };
  const calling =
    <Result>(result: Result) =>
    (): Result => {
      leaver.hear('function');
      return result;
    };
  const functions: PolicyOptions = {
    ...(script.functions.includes('retryIf') && { retryIf: calling(undefined) }),
    ...(script.functions.includes('schedule') && { schedule: calling(10) }),
    ...(script.functions.includes('beforeRetry') && { beforeRetry: calling(undefined) }),
  };
  const policy = { ...script.policy, ...functions, observe: (event: RequestEvent) => told(event) };
  let told = (_event: RequestEvent): void => undefined;
  const retrier = createRetrier(policy, script.isTimed ? { now: time.ports.now, sleep } : {});
  saveHedges(retrier, lab.origin);
  told = observe;

  const send = way.client(retrier);
  const results = script.calls.map(({ method }, index) => {
    const asked: Asked = { method, ...(method !== 'GET' && { body: 'hello' }) };
    return settled(
      send(`${lab.origin}/${index}`, index === 0 ? { ...asked, signal: leaver.aborter.signal } : asked),
    );
  });
  const first = results[0]?.finally(() => {
    leaver.isSettled = true;
  });
  void turning(leaver);
  const complaints = await hangs('a call', Promise.all(results));
  const { error } = (await first) ?? {};
  const left = (): readonly string[] => [
    ...(time.pending > 0 ? [`${time.pending} timers are set`] : []),
    ...(leftInFlight(retrier) === undefined ? [] : [String(leftInFlight(retrier))]),
    ...(way.keepsListening === true || listenersOf(leaver) === 0 ? [] : [`${listenersOf(leaver)} listeners`]),
  ];
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  if (long.size > 0) complaints.push(`${long.size} long timers are set`);
  await comesTrue(() => left().length === 0);
  complaints.push(...left());
  for (const [index, each] of events.entries())
    complaints.push(...aboutTheEnd(each, index > 0).map((complaint) => `call ${index}: ${complaint}`));
  const arrived = lab.requests.filter(({ path }) => path === '/0').length;
  complaints.push(...aboutTheAbort(leaver, error, arrived, subject, script.abort.at));
  return { complaints, hasLeft: leaver.eventsBefore !== undefined };
}

async function turning(leaver: Leaver): Promise<void> {
  while (!leaver.isSettled) {
    await new Promise(setImmediate);
    leaver.hear('turn');
  }
}

function listenersOf({ aborter }: Leaver): number {
  return getEventListeners(aborter.signal, 'abort').length;
}

// ---------------------------------------------------------------- what holds

function aboutTheEnd(events: readonly RequestEvent[], isBegun: boolean): string[] {
  const told = events.map(brief);
  const ends = events.filter(({ type }) => type === 'settled').length;
  // A request that is aborted before it begins has nothing to tell.
  if (events.length === 0 && !isBegun) return [];
  if (ends !== 1) return [`settled ${ends} times: ${told.join(', ')}`];
  return events.at(-1)?.type === 'settled' ? [] : [`something after the end: ${told.join(', ')}`];
}

function* aboutTheAbort(
  { events, eventsBefore, reason }: Leaver,
  error: unknown,
  arrived: number,
  { unwrapped, abortCode, name }: Subject,
  at: Moment,
): Generator<string> {
  if (eventsBefore === undefined) return;
  const [before, after] = [events.slice(0, eventsBefore), events.slice(eventsBefore)];
  // A schedule is asked for the sake of a decision, which is told before the end.
  const isAsked = at === 'function' && after[0]?.type === 'decision';
  const told = `${before.map(brief).join(', ')} | ${after.map(brief).join(', ')}`;
  if (after.slice(isAsked ? 1 : 0).some(sendsAnother)) yield `an attempt after the abort: ${told}`;
  const begun = 1 + before.filter(sendsAnother).length;
  if (arrived > begun) yield `${arrived} arrivals, ${begun} had begun: ${told}`;
  // What the caller gets was certain before.
  if (before.some(ends)) return;
  const given = unwrapped?.(error) ?? error;
  const isTheirs = name === 'axios' ? Object(given).code === abortCode : given === reason;
  if (!isTheirs) yield `aborted, and got ${String(error)}: ${told}`;
}

function sendsAnother(event: RequestEvent): boolean {
  return event.type === 'hedge' || (event.type === 'decision' && event.decision.action === 'retry');
}

function ends(event: RequestEvent): boolean {
  return event.type === 'settled' || (event.type === 'decision' && event.decision.action === 'stop');
}

// ---------------------------------------------------------------- all of them

const { FUZZ_SEED, FUZZ_RUNS, ABORTS_ONLY } = process.env;
/** A long run looks for new bugs; the short one is always the same. */
const seed = Number(FUZZ_SEED ?? (FUZZ_RUNS === undefined ? 1 : Date.now() % 2 ** 31));
const lanes = 16;
const mostFailures = 5;

/** Those of a long run, of which there are fewer than of the other scripts. */
const abortRuns: number = FUZZ_RUNS === undefined ? 30 : Number(FUZZ_RUNS) / 10;

/** To be called once, at the top of a file in the adapter's folder. */
export function abortsAnywhere(subject: Subject, runs: number = abortRuns): void {
  const first = Number(ABORTS_ONLY ?? 0);
  const end = first + (ABORTS_ONLY === undefined ? runs : 1);
  test(`${subject.name}: an abort at any moment ends all, seed ${seed}`, { timeout: 3_600_000 }, async () => {
    const failures: string[] = [];
    onTestFinished(listenToProcess((what) => failures.push(what)));
    let next = first;
    let left = 0;
    const lane = async (): Promise<void> => {
      while (next < end && failures.length < mostFailures) {
        const number = next;
        next += 1;
        const script = scriptOf(seed, number);
        const way = subject.ways[script.way % subject.ways.length] ?? subject.ways[0];
        const { complaints, hasLeft } = await play(script, way, subject);
        if (hasLeft) left += 1;
        if (complaints.length === 0) continue;
        const again = `FUZZ_SEED=${seed} ABORTS_ONLY=${number} npx vitest run test/adapters/${subject.name}/abort-anywhere.test.ts`;
        failures.push(
          [`script ${number}, ${way.name}:`, ...complaints, JSON.stringify(script), again].join('\n  '),
        );
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    if (failures.length > 0) expect.fail(failures.join('\n\n'));
    // One that never reaches its moment proves nothing.
    if (ABORTS_ONLY === undefined) expect(left).toBeGreaterThan(runs / 3);
  });
}
