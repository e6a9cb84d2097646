/** One request of fetch on its way. */

import type { LiveOutcome } from '../../core/events.js';
import type { RequestFacts } from '../../core/types.js';
import { originIn, written } from '../../runtime/address.js';
import { drainTime, lengthIn } from '../../runtime/drain.js';
import { isKey, isKeyed } from '../../runtime/idempotency-key.js';
import { enclosed, mayMeetBeneathFetch } from '../../runtime/layers.js';
import { acceptsStatus } from '../../runtime/loop/begin.js';
import type { BodyDeadline, Ending, PromiseExchange } from '../../runtime/loop/exchange.js';
import { overrideFrom } from '../../runtime/override.js';
import type { Retrier } from '../../runtime/retrier.js';
import type { Session } from '../../runtime/session.js';
import type { Cancel, Sleep } from '../../runtime/sleep.js';
import { dispose } from '../../runtime/stream-like.js';
import { coverBody, parsedBody, release, whenRead } from './answer.js';
import { type Body, bodyOf, spareBodyOf } from './body.js';
import { outcomeOfAnswer, outcomeOfError } from './outcome.js';
import { OutgoingRequest, referrerOf } from './outgoing.js';
import { addressOf, asItStands, headersOf, methodOf, pairsOf, signalOf } from './request.js';
import { type Fetch, type InitShape, isRequest, type ResponseShape } from './shapes.js';

/** What one `withRetry()` has installed; all its requests share it. */
export interface Installation {
  readonly retrier: Retrier;
  readonly send: Fetch;
}

type Init = InitShape | null | undefined;

export class Exchange implements RequestFacts, PromiseExchange<ResponseShape> {
  readonly installation: Installation;
  readonly session: Session;
  /** Undefined: there is none, fetch can send it again itself, or it is the Request's own and not sent yet. */
  body: Body | undefined = undefined;
  /** As they were when the caller asked. */
  readonly inputAtFirst: unknown;
  readonly initAtFirst: Init;
  /** Of the next attempt. */
  input: unknown;
  init: Init;
  private readonly given: Init;
  private readonly rest: readonly unknown[];
  private spare: Body | undefined = undefined;
  private readonly signal: AbortSignal | undefined;
  private ownReason: Error | undefined = undefined;
  private isJoined = false;

  constructor(installation: Installation, input: unknown, given: Init, rest: readonly unknown[]) {
    this.installation = installation;
    const { retry, init } = parted(given);
    // An address that can be changed is read once.
    const isMutable = typeof input === 'object' && !isRequest(input);
    this.inputAtFirst = isMutable ? addressOf(input) : input;
    this.initAtFirst = init === undefined || init === null ? init : asItStands(init);
    this.given = init;
    this.rest = rest;
    this.signal = signalOf(input, init);
    this.session = installation.retrier.open(this, overrideFrom(retry));
    const { settings } = this.session;
    // What is sent later than it was asked for is sent as it was asked for.
    const mayWait = settings.gate !== false || settings.hold !== false || typeof init?.body === 'function';
    this.input = mayWait ? this.inputAtFirst : input;
    this.init = mayWait || isIterator(init?.headers) ? this.initAtFirst : init;
    // Nothing is sent: a stream is left for the fetch itself to cancel.
    if (this.isAborted) return;
    this.body = bodyOf(init, settings);
    this.spare = spareBodyOf(input, init, settings);
  }

  // -------------------------------------------------------------- the facts

  get method(): string {
    return methodOf(this.inputAtFirst, this.initAtFirst);
  }

  get origin(): string | undefined {
    return originIn(addressOf(this.inputAtFirst));
  }

  get path(): string {
    return written(addressOf(this.inputAtFirst));
  }

  /** By the caller, or by us. */
  get keyed(): boolean {
    // While the session is being opened there are no settings yet.
    return isKeyed(this, this.session?.settings.idempotencyKey ?? false);
  }

  /** The caller's own, in this header; its name is in lower case. */
  hasKey(header: string): boolean {
    const pairs = pairsOf(headersOf(this.inputAtFirst, this.initAtFirst));
    return pairs.some(([name, value]) => name.toLowerCase() === header && isKey(value));
  }

  // -------------------------------------------------------------- the caller

  onAbort(listener: (reason: unknown) => void): Cancel {
    const { signal } = this;
    if (signal === undefined) return () => undefined;
    const onSignal = (): void => listener(this.abortError());
    signal.addEventListener('abort', onSignal);
    return () => signal.removeEventListener('abort', onSignal);
  }

  get isAborted(): boolean {
    return this.signal?.aborted === true;
  }

  /** A signal of a package may give no reason, as on React Native; then it is the one that platforms give. */
  abortError(): unknown {
    const reason: unknown = this.signal?.reason;
    if (reason !== undefined) return reason;
    this.ownReason ??= Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });
    return this.ownReason;
  }

  // -------------------------------------------------------------- an attempt

  outgoing(): OutgoingRequest {
    return new OutgoingRequest(this);
  }

  send(signal?: AbortSignal): Promise<ResponseShape> {
    // What is no plain object has what it has from its class, which a spread would leave behind.
    const own = this.init === this.given ? this.initAtFirst : this.init;
    const init = signal === undefined ? this.init : { ...this.referrer, ...own, signal: this.joined(signal) };
    // What a Request has of its own goes with the first attempt.
    this.body ??= this.spare;
    if (mayMeetBeneathFetch()) return enclosed(this, 'anything', (asked) => this.call(asked), init);
    return this.call(init);
  }

  private call(init: Init): Promise<ResponseShape> {
    const { input, rest } = this;
    // Not as a method, which the platform's own would refuse to be.
    const { send } = this.installation;
    if (rest.length > 0) return promised(send(input, init, ...rest));
    return promised(init === undefined ? send(input) : send(input, init));
  }

  /** With the caller's, where there is one: who joins them looks after it, also while the body is read. */
  private joined(ours: AbortSignal): AbortSignal {
    if (this.signal === undefined) return ours;
    const joined = joinedSignal(this.signal, ours);
    this.isJoined = joined !== undefined;
    return joined ?? ours;
  }

  private get referrer(): InitShape {
    return isRequest(this.input) ? referrerOf(this.input, this.initAtFirst) : {};
  }

  /** Whether its body is a Request's own, of which the first attempt needs nothing. */
  get isSpare(): boolean {
    return this.spare !== undefined;
  }

  /** A stream of which the caller has not said how it is sent. */
  get isOurs(): boolean {
    return this.isSpare || typeof this.initAtFirst?.body === 'function';
  }

  breakOff(abort: () => void): void {
    abort();
    // What fetch reads itself, it may read on.
    if (this.body === undefined) dispose(this.init?.body);
  }

  whenRead(answer: ResponseShape, _signal: AbortSignal, done: () => void): void {
    if (this.isJoined) done();
    else whenRead(answer, done);
  }

  // -------------------------------------------------------------- what came of it

  /** A mock may give nothing at all; what is opaque has no status. */
  accepts(answer: ResponseShape | undefined): boolean {
    return acceptsStatus(this.session, answer?.status);
  }

  outcomeOf(ending: Ending<ResponseShape>): LiveOutcome | Promise<LiveOutcome> {
    if (ending.kind === 'error') {
      return outcomeOfError(ending.error, this.isAborted, this.input, this.initAtFirst);
    }
    const { response } = ending;
    const outcome = outcomeOfAnswer(response, this.session, this.sleep);
    if (this.session.settings.retryIf === undefined) return outcome;
    const body = (): Promise<unknown> => parsedBody(response);
    return 'then' in outcome ? outcome.then((told) => ({ ...told, body })) : { ...outcome, body };
  }

  lightened(error: unknown): unknown {
    return error;
  }

  release(ending: Ending<ResponseShape>): void {
    if (ending.kind !== 'response') return;
    const { ports } = this.installation.retrier;
    // Nothing is sent after it that its connection could be for.
    const isOver = this.isAborted || ports.now() >= this.session.deadlineAt;
    release(
      ending.response,
      isOver ? 0 : drainTime(this.method, lengthIn(ending.response.headers)),
      ports.sleep,
    );
  }

  coverBody(ending: Ending<ResponseShape>, deadline: BodyDeadline): void {
    if (ending.kind === 'response') coverBody(ending.response, deadline, this.sleep);
  }

  ownError<E extends Error>(error: E): E {
    return error;
  }

  private get sleep(): Sleep {
    return this.installation.retrier.ports.sleep;
  }
}

/** Without what is ours; nothing else of it is looked at, or copied. */
function parted(given: Init): { readonly retry?: InitShape['retry']; readonly init: Init } {
  if (typeof given !== 'object' || given === null || !('retry' in given)) return { init: given };
  const { retry, ...init } = asItStands(given);
  return { retry, init };
}

/** A mock may give its answer as it is, and a promise may be of a kind of its own. */
function promised(sent: Promise<ResponseShape>): Promise<ResponseShape> {
  return sent instanceof Promise ? sent : Promise.resolve(sent);
}

function isIterator(headers: unknown): boolean {
  return typeof headers === 'object' && headers !== null && 'next' in headers;
}

/** Undefined: this place cannot, or one of them is no signal of its own. */
function joinedSignal(callers: AbortSignal, ours: AbortSignal): AbortSignal | undefined {
  try {
    return AbortSignal.any([callers, ours]);
  } catch {
    return undefined;
  }
}
