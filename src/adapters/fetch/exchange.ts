/** One fetch request, as the retry loop sees it. */

import type { ClientOutcome } from '../../core/events.js';
import { isObject } from '../../core/is-object.js';
import { headerText } from '../../core/told.js';
import type { RequestFacts } from '../../core/types.js';
import { drainTime, lengthIn } from '../../drivers/body/drain.js';
import { dispose, isStream } from '../../drivers/body/stream-like.js';
import type { WaitingAnswers } from '../../drivers/body/whole.js';
import { isKey, isKeyed } from '../../drivers/idempotency-key.js';
import { acceptsStatus } from '../../drivers/loop/begin.js';
import type { Abortable, BodyDeadline, Ending, PromiseExchange, Rest } from '../../drivers/loop/exchange.js';
import { needsProof } from '../../drivers/loop/judging.js';
import { nothing } from '../../drivers/loop/sending.js';
import { overrideFrom } from '../../drivers/override.js';
import type { FetchParts, Installed } from '../../drivers/parts.js';
import { originIn, written } from '../../kernel/address.js';
import type { LiveSession } from '../../kernel/live-session.js';
import type { Cancel, Sleep } from '../../kernel/timers.js';
import { bodyOfAnswer, release, whenRead } from './answer.js';
import { type Body, bodyWithoutStreams } from './body.js';
import { outcomeOfAnswer, outcomeOfError, type Proof, proofOfPage } from './outcome.js';
import { OutgoingRequest, referrerOf } from './outgoing.js';
import { addressOf, asItStands, headersOf, isSignal, methodOf, pairsOf, signalOf } from './request.js';
import { type Fetch, type InitShape, isRequest, type ResponseShape } from './shapes.js';

/** The parts that one `withRetry()` call installs; all its requests share them. */
export interface Installation extends Installed<FetchParts> {
  /** The fetch to send with: the one that was given, or the global one of the moment. */
  readonly fetchNow: () => Fetch;
  /** While that fetch is being called. */
  isCalling: boolean;
}

type Init = InitShape | null | undefined;

export class FetchExchange implements RequestFacts, PromiseExchange<ResponseShape> {
  readonly installation: Installation;
  readonly session: LiveSession;
  /** Undefined if there is no body, if fetch can send it again itself, or if it is a Request's own and not sent yet. */
  body: Body | undefined = undefined;
  /** The caller's input and init as they were at the call. */
  readonly inputAtFirst: unknown;
  readonly initAtFirst: Init;
  /** The input and init of the next attempt. */
  input: unknown;
  init: Init;
  private readonly given: Init;
  private readonly rest: readonly unknown[];
  /** The body of a Request, for the attempts after the first. */
  spare: Body | undefined = undefined;
  readonly signal: AbortSignal | undefined;
  private ownReason: Error | undefined = undefined;
  private isJoined = false;
  /** What the last attempt was sent with, if its evidence may count. */
  private proof: Proof | undefined = undefined;
  /** Its attempts whose answers may wait for their bodies. */
  private waiting: WaitingAnswers<ResponseShape> | undefined = undefined;

  constructor(installation: Installation, input: unknown, given: Init, rest: readonly unknown[]) {
    this.installation = installation;
    const { retry, init } = parted(given);
    // An input that the caller could change, such as a URL, is read once.
    const isMutable = typeof input === 'object' && !isRequest(input);
    this.inputAtFirst = isMutable ? addressOf(input) : input;
    this.initAtFirst = isObject(init) ? asItStands(init) : init;
    this.given = init;
    this.rest = rest;
    this.signal = signalOf(input, init);
    this.session = installation.retrier.open(this, overrideFrom(retry), undefined, undefined, true);
    const { settings } = this.session;
    // A request that may be sent later is sent as it was at the call.
    const mayWait =
      settings.needsAdmission || settings.credentials !== false || typeof init?.body === 'function';
    this.input = mayWait ? this.inputAtFirst : input;
    this.init = mayWait || isReadOnce(init?.headers) ? this.initAtFirst : init;
    // Nothing will be sent: the fetch itself cancels a stream.
    if (this.isAborted) return;
    const { advice, streams } = installation.parts;
    if (streams === undefined) this.body = bodyWithoutStreams(input, init);
    else {
      this.body = streams.keptForFetch(init?.body, settings);
      if (isRequest(input))
        this.spare = streams.spareOf(input, init, settings, advice?.ignoresInit(input) === true);
    }
  }

  // -------------------------------------------------------------- the facts

  get method(): string {
    return methodOf(this.inputAtFirst, this.initAtFirst);
  }

  get addressAtFirst(): string {
    return addressOf(this.inputAtFirst);
  }

  get origin(): string | undefined {
    return originIn(this.addressAtFirst);
  }

  get path(): string {
    return written(this.addressAtFirst);
  }

  /** True if the caller set an idempotency key, or if the rule adds one. */
  get keyed(): boolean {
    // While the retrier opens the session, there are no settings yet.
    return isKeyed(this, this.session?.settings.idempotencyKey ?? false);
  }

  /** Whether the caller set a key in this header; the name must be in lower case. */
  hasKey(header: string): boolean {
    return this.valuesOf(header).some(isKey);
  }

  header(name: string): string | undefined {
    return headerText(this.valuesOf(name));
  }

  private valuesOf(header: string): unknown[] {
    const pairs = pairsOf(headersOf(this.inputAtFirst, this.initAtFirst));
    return pairs.flatMap(([name, value]) => (name.toLowerCase() === header ? value : []));
  }

  // -------------------------------------------------------------- the caller

  onAbort(listener: (reason: unknown) => void): Cancel {
    const { signal } = this;
    if (!isSignal(signal)) return nothing;
    const onSignal = (): void => listener(this.abortError());
    this.parts.node?.expectManyListeners(signal);
    signal.addEventListener('abort', onSignal);
    return () => signal.removeEventListener('abort', onSignal);
  }

  get isAborted(): boolean {
    return this.signal?.aborted === true;
  }

  /** A polyfilled signal may have no reason, as on React Native; then the error is the one that platforms give. */
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

  /** fetch can send any body again that is not a stream, also while another attempt sends it. */
  get isSendableTwice(): boolean {
    const { body } = this.initAtFirst ?? {};
    const isRead = isStream(body);
    return this.body === undefined && this.spare === undefined && !isRead;
  }

  send(signal?: AbortSignal): Promise<ResponseShape> {
    this.waiting ??= this.waits?.waitingFor<ResponseShape>(this, this.sleep, this.parts);
    return this.waiting?.send(signal) ?? this.sendOnce(signal, false);
  }

  letGo(sent: Abortable | undefined): boolean {
    return this.waiting?.letGo(sent) === true;
  }

  aborts(sent: Abortable, reason: unknown, abort: () => void): boolean {
    return this.waiting?.abort(sent, reason, abort) === true;
  }

  private get waits(): FetchParts['wholeAnswers'] | FetchParts['streamStart'] {
    return this.parts.wholeAnswers ?? this.parts.streamStart;
  }

  private hasWhole(answer: ResponseShape | undefined): boolean {
    return this.waits?.seenOf(answer) === 'whole';
  }

  sendOnce(signal: AbortSignal | undefined, isFollowing: boolean): Promise<ResponseShape> {
    // An init that is not a plain object may get its values from its class, which a spread would lose.
    const own = this.init === this.given ? this.initAtFirst : this.init;
    const init =
      signal === undefined
        ? this.init
        : {
            ...referrerOf(this.input, this.initAtFirst),
            ...own,
            signal: isFollowing ? signal : this.joined(signal),
          };
    // The first attempt sends a Request's own body; the next one needs the spare.
    this.body ??= this.spare;
    const { layers } = this.parts;
    if (layers?.mayMeetBeneath(this.installation.fetchNow()) !== true) return this.call(init);
    return layers.callEnclosed(this, init);
  }

  addressNow(): () => string {
    const { input } = this;
    return () => addressOf(input);
  }

  call(given: Init): Promise<ResponseShape> {
    const { input, installation, rest } = this;
    // Called as a function: the platform's fetch rejects another `this`.
    const send = installation.fetchNow();
    this.proof = needsProof(this.session) ? this.proofFor(send, given) : undefined;
    const init = this.proof?.counting?.(given, this.initAtFirst) ?? given;
    installation.isCalling = true;
    try {
      if (rest.length > 0) return promised(send(input, init, ...rest));
      return promised(init === undefined ? send(input) : send(input, init));
    } finally {
      installation.isCalling = false;
    }
  }

  private proofFor(send: Fetch, init: Init): Proof {
    const { input } = this;
    const { evidence } = this.parts;
    if (evidence === undefined) return proofOfPage(send);
    return new evidence.FetchProof(send, isRequest(input) ? input : undefined, init);
  }

  /**
   * Our signal joined with the caller's, if there is one. The joined signal also follows the caller's while the body is
   * read.
   */
  private joined(ours: AbortSignal): AbortSignal {
    if (this.signal === undefined) return ours;
    // The fetch itself rejects it.
    if (!isSignal(this.signal)) return this.signal;
    const joined = joinedSignal(this.signal, ours);
    this.isJoined = joined !== undefined;
    return joined ?? ours;
  }

  breakOff(abort: () => void): void {
    abort();
    // A stream that fetch reads itself may be read on even after an abort.
    if (this.body === undefined || this.parts.streams === undefined) dispose(this.init?.body);
  }

  /** An attempt follows the caller's signal only; without one, answers that wait for their bodies follow the attempt. */
  whenRead(answer: ResponseShape | undefined, sent: Abortable | undefined, done: () => void): void {
    const followsNothing = this.isJoined || (sent !== undefined && this.signal === undefined);
    if (followsNothing || this.hasWhole(answer)) done();
    else whenRead(answer, done, this.parts.node);
  }

  // -------------------------------------------------------------- what came of it

  /** A mock may return nothing at all, and an opaque answer has no status. */
  accepts(answer: ResponseShape | undefined): boolean {
    const hasFailed = typeof this.waits?.seenOf(answer) === 'object';
    return !hasFailed && acceptsStatus(this.session, answer?.status, this.parts.node);
  }

  statusOf(answer: ResponseShape | undefined): number | undefined {
    return answer?.status;
  }

  outcomeOf(ending: Ending<ResponseShape>): ClientOutcome | Promise<ClientOutcome> {
    const { initAtFirst, input, isAborted, parts, proof } = this;
    if (ending.kind === 'error')
      return outcomeOfError(ending.error, isAborted, input, initAtFirst, proof, parts);
    const { response } = ending;
    const outcome = outcomeOfAnswer(response, proof);
    const part = parts.wholeAnswers ?? parts.hooks ?? parts.bodyHints ?? parts.credentials;
    return part === undefined ? outcome : part.detailsByFetch(outcome, response, this);
  }

  lightened(error: unknown): unknown {
    return error;
  }

  release(ending: Ending<ResponseShape>): Rest | undefined {
    if (ending.kind !== 'response') return undefined;
    const answer: ResponseShape | undefined = ending.response;
    const { ports } = this.installation.retrier;
    // No attempt follows that could use the connection.
    const isOver = this.isAborted || ports.now() >= this.session.deadlineAt;
    return release(answer, isOver ? 0 : drainTime(this.method, lengthIn(answer?.headers)), ports.sleep);
  }

  unread(ending: Ending<ResponseShape>): object | undefined {
    return ending.kind === 'response' ? bodyOfAnswer(ending.response) : undefined;
  }

  whenBodyEnds(ending: Ending<ResponseShape>, done: Cancel): void {
    const body = this.unread(ending);
    if (body === undefined || (ending.kind === 'response' && this.hasWhole(ending.response))) done();
    else this.parts.concurrency?.whenOver(body, this.sleep, done);
  }

  coverBody(ending: Ending<ResponseShape>, deadline: BodyDeadline): void {
    if (ending.kind === 'response' && !this.hasWhole(ending.response))
      this.parts.bodyDeadline?.coverBody(this.unread(ending), deadline, this.sleep, this.parts.node);
  }

  ownError<E extends Error>(error: E): E {
    return error;
  }

  get parts(): FetchParts {
    return this.installation.parts;
  }

  private get sleep(): Sleep {
    return this.installation.retrier.ports.sleep;
  }
}

/** Takes `retry` out of init. An init without it is passed on without being read or copied. */
function parted(given: Init): { readonly retry?: InitShape['retry']; readonly init: Init } {
  if (!isObject(given) || !('retry' in given)) return { init: given };
  const { retry, ...init } = asItStands(given);
  return { retry, init };
}

/** A mock may return its answer without a promise, or a promise of another class. */
function promised(sent: Promise<ResponseShape>): Promise<ResponseShape> {
  return sent instanceof Promise ? sent : Promise.resolve(sent);
}

/** Headers that may be gone once they have been read: those of an iterator, but not of an array, Headers or a Map. */
function isReadOnce(headers: unknown): boolean {
  if (!isObject(headers) || Array.isArray(headers)) return false;
  return Symbol.iterator in headers && !('get' in headers);
}

/** Undefined if the platform has no AbortSignal.any, or if one of the signals is not the platform's own. */
function joinedSignal(callers: AbortSignal, ours: AbortSignal): AbortSignal | undefined {
  try {
    return AbortSignal.any([callers, ours]);
  } catch {
    return undefined;
  }
}
