/**
 * Counts the hops of an attempt, to know what its end proves. That undici did not call onRequestStart proves nothing by
 * itself: beneath may be something else than undici, or a layer that keeps the call to itself, follows a redirect, or
 * sends requests of its own. undici shows each request that it creates on a diagnostics channel. Each is one hop, and
 * knows whether it has begun. What cannot be followed that far proves nothing.
 */

import { isRefusal } from '../../core/decide/classify.js';
import type { Settings } from '../../core/policy/settings.js';
import type { Evidence } from '../../core/types.js';
import { builtinModule } from '../../kernel/builtin-module.js';

/** A request as undici itself has it. */
interface Hop {
  readonly method: string;
  /** Null until undici begins to write the request. */
  readonly abort: unknown;
  readonly aborted: boolean;
  readonly completed: boolean;
  /** Among them the handler. */
  readonly [part: symbol]: object | undefined;
}

interface Failing {
  readonly request: Hop;
  readonly error: unknown;
}

interface Channels {
  subscribe(name: string, listener: (message: unknown) => void): void;
}

/** The attempt that is being dispatched: what undici creates meanwhile is created for it. */
let dispatching: Hops | undefined;
/** Attempts that wait in a queue before undici creates anything for them, as they do in a Pool that is busy. */
const queued = new Set<Hops>();
/**
 * Hops that undici 7 has created for them, and not begun. Its own handler hides which is whose: asking that is dear, so
 * it is asked only once the evidence counts.
 */
let hidden: Hop[] = [];
/** The failure that undici is reporting now. */
let failing: Failing | undefined;
let isSubscribed = false;

export class Hops {
  private readonly handler: object;
  private readonly method: string;
  private readonly settings: Settings;
  /** The first hop, if it is known. */
  private first: Hop | undefined = undefined;
  /** The handler of the first hop is the attempt itself. */
  private isOwn = false;
  /** Hops that had begun when the attempt did: its own is among them if no layer is in between. */
  private begun: readonly Hop[] | undefined = undefined;
  /** Several were created for the attempt at once: which one is the request is not known. */
  private isUnclear = false;
  private isAnswered = false;
  private isEnded = false;
  private isLeft = false;
  private proven: Evidence | undefined = undefined;

  /** The handler is what undici is given for the attempt. */
  constructor(handler: object, method: string, settings: Settings) {
    this.handler = handler;
    this.method = method;
    this.settings = settings;
    if (isSubscribed) return;
    isSubscribed = true;
    const channels = builtinModule<Channels>('node:diagnostics_channel');
    channels?.subscribe('undici:request:create', created);
    channels?.subscribe('undici:request:error', fails);
  }

  /** To be called before the dispatch; `handOver` takes what it returns. */
  begin(): Hops | undefined {
    const outer = dispatching;
    dispatching = this;
    return outer;
  }

  /** After the dispatch, which returned false if the request has to wait. */
  handOver(isAccepted: boolean, outer: Hops | undefined): void {
    dispatching = outer;
    if (!isAccepted && this.first === undefined && !this.isLeft) queued.add(this);
  }

  /** A hop that undici created during the dispatch. A tunnel to a proxy carries nothing of the request. */
  seen(hop: Hop): void {
    if (hop.method === 'CONNECT' && this.method !== 'CONNECT') return;
    if (this.first === undefined) this.first = hop;
    else if (!this.isOwn) this.isUnclear = true;
  }

  /** A hop whose handler is the attempt itself. If another one follows, this one is over. */
  owns(hop: Hop): void {
    if (!this.isOwn) this.first = hop;
    this.isOwn = true;
    this.isUnclear = false;
    this.leaveQueue();
  }

  private leaveQueue(): void {
    queued.delete(this);
    if (queued.size === 0 && hidden.length > 0) hidden = [];
  }

  /** The attempt has begun, and its hop with it. */
  began(): void {
    if (!queued.has(this)) return;
    if (hidden.length > 0) {
      this.begun = hidden.filter(hasBegun);
      hidden = hidden.filter((hop) => !hasBegun(hop));
    }
    this.leaveQueue();
  }

  /** The only hop as far as is known. */
  private get hop(): Hop | undefined {
    if (this.isUnclear) return undefined;
    this.first ??= this.begun?.find((hop) => isFor(hop, this.handler));
    this.begun = undefined;
    return this.first ?? (queued.has(this) ? this.hiddenHop : undefined);
  }

  private get hiddenHop(): Hop | undefined {
    const isOwn = (hop: Hop): boolean => isFor(hop, this.handler);
    return failing !== undefined && isOwn(failing.request) ? failing.request : hidden.find(isOwn);
  }

  /** Nothing else than a mock or a cache answers or fails during the dispatch. */
  private get isAtOnce(): boolean {
    return dispatching === this && this.first === undefined;
  }

  /** A head came: it is the first server's if the first hop is still under way. Only a refusal could prove something. */
  answered(status: number, starts: number): void {
    this.isAnswered = true;
    this.end(!isRefusal(this.settings, status) || this.isFirstsAnswer(starts) ? undefined : 'unknown');
  }

  private isFirstsAnswer(starts: number): boolean {
    const { hop } = this;
    return hop === undefined ? this.isAtOnce && starts <= 1 : isPending(hop);
  }

  /** An error came. `told` is what the policy will see in its place. */
  failed(error: unknown, told: unknown, starts: number): void {
    this.end(this.isAnswered ? 'unknown' : this.provenBy(error, told, starts));
  }

  private provenBy(error: unknown, told: unknown, starts: number): Evidence | undefined {
    if (this.isAtOnce) return starts === 0 ? undefined : 'unknown';
    const { hop } = this;
    if (hop === undefined || failing?.request !== hop || failing.error !== error) return 'unknown';
    if (!hasBegun(hop) && starts === 0) return 'unsent';
    return isOfHttp2(told) ? undefined : 'unknown';
  }

  private end(proven: Evidence | undefined): void {
    this.proven = proven;
    this.isEnded = true;
    this.leave();
  }

  /** The attempt waits for nothing more. */
  leave(): void {
    this.isLeft = true;
    this.begun = undefined;
    this.leaveQueue();
  }

  /** What the end proves; undefined if that is up to the answer or the error. */
  get evidence(): Evidence | undefined {
    return this.isEnded ? this.proven : this.evidenceSoFar;
  }

  /**
   * If we end the attempt. One that undici has not begun never leaves: it asks the handler first, and the handler
   * refuses. A layer between the two might not ask.
   */
  private get evidenceSoFar(): Evidence {
    const { hop } = this;
    const isHeld = hop !== undefined && !hasBegun(hop) && isPending(hop) && isFor(hop, this.handler);
    return isHeld ? 'unsent' : 'unknown';
  }
}

function hasBegun({ abort }: Hop): boolean {
  return abort !== null;
}

function isPending(hop: Hop): boolean {
  return !hop.completed && !hop.aborted;
}

/** Only HTTP/2 can say that a request was not processed although it was sent. */
export function isOfHttp2(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('ERR_HTTP2_');
}

// ---------------------------------------------------------------- what undici shows

function created(message: unknown): void {
  if (dispatching === undefined && queued.size === 0) return;
  const { request } = message as { readonly request: Hop };
  const handler = handlerOf(request);
  const own = hopsOf(handler);
  if (own === undefined && dispatching === undefined) {
    if (isWrapper(handler)) hide(request);
    return;
  }
  const owner = own ?? (queued.size > 0 ? hopsOf(handlerInside(handler)) : undefined);
  if (owner === undefined) dispatching?.seen(request);
  else owner.owns(request);
}

function hide(hop: Hop): void {
  if (hidden.length > 0) hidden = hidden.filter((one) => !hasBegun(one) && isPending(one));
  hidden.push(hop);
}

/** Reported in the same turn to the layer above. */
function fails(message: unknown): void {
  failing = message as Failing;
  queueMicrotask(reported);
}

function reported(): void {
  failing = undefined;
}

function hopsOf(handler: object | undefined): Hops | undefined {
  const { hops } = (handler ?? {}) as { readonly hops?: unknown };
  return hops instanceof Hops ? hops : undefined;
}

function isFor(hop: Hop, handler: object): boolean {
  const given = handlerOf(hop);
  return given === handler || handlerInside(given) === handler;
}

/** Where undici keeps the handler of a request. Each copy of undici has a place of its own. */
let place: symbol | undefined;

function handlerOf(hop: Hop): object | undefined {
  if (place === undefined || !Object.hasOwn(hop, place)) {
    place = Object.getOwnPropertySymbols(hop).find(({ description }) => description === 'handler');
  }
  return place === undefined ? undefined : hop[place];
}

// ---------------------------------------------------------------- undici 7

interface Wrapper {
  onResponseStarted(): unknown;
}

/** The question which handler is inside another one. */
interface Question {
  answer: object | undefined;
}

let question: Question | undefined;
/** Where in this file wrappers are asked. */
let askedAt: string | undefined;

/**
 * undici 7 wraps a handler of the second generation, and keeps it private. Its wrapper passes this call on, from 7.25 at
 * the latest. If the call arrives with only the wrapper in between, there is no layer.
 */
function handlerInside(wrapper: object | undefined): object | undefined {
  if (!isWrapper(wrapper)) return undefined;
  if (askedAt === undefined) ask({ onResponseStarted: noteWhereAsked });
  const asked: Question = { answer: undefined };
  question = asked;
  try {
    ask(wrapper);
  } catch {
    // A handler of someone else's: it is not the one we look for.
  } finally {
    question = undefined;
  }
  return asked.answer;
}

function isWrapper(handler: object | undefined): handler is Wrapper {
  if (handler?.constructor?.name !== 'UnwrapHandler') return false;
  return typeof (handler as Partial<Wrapper>).onResponseStarted === 'function';
}

function ask(wrapper: Wrapper): void {
  wrapper.onResponseStarted();
}

function noteWhereAsked(): void {
  askedAt = callerOf(noteWhereAsked, 0);
}

/** To be called in onResponseStarted: true if that was only the question. */
export function isQuestion(handler: object): boolean {
  if (question === undefined) return false;
  // The two calls in between are the one that asks us here, and the wrapper's.
  if (askedAt !== undefined && callerOf(isQuestion, 2) === askedAt) question.answer = handler;
  return true;
}

/** The line from which a function was called, through this many calls in between. Only these frames are captured. */
function callerOf(called: (handler: object) => unknown, between: number): string | undefined {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const captured: { stack?: unknown } = {};
  try {
    Error.stackTraceLimit = between + 1;
    Error.prepareStackTrace = (_error, sites) => {
      const site = sites[between];
      return site && `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`;
    };
    Error.captureStackTrace(captured, called);
    return captured.stack as string | undefined;
  } catch {
    return undefined;
  } finally {
    Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  }
}
