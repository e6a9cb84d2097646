/** One call of a script: how it is made, when it is aborted, and everything that is known at its end. */

import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { retry } from '../../../src/adapters/undici/index.js';
import type { RequestEvent } from '../../../src/core/events.js';
import type { Retrier } from '../../../src/kernel/retrier.js';
import { ledThere } from '../fuzz/plays.js';
import { undici } from './client.js';
import { Sources } from './fuzz-body.js';
import { type Got, type Hands, make } from './fuzz-caller.js';
import type { AbortMoment, FuzzCall, FuzzScript } from './fuzz-script.js';
import { type Arrived, pathOf } from './fuzz-stage.js';
import { Witness } from './fuzz-witness.js';
import { asksForToken } from './token-layer.js';

const layerOf = {
  redirects: undici.interceptors.redirect({ maxRedirections: 3 }),
  tokens: asksForToken({ hidesStart: false }),
} as const;

export class Trial {
  readonly call: FuzzCall;
  readonly witness: Witness;
  readonly arrivals: readonly Arrived[];
  readonly events: RequestEvent[] = [];
  got: Got = { bytes: Buffer.alloc(0), isWhole: false };
  /** The attempts that had been sent at the abort. */
  attemptsAtAbort: number | undefined = undefined;
  /** Events that arrived although the caller had paused. */
  readonly complaints: string[] = [];
  readonly #abort = new AbortController();
  readonly #sources: Sources;
  readonly #hands: Hands;
  #isSettled = false;

  constructor(call: FuzzCall, number: number, origin: string, arrivals: readonly Arrived[]) {
    this.call = call;
    this.arrivals = arrivals;
    this.witness = new Witness((moment, n) => this.hear(moment, n));
    this.witness.mayFailAfterEnd = call.caller.throws === 'at the end';
    this.#sources = new Sources(call);
    this.#hands = {
      origin,
      path: pathOf(number),
      headers: headersOf(call, number),
      body: this.#sources.bodyFor(call.body),
      signal: this.#abort.signal,
      onAbort: undefined,
      complain: (complaint) => this.complaints.push(complaint),
    };
  }

  /** What arrived of the request itself, not what a layer asked elsewhere. */
  get asked(): readonly Arrived[] {
    return this.arrivals.filter(({ request }) => !request.path.includes(ledThere));
  }

  async run(agent: Dispatcher, retrier: Retrier, layer: FuzzScript['layer']): Promise<void> {
    const layers = layer === undefined ? [] : [layerOf[layer]];
    const { abort } = this.call.caller;
    const dispatcher = agent.compose(...layers, this.witness.below, retry(retrier), this.witness.above);
    const timer = abort?.on === 'time' ? setTimeout(() => this.#doAbort(), abort.n) : undefined;
    if (abort?.on === 'before') this.#doAbort();
    this.got = await make(this.call, dispatcher, this.#hands);
    clearTimeout(timer);
    this.#isSettled = true;
  }

  /** Aborts if this is the moment to do so. */
  hear(moment: AbortMoment, n: number): void {
    const { abort } = this.call.caller;
    const isNow = abort?.on === moment && (moment === 'bytes' ? n >= abort.n : n === abort.n);
    if (!isNow) return;
    // A fetch that is aborted before it returns fails an assertion of its own.
    const isTooSoon = this.#isFetch && (moment === 'attempt' || moment === 'start');
    if (abort.isAtOnce && !isTooSoon) this.#doAbort();
    else void setImmediate().then(() => this.#doAbort());
  }

  #doAbort(): void {
    if (this.#isSettled || this.attemptsAtAbort !== undefined) return;
    this.attemptsAtAbort = this.witness.attempts;
    if (this.call.caller.abort?.hasReason === true) this.#abort.abort(new Error('the caller had enough'));
    else this.#abort.abort();
    this.#hands.onAbort?.();
  }

  /** fetch leaves listeners and sources of its own to the garbage collector. */
  get leftListeners(): number {
    return this.#isFetch ? 0 : getEventListeners(this.#abort.signal, 'abort').length;
  }

  get leftSources(): number {
    return this.#isFetch ? 0 : this.#sources.open;
  }

  get #isFetch(): boolean {
    return this.call.caller.through.endsWith('fetch');
  }
}

function headersOf({ isKeyed, range, body }: FuzzCall, number: number): Record<string, string> {
  return {
    ...(isKeyed && { 'idempotency-key': `key of ${number}` }),
    ...(range !== undefined && { range: `bytes=${range.join('-')}` }),
    ...(body.isDeclared && { 'content-length': String(body.bytes) }),
  };
}
