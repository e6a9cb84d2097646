/** Plays one script to its end, and says what was wrong with it. */

import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { retry } from '../../../src/adapters/undici/index.js';
import type { BeforeRetry, RetryIf } from '../../../src/core/events.js';
import { createRetrier, type Retrier } from '../../../src/runtime/retrier.js';
import { Sources } from './fuzz-body.js';
import { type Got, type Hands, make } from './fuzz-caller.js';
import { mustSucceed } from './fuzz-expected.js';
import { complaintsAbout } from './fuzz-oracle.js';
import type { AbortMoment, BeforeRetryName, FuzzCall, FuzzScript, RetryIfName } from './fuzz-script.js';
import { type Arrived, pathOf, Sockets, type Stage } from './fuzz-stage.js';
import { FastTime } from './fuzz-time.js';
import { Witness } from './fuzz-witness.js';

/** Everything known about a call that is over. */
export interface Trial {
  readonly call: FuzzCall;
  readonly witness: Witness;
  readonly arrivals: readonly Arrived[];
  readonly got: Got;
  /** What it had sent when it was aborted. */
  readonly attemptsAtAbort: number | undefined;
}

export interface Verdict {
  readonly complaints: readonly string[];
  readonly trials: readonly Trial[];
}

/** What hangs takes forever; nothing else takes nearly so long. */
const forever = 10_000;

export async function run(script: FuzzScript, stage: Stage): Promise<Verdict> {
  const { arrivals } = stage.set(script);
  const calls: RunningCall[] = [];
  const time = new FastTime(() => {
    for (const each of calls) each.hearOfWait();
  });
  const sockets = new Sockets(script.agent);
  const retrier = createRetrier({ ...script.policy, ...hooksOf(script) }, time.ports);
  const complaints: string[] = [];
  for (const [number, call] of script.calls.entries()) {
    calls.push(new RunningCall(call, number, stage.lab.origin, retrier));
  }

  const dispatched = async (): Promise<void> => {
    if (script.together) await Promise.all(calls.map((each) => each.run(sockets.agent)));
    else for (const each of calls) await each.run(sockets.agent);
  };
  if (!(await inTime(dispatched()))) complaints.push('a call hangs');
  // Some callers have gone before their request was told; close() waits for it, and destroy() tells it.
  const ended = script.ends === 'close' ? sockets.agent.close() : sockets.agent.destroy();
  if (!(await inTime(ended))) complaints.push(`${script.ends}() hangs`);
  if (!(await inTime(sockets.agent.destroy()))) complaints.push('destroy() at last hangs');
  if (!(await inTime(sockets.closed()))) complaints.push('the client has open sockets');
  if (!(await inTime(stage.lab.until(({ openSockets }) => openSockets === 0)))) {
    complaints.push('the server has open sockets');
  }
  await setImmediate();

  if (time.pending > 0) complaints.push(`${time.pending} timers are set`);
  const trials = calls.map((each, number) => each.trial(arrivals[number] ?? []));
  for (const [number, trial] of trials.entries()) {
    const all = [
      ...(calls[number]?.complaints ?? []),
      ...complaintsAbout(trial, script, mustSucceed(trial.call, script)),
    ];
    complaints.push(...all.map((complaint) => `call ${number}: ${complaint}`));
  }
  return { complaints, trials };
}

async function inTime(work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, forever, false);
  });
  const isInTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isInTime;
}

// ---------------------------------------------------------------- one call of it

class RunningCall {
  readonly #call: FuzzCall;
  readonly #retrier: Retrier;
  readonly #witness: Witness;
  readonly #abort = new AbortController();
  readonly #sources = new Sources();
  readonly #hands: Hands;
  readonly #complaints: string[] = [];
  #waits = 0;
  #attemptsAtAbort: number | undefined = undefined;
  #got: Got = { bytes: Buffer.alloc(0), isWhole: false };
  #isSettled = false;

  constructor(call: FuzzCall, number: number, origin: string, retrier: Retrier) {
    this.#call = call;
    this.#retrier = retrier;
    this.#witness = new Witness((moment, n) => this.#hear(moment, n));
    this.#witness.mayFailAfterEnd = call.caller.throws === 'at the end';
    this.#hands = {
      origin,
      path: pathOf(number),
      headers: headersOf(call, number),
      body: this.#sources.bodyFor(call.body),
      signal: this.#abort.signal,
      onAbort: undefined,
      complain: (complaint) => this.#complaints.push(complaint),
    };
  }

  async run(agent: Dispatcher): Promise<void> {
    const { abort } = this.#call.caller;
    const chain = [this.#witness.below, retry(this.#retrier), this.#witness.above];
    if (process.env['FUZZ_BARE'] !== undefined) chain.splice(1, 1);
    const dispatcher = agent.compose(...chain);
    const timer = abort?.on === 'time' ? setTimeout(() => this.#doAbort(), abort.n) : undefined;
    if (abort?.on === 'before') this.#doAbort();
    this.#got = await make(this.#call, dispatcher, this.#hands);
    clearTimeout(timer);
    this.#isSettled = true;
  }

  hearOfWait(): void {
    this.#waits += 1;
    // It has not begun yet.
    queueMicrotask(() => this.#hear('wait', this.#waits));
  }

  #hear(moment: AbortMoment, n: number): void {
    const { abort } = this.#call.caller;
    const isNow = abort?.on === moment && (moment === 'bytes' ? n >= abort.n : n === abort.n);
    if (!isNow) return;
    // A fetch that is aborted before it has returned fails an assertion of its own.
    const isTooSoon = this.#isFetch && (moment === 'attempt' || moment === 'start');
    if (abort.isAtOnce && !isTooSoon) this.#doAbort();
    else void setImmediate().then(() => this.#doAbort());
  }

  #doAbort(): void {
    if (this.#isSettled || this.#attemptsAtAbort !== undefined) return;
    this.#attemptsAtAbort = this.#witness.attempts;
    if (this.#call.caller.abort?.hasReason === true) this.#abort.abort(new Error('the caller had enough'));
    else this.#abort.abort();
    this.#hands.onAbort?.();
  }

  get #isFetch(): boolean {
    return this.#call.caller.through.endsWith('fetch');
  }

  /** fetch leaves listeners and sources of its own to the garbage collector. */
  get complaints(): readonly string[] {
    const listeners = getEventListeners(this.#abort.signal, 'abort').length;
    if (this.#isFetch) return this.#complaints;
    return [
      ...this.#complaints,
      ...(listeners > 0 ? [`${listeners} listeners on the signal`] : []),
      ...(this.#sources.open > 0 ? [`${this.#sources.open} sources are open`] : []),
    ];
  }

  trial(arrivals: readonly Arrived[]): Trial {
    return {
      call: this.#call,
      witness: this.#witness,
      arrivals,
      got: this.#got,
      attemptsAtAbort: process.env['FUZZ_BARE'] ? undefined : this.#attemptsAtAbort,
    };
  }
}

function headersOf({ isKeyed, range, body }: FuzzCall, number: number): Record<string, string> {
  return {
    ...(isKeyed && { 'idempotency-key': `key of ${number}` }),
    ...(range !== undefined && { range: `bytes=${range.join('-')}` }),
    ...(body.isDeclared && { 'content-length': String(body.bytes) }),
  };
}

// ---------------------------------------------------------------- hooks

interface Hooks {
  retryIf?: RetryIf;
  beforeRetry?: BeforeRetry;
}

function hooksOf({ retryIf, beforeRetry }: FuzzScript): Hooks {
  return {
    ...(retryIf !== undefined && { retryIf: retryIfs[retryIf] }),
    ...(beforeRetry !== undefined && { beforeRetry: beforeRetries[beforeRetry] }),
  };
}

/** What a hook of the caller's throws. */
export class HookError extends Error {}

const retryIfs: Readonly<Record<RetryIfName, RetryIf>> = {
  undecided: () => undefined,
  'undecided later': async () => {
    await setImmediate();
    return undefined;
  },
  'again after 503, later': async (outcome) => {
    await setImmediate();
    return outcome.kind === 'response' && outcome.status === 503 ? true : undefined;
  },
  'never, later': async () => {
    await setImmediate();
    return false;
  },
  throws: () => {
    throw new HookError('retryIf threw');
  },
  rejects: async () => {
    await setImmediate();
    throw new HookError('retryIf rejected');
  },
};

const beforeRetries: Readonly<Record<BeforeRetryName, BeforeRetry>> = {
  'adds a header': ({ headers }) => {
    headers['x-again'] = 'yes';
  },
  'adds a header later': async ({ headers }) => {
    await setImmediate();
    headers['x-again'] = 'yes';
  },
  throws: () => {
    throw new HookError('beforeRetry threw');
  },
  rejects: async () => {
    await setImmediate();
    throw new HookError('beforeRetry rejected');
  },
};
