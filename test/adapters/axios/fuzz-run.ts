/** Plays one script to its end on a lab of its own, and says what was wrong with it. */

import { Agent } from 'node:http';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import {
  createRetrier,
  type DecisionEvent,
  type PolicyOptions,
  type SettledEvent,
} from '../../../src/index.js';
import { sleep as realSleep, type Sleep } from '../../../src/runtime/sleep.js';
import { contentOf, type Lab, type Received, rst, startLab } from '../../faults/lab.js';
import { bySignal, byToken, type Caller } from './callers.js';
import { axios, callsTruncatedTooLong, version } from './client.js';
import {
  type AbortMoment,
  type FuzzCall,
  type FuzzPlay,
  type FuzzScript,
  playHeader,
  playOf,
  sentBytes,
  servedMark,
} from './fuzz-script.js';

/** What hangs takes forever; nothing else takes nearly so long. */
const foreverMs = 10_000;
const endOfQueue = '/end-of-queue';
/** Of the policy's time, which runs faster than the clock. */
const speed = 10;

interface Arrived {
  readonly request: Received;
  readonly play: FuzzPlay;
}

/** One call, and everything that is known of it. */
export class Trial {
  readonly call: FuzzCall;
  readonly arrivals: Arrived[] = [];
  readonly events: (DecisionEvent | SettledEvent)[] = [];
  readonly caller: Caller;
  config: AxiosRequestConfig = {};
  attempts = 0;
  /** What it had sent, and what had been decided about it. */
  atAbort: { readonly attempts: number; readonly decisions: number } | undefined = undefined;
  bytes: Buffer = Buffer.alloc(0);
  response: AxiosResponse | undefined = undefined;
  error: unknown = undefined;
  hasBegun = false;
  isSettled = false;

  constructor(call: FuzzCall) {
    this.call = call;
    const isDeaf = version === '1.7.0';
    this.caller = call.abort?.by === 'token' && !isDeaf ? byToken(axios) : bySignal();
  }

  get isWhole(): boolean {
    return this.response !== undefined && this.error === undefined;
  }

  /** It may be the moment to abort. */
  hear(moment: AbortMoment, n: number): void {
    const { abort } = this.call;
    if (abort?.on === moment && abort.n === n) this.abort();
  }

  abort(): void {
    if (!this.hasBegun || this.isSettled || this.atAbort !== undefined) return;
    const decisions = this.events.filter(({ type }) => type === 'decision').length;
    this.atAbort = { attempts: this.attempts, decisions };
    this.caller.giveUp();
  }

  async run(instance: AxiosInstance, config: AxiosRequestConfig): Promise<void> {
    const { abort } = this.call;
    this.config = { ...config, data: dataOf(this.call), ...this.caller.config };
    this.hasBegun = true;
    const request = instance.request(this.config);
    if (abort?.on === 'before') this.abort();
    const timer = abort?.on === 'time' ? globalThis.setTimeout(() => this.abort(), abort.n) : undefined;
    try {
      this.response = await request;
      this.isSettled = true;
      this.bytes = await bytesOf(this.response.data as Uint8Array | AsyncIterable<Uint8Array>);
    } catch (error) {
      this.isSettled = true;
      this.error = error;
      // A stream that nobody reads keeps its connection.
      const { response } = Object(error) as {
        response?: { data?: { destroy?(): void; cancel?(): Promise<void> } };
      };
      response?.data?.destroy?.();
      await response?.data?.cancel?.();
    }
    clearTimeout(timer);
  }
}

function dataOf(call: FuzzCall): unknown {
  const bytes = sentBytes(call);
  const readable = () => Readable.from([bytes.subarray(0, 700), bytes.subarray(700)], { objectMode: false });
  switch (call.body.form) {
    case 'none':
      return undefined;
    case 'text':
      return bytes.toString();
    case 'bytes':
      return bytes;
    case 'blob':
      return new Blob([Uint8Array.from(bytes)]);
    case 'readable':
      return readable();
    case 'factory of readables':
      return async () => {
        await setImmediate();
        return readable();
      };
  }
}

async function bytesOf(data: Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array> | null): Promise<Buffer> {
  if (data === null) return Buffer.alloc(0);
  if (data instanceof ArrayBuffer || data instanceof Uint8Array) return Buffer.from(data as Uint8Array);
  const pieces: Uint8Array[] = [];
  for await (const piece of data) pieces.push(piece);
  return Buffer.concat(pieces);
}

// ---------------------------------------------------------------- one script

export async function run(script: FuzzScript): Promise<readonly [readonly string[], readonly Trial[]]> {
  const trials = script.calls.map((call) => new Trial(call));
  await using lab = await startLab((request) => {
    const trial = trials[Number(request.path.slice(1).split('?')[0])];
    const { plays } = trial?.call ?? { plays: [] };
    const index = Math.min(trial?.arrivals.length ?? 0, plays.length - 1);
    const play = plays[index];
    if (play === undefined) return rst();
    trial?.arrivals.push({ request, play });
    return playOf(play, index);
  });
  const httpAgent = new Agent({ keepAlive: true, maxSockets: script.maxSockets });
  const time = { pending: 0, waits: 0 };
  const instance = instanceOf(script, lab, httpAgent, trials, time);
  const complaints = await hangs('a call', callAll(script, trials, instance));
  const isInUse = () => Object.keys(httpAgent.sockets).length + Object.keys(httpAgent.requests).length > 0;
  if (!(await comesTrue(() => !isInUse()))) complaints.push('a connection is still in use');
  if (!(await comesTrue(() => time.pending === 0))) complaints.push(`${time.pending} timers are set`);
  httpAgent.destroy();
  complaints.push(...(await hangs('the queue', allHaveArrived(lab))));
  for (const [number, trial] of trials.entries()) {
    const isFreeLater = script.adapter === 'fetch' && script.responseType === 'stream';
    const isFree = isFreeLater || (await comesTrue(() => trial.caller.listeners() === 0));
    if (!isFree) complaints.push(`call ${number}: ${trial.caller.listeners()} listeners`);
    complaints.push(...[...complaintsAbout(trial, script)].map((each) => `call ${number}: ${each}`));
  }
  return [complaints, trials];
}

function instanceOf(
  script: FuzzScript,
  lab: Lab,
  httpAgent: Agent,
  trials: readonly Trial[],
  time: { pending: number; waits: number },
): AxiosInstance {
  const { adapter, responseType } = script;
  const counting = (config: Parameters<ReturnType<typeof axios.getAdapter>>[0]) => {
    const trial = trials[Number(config.headers['x-call'])];
    if (trial !== undefined) trial.attempts += 1;
    const sent = axios.getAdapter(adapter, config)(config);
    // Not before: axios sends what is aborted while it is about to be sent, and forgets the answer.
    trial?.hear('attempt', trial.attempts);
    return sent;
  };
  const instance = axios.create({
    adapter: script.isNamed ? adapter : counting,
    baseURL: lab.origin,
    httpAgent,
    responseType,
    proxy: false,
  });
  const heard = (moment: AbortMoment): void => {
    time.waits += 1;
    for (const trial of trials) trial.hear(moment, time.waits);
  };
  const sleep = fastSleep(time, () => heard('wait'));
  const observe = (event: DecisionEvent | SettledEvent): void => {
    const trial = trials[Number(new URL(event.request.url).pathname.slice(1))];
    trial?.events.push(event);
    if (event.type === 'decision') trial?.hear('decision', event.decision.attempt);
  };
  const ports = { now: () => performance.now() * speed, sleep };
  attachRetry(instance, createRetrier({ ...script.policy, ...hooksOf(script), observe }, ports));
  return instance;
}

function fastSleep(time: { pending: number }, onWait: () => void): Sleep {
  return (delayMs, wake, options) => {
    let isOver = false;
    const end = (): void => {
      if (!isOver) time.pending -= 1;
      isOver = true;
    };
    time.pending += 1;
    const woken = (): void => {
      end();
      wake();
    };
    const cancel = realSleep(delayMs / speed, woken, options);
    // It begins when this has returned; timers that only watch are none.
    if (options?.unref === false) queueMicrotask(onWait);
    return () => {
      end();
      cancel();
    };
  };
}

function hooksOf({ retryIf, beforeRetry }: FuzzScript): PolicyOptions {
  return {
    ...(retryIf !== undefined && {
      retryIf: async (outcome) => {
        await outcome.body?.();
        await setImmediate();
        if (retryIf === 'rejects') throw new Error('retryIf rejected');
        const isIt = outcome.kind === 'response' && outcome.status === 500;
        return isIt && retryIf === 'again after 500, later' ? true : undefined;
      },
    }),
    ...(beforeRetry !== undefined && {
      beforeRetry: async (context) => {
        await setImmediate();
        if (beforeRetry === 'rejects') throw new Error('beforeRetry rejected');
        if (beforeRetry === 'goes elsewhere') context.url = `${context.url.split('?')[0]}?again`;
        else context.headers['x-again'] = 'yes';
      },
    }),
  };
}

async function callAll(script: FuzzScript, trials: readonly Trial[], instance: AxiosInstance): Promise<void> {
  const runs = trials.map((trial, number) => () => {
    const { method, isKeyed } = trial.call;
    const headers = { 'x-call': String(number), ...(isKeyed && { 'Idempotency-Key': `of ${number}` }) };
    return trial.run(instance, { url: `/${number}`, method, headers });
  });
  if (script.together) await Promise.all(runs.map((each) => each()));
  else for (const each of runs) await each();
}

/**
 * A client that closes its socket may leave a request in the accept queue, which is taken in order: so somebody
 * stands at its end and waits for his turn.
 */
function allHaveArrived(lab: Lab): Promise<void> {
  const last = connect(lab.port, '127.0.0.1');
  last.on('error', () => undefined);
  last.end(`GET ${endOfQueue} HTTP/1.1\r\nhost: me\r\n\r\n`);
  return new Promise((resolve) => last.once('close', () => resolve()));
}

async function hangs(what: string, work: Promise<unknown>): Promise<string[]> {
  const late = new AbortController();
  const { signal } = late;
  const complaints = await Promise.race([
    work.then<string[]>(() => []),
    setTimeout<string[]>(foreverMs, [`${what} hangs`], { signal }).catch(() => []),
  ]);
  late.abort();
  return complaints;
}

export async function comesTrue(condition: () => boolean): Promise<boolean> {
  for (let asked = 0; asked < 2_000 && !condition(); asked += 1) await setTimeout(asked < 20 ? 1 : 5);
  return condition();
}

// ---------------------------------------------------------------- what must be true of every call

function* complaintsAbout(trial: Trial, script: FuzzScript): Generator<string> {
  yield* aboutTheEnd(trial, script);
  yield* aboutAttempts(trial, script);
  yield* aboutWrites(trial, script);
  yield* aboutConfig(trial, script);
  const expected = mustSucceed(trial.call, script);
  if (expected === undefined) return;
  if (!trial.isWhole || trial.response?.status !== 200) yield `should have succeeded: ${String(trial.error)}`;
  if (trial.arrivals.length !== expected) yield `${trial.arrivals.length} arrivals, not ${expected}`;
}

function* aboutTheEnd(trial: Trial, { responseType }: FuzzScript): Generator<string> {
  const { call, bytes, response, error, atAbort, events } = trial;
  const ends = events.filter(({ type }) => type === 'settled').length;
  const isBeforeAll = call.abort?.on === 'before' && events.length === 0;
  if (ends !== 1 && !isBeforeAll) yield `settled ${ends} times`;
  const wasAborted = atAbort !== undefined;
  if (wasAborted && !axios.isCancel(error)) yield `aborted, and got ${String(error ?? response?.status)}`;
  if (!wasAborted && axios.isCancel(error)) yield 'nobody has aborted it';
  if (!trial.isWhole || response === undefined || response.status >= 300) return;
  // Under load, they do not arrive in the order in which they were sent.
  const play = call.plays[Number(response.headers[playHeader])];
  const served = play?.does === 'serve' ? play.bytes : 0;
  if (call.method === 'HEAD') {
    if (bytes.length > 0) yield 'a body for HEAD';
  } else if (!bytes.equals(contentOf(servedMark, 0, served))) {
    yield `${bytes.length} bytes (${responseType}) that are not the ${served} of its play`;
  }
}

function* aboutAttempts({ arrivals, attempts, atAbort, events, call }: Trial, script: FuzzScript) {
  const most = 1 + (script.policy.maxRetries ?? 0);
  if (arrivals.length > most) yield `${arrivals.length} arrivals, and ${most} are allowed`;
  if (!script.isNamed && arrivals.length > attempts) yield `${arrivals.length} arrivals of ${attempts}`;
  if (atAbort !== undefined && attempts > atAbort.attempts) yield 'sent after the abort';
  const told = events.find((event) => event.type === 'settled')?.attempts ?? 0;
  if (told > most) yield `${told} attempts are told of, and ${most} are allowed`;
  for (const { request } of arrivals) {
    if (request.complete && !request.body.equals(sentBytes(call))) {
      yield `a wrong body of ${request.body.length} bytes, not ${call.body.bytes}`;
    }
  }
}

/** A write that nobody called repeatable is sent again only when the server said that it did not take it. */
function* aboutWrites({ call, arrivals }: Trial, { policy, retryIf }: FuzzScript): Generator<string> {
  const keys = new Set(arrivals.map(({ request }) => request.headers['idempotency-key']));
  if (keys.size > 1) yield `different idempotency keys: ${[...keys].join(', ')}`;
  if (isRepeatable(call, policy) || retryIf === 'again after 500, later') return;
  for (const { play } of arrivals.slice(0, -1)) {
    if (!(policy.unsafeMethods === 'refused' && isRefusal(play))) yield `sent again after ${play.does}`;
  }
}

/** As the caller gave it: nothing of ours is left in it. */
function* aboutConfig(trial: Trial, { adapter, isNamed, policy }: FuzzScript): Generator<string> {
  const { error, response, call, config, caller } = trial;
  const left = response?.config ?? (Object(error) as { config?: AxiosResponse['config'] }).config;
  if (left === undefined) return;
  if (left.url !== config.url) yield `the URL is ${left.url}`;
  // What was never sent has it still.
  const wasSent = trial.events.length > 0;
  if (wasSent && (isNamed ? left.adapter !== adapter : typeof left.adapter !== 'function'))
    yield 'another adapter';
  if (left.signal !== caller.config.signal) yield 'another signal';
  if (call.body.form !== 'bytes' && left.data !== config.data) yield 'other data';
  if (!call.isKeyed && policy.idempotencyKey === true && left.headers.has('idempotency-key'))
    yield 'a key of ours';
  if (left.headers.has('x-again')) yield 'a header of the hook';
}

// ---------------------------------------------------------------- where nothing is left to chance

function mustSucceed(call: FuzzCall, { policy, responseType, retryIf, beforeRetry, calls }: FuzzScript) {
  const isTimed = policy.attemptTimeoutMs !== undefined || policy.deadlineMs !== undefined;
  const isHooked = retryIf === 'rejects' || beforeRetry === 'rejects';
  if (isTimed || isHooked || calls.some(mayDisturb)) return undefined;
  for (const [index, play] of call.plays.entries()) {
    if (index > (policy.maxRetries ?? 0)) return undefined;
    if (play.does === 'serve' && play.cut === undefined) return index + 1;
    if (!isRetried(play, call, policy, responseType)) return undefined;
  }
  return undefined;
}

/** HEAD has nothing that could be cut off: the connection dies later, while it is thought to be idle. */
function mayDisturb({ method, plays, abort }: FuzzCall): boolean {
  const isCut = (play: FuzzPlay): boolean => play.does === 'serve' && play.cut !== undefined;
  return abort !== undefined || (method === 'HEAD' && plays.some(isCut));
}

function isRetried(play: FuzzPlay, call: FuzzCall, policy: PolicyOptions, responseType: string): boolean {
  const { form, bytes } = call.body;
  if (form === 'readable' && bytes > (policy.bufferBodyBytes ?? 0)) return false;
  switch (play.does) {
    case 'die':
      return isRepeatable(call, policy);
    case 'serve':
      // A stream is the caller's from its head on.
      return responseType !== 'stream' && !callsTruncatedTooLong && isRepeatable(call, policy);
    case 'refuse':
      return (
        play.status !== 404 &&
        !('retry-after' in play.headers) &&
        (isRepeatable(call, policy) || (isRefusal(play) && policy.unsafeMethods === 'refused'))
      );
  }
}

function isRepeatable({ method, isKeyed }: FuzzCall, { idempotencyKey }: PolicyOptions): boolean {
  return method !== 'POST' || isKeyed || idempotencyKey === true;
}

/** A server that says so did not take the request. */
function isRefusal(play: FuzzPlay): boolean {
  return play.does === 'refuse' && (play.status === 408 || play.status === 429);
}
