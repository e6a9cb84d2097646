/** One axios request, as the retry loop sees it. */

import { PolicyError } from '../../core/errors.js';
import type { ClientOutcome } from '../../core/events.js';
import { headerText } from '../../core/told.js';
import type { RequestFacts } from '../../core/types.js';
import { isStream, isWebStream } from '../../drivers/body/stream-like.js';
import type { HopCounter } from '../../drivers/hop-counter.js';
import { isKey, isKeyed } from '../../drivers/idempotency-key.js';
import { acceptsStatus, begin } from '../../drivers/loop/begin.js';
import type { Abortable, BodyDeadline, Ending, PromiseExchange } from '../../drivers/loop/exchange.js';
import { needsProof } from '../../drivers/loop/judging.js';
import { nothing } from '../../drivers/loop/sending.js';
import { errorOfOpening, overrideFrom } from '../../drivers/override.js';
import type { AxiosParts, Installed } from '../../drivers/parts.js';
import type { StartFailure } from '../../drivers/starting.js';
import { written } from '../../kernel/address.js';
import type { LiveSession } from '../../kernel/live-session.js';
import type { Cancel, Sleep } from '../../kernel/timers.js';
import { bodyToRead, release, whenRead } from './answer.js';
import { type Body, bodyOf, breakBody } from './body.js';
import { type Child, withConfig } from './child.js';
import { answerOf, isCanceled, outcomeOf } from './outcome.js';
import { OutgoingConfig, put, type RequestAtFirst } from './outgoing.js';
import type { Adapter, CancelTokenShape, RequestConfig, ResponseShape } from './shapes.js';
import { originOf, textOf, urlOf, type Whereabouts } from './target.js';

/** The parts that one `attachRetry()` call installs; all requests of the instance share them. */
export interface Installation extends Installed<AxiosParts> {
  readonly child: Child;
  /** The adapter of the previous request, most likely of the next one, too. */
  last?: { readonly adapter: unknown; readonly wrapper: Adapter };
}

class AxiosExchange implements RequestFacts, PromiseExchange<ResponseShape> {
  readonly config: RequestConfig;
  readonly installation: Installation;
  readonly adapter: Adapter;
  readonly session: LiveSession;
  readonly body: Body | undefined;
  /** The address that the caller gave, wherever the next attempt may go. */
  whereabouts: Whereabouts;
  readonly first: RequestAtFirst;
  /** What the last attempt was sent through, if its hops count. */
  hops: HopCounter | undefined = undefined;

  constructor(installation: Installation, config: RequestConfig, adapter: Adapter) {
    this.installation = installation;
    this.config = config;
    this.adapter = adapter;
    this.whereabouts = config;
    const { adapter: given, baseURL, data, headers, params, signal, url } = config;
    this.first = {
      adapter: given,
      baseURL,
      data,
      headers: { ...headers },
      params,
      signal,
      url,
    };
    const { retry, socketPath } = config;
    const socket = typeof socketPath === 'string' && socketPath !== '' ? socketPath : undefined;
    this.session = installation.retrier.open(this, overrideFrom(retry), undefined, socket, true);
    this.body = bodyOf(data, this.session.settings, installation.parts.streams);
  }

  get parts(): AxiosParts {
    return this.installation.parts;
  }

  // -------------------------------------------------------------- the facts

  get method(): string {
    const { method } = this.config;
    // A text that is made anew for each request would be looked up slowly.
    return method === 'get' || !method ? 'GET' : method.toUpperCase();
  }

  get origin(): string | undefined {
    return originOf(this.whereabouts);
  }

  get path(): string {
    return urlOf(this.whereabouts);
  }

  /** True if the caller set an idempotency key, or if the rule adds one. */
  get keyed(): boolean {
    // While the retrier opens the session, there are no settings yet.
    return isKeyed(this, this.session?.settings.idempotencyKey ?? false);
  }

  /** With `params`, which only axios itself can write into a URL. */
  get address(): string {
    const { params } = this.config;
    return params === undefined || params === null ? this.path : written(this.uri);
  }

  /** As axios itself writes it. */
  get uri(): string {
    return textOf(this.installation.child.uri(this.config));
  }

  /** Whether the caller set a key in this header; the name must be in lower case. */
  hasKey(header: string): boolean {
    return this.valuesOf(header).some(isKey);
  }

  header(name: string): string | undefined {
    return headerText(this.valuesOf(name));
  }

  private valuesOf(header: string): unknown[] {
    return Object.entries(this.first.headers).flatMap(([name, value]) =>
      name.toLowerCase() === header ? value : [],
    );
  }

  // -------------------------------------------------------------- the caller

  onAbort(listener: (reason: unknown) => void): Cancel {
    const { signal, cancelToken } = this.config;
    return signal || cancelToken ? follow(signal, cancelToken, listener) : nothing;
  }

  get isAborted(): boolean {
    return isCanceled(this.config);
  }

  /** axios turns whatever a cancelled request ends with into its own CanceledError. */
  abortError(): Error {
    return Object.assign(new Error(), { name: 'CanceledError', code: 'ERR_CANCELED' });
  }

  // -------------------------------------------------------------- an attempt

  outgoing(): OutgoingConfig {
    return new OutgoingConfig(this);
  }

  /** axios can send any body again that is not a stream, also while another attempt sends it. */
  get isSendableTwice(): boolean {
    return this.body === undefined;
  }

  send(signal?: AbortSignal): Promise<ResponseShape> {
    const { config } = this;
    if (signal !== undefined) config.signal = signal;
    return this.sendConfig(config);
  }

  attemptEnded(): void {
    put(this.config, 'signal', this.first.signal);
  }

  shown<Result>(result: Result, copy: RequestConfig): Result {
    return withConfig(result, copy, this.config);
  }

  answerOf(ending: Ending<ResponseShape>): ResponseShape | undefined {
    return answerOf(ending);
  }

  /** Sends this configuration, which may be a copy of the caller's. */
  sendConfig(config: RequestConfig): Promise<ResponseShape> {
    const { adapter } = this.first;
    if (config.adapter !== adapter) config.adapter = adapter;
    const { evidence, streamStart } = this.parts;
    this.hops = undefined;
    const sent =
      evidence === undefined || !needsProof(this.session)
        ? this.sendEnclosed(config)
        : this.sendCounted(evidence, config);
    if (this.session.settings.streamStart === false || streamStart === undefined) return sent;
    return streamStart.begun(sent, this.session, this, config.signal);
  }

  /** A function of its own: one that makes a closure allocates room for its variables at each call. */
  private sendCounted(
    evidence: NonNullable<AxiosParts['evidence']>,
    config: RequestConfig,
  ): Promise<ResponseShape> {
    return evidence.sendCounted(this, config, (own) => this.sendEnclosed(own));
  }

  letGo(sent: Abortable | undefined): boolean {
    return this.parts.streamStart?.letStart(this.session, sent?.signal) === true;
  }

  sendEnclosed(config: RequestConfig): Promise<ResponseShape> {
    const { layers } = this.parts;
    if (layers?.mayMeet('anything') !== true) return this.adapter(config);
    return layers.sendEnclosed(this, config);
  }

  addressNow(): () => string {
    const { url, baseURL, allowAbsoluteUrls } = this.config;
    return () => urlOf({ url, baseURL, allowAbsoluteUrls });
  }

  breakOff(abort: () => void): void {
    breakBody(this.config.data, abort);
  }

  whenRead(answer: ResponseShape | undefined, sent: Abortable, done: () => void): void {
    whenRead(answer, sent, done, this.parts.node);
  }

  // -------------------------------------------------------------- what came of it

  /** An adapter of the caller's may return nothing at all. */
  accepts(answer: ResponseShape | undefined): boolean {
    return (
      this.failureIn(answer, true) === undefined &&
      acceptsStatus(this.session, answer?.status, this.parts.node)
    );
  }

  /** How an answer has failed that is there. From an error, it has a status of its own that counts, cut off or not. */
  private failureIn(answer: ResponseShape | undefined, isResponse: boolean): StartFailure | undefined {
    const { failures, streamStart } = this.parts;
    // An adapter of the caller's may return anything.
    if (!answer) return undefined;
    const hasStarts = this.session.settings.streamStart !== false;
    const cut = isResponse ? failures.cutOffIn?.(answer) : undefined;
    return cut ?? (hasStarts ? streamStart?.startFailureOf(answer) : undefined);
  }

  statusOf(answer: ResponseShape | undefined): number | undefined {
    return answer?.status;
  }

  outcomeOf(ending: Ending<ResponseShape>): ClientOutcome {
    const answer = answerOf(ending);
    const outcome = outcomeOf(ending, this, this.failureIn(answer, ending.kind === 'response'));
    const { bodyHints, credentials, hooks } = this.parts;
    return (hooks ?? bodyHints ?? credentials)?.detailsByAxios(outcome, answer, this) ?? outcome;
  }

  lightened(error: unknown): unknown {
    return this.parts.failures.lightened?.(error) ?? error;
  }

  release(ending: Ending<ResponseShape>): undefined {
    const answer = answerOf(ending);
    this.releaseStart(answer);
    if (answer !== undefined) release(answer, this.method, this.sleep, this.parts.node);
  }

  /** To be called in the turn in which the caller gets the answer, or in which it is discarded. */
  releaseStart(answer: ResponseShape | undefined): void {
    this.parts.streamStart?.releaseStart(answer);
  }

  unread(ending: Ending<ResponseShape>): object | undefined {
    const data = answerOf(ending)?.data;
    return isStream(data) || isWebStream(data) ? data : undefined;
  }

  whenBodyEnds(ending: Ending<ResponseShape>, done: Cancel): void {
    const body = bodyToRead(answerOf(ending), this.method);
    if (body === undefined) done();
    else this.parts.concurrency?.whenOver(body, this.sleep, done);
  }

  coverBody(ending: Ending<ResponseShape>, deadline: BodyDeadline): void {
    const answer = answerOf(ending);
    if (answer !== undefined) this.parts.bodyDeadline?.coverData(answer, deadline, this.sleep);
  }

  ownError<E extends Error>(error: E): E {
    return asAxiosError(error, this.config);
  }

  private get sleep(): Sleep {
    return this.installation.retrier.ports.sleep;
  }
}

/** axios calls this in place of the adapter. */
export function sendWithRetries(
  installation: Installation,
  config: RequestConfig,
  adapter: Adapter,
): Promise<ResponseShape> {
  let exchange: AxiosExchange;
  try {
    exchange = new AxiosExchange(installation, config, adapter);
  } catch (thrown) {
    // The override is invalid, or a function of the policy's threw.
    const error = errorOfOpening(thrown, 'config.retry');
    return Promise.reject(error instanceof PolicyError ? asAxiosError(error, config) : error);
  }
  return begin<ResponseShape>(exchange);
}

/** Makes `axios.isAxiosError` accept the error, whichever copy of axios asks. */
function asAxiosError<E extends Error>(error: E, config: RequestConfig): E {
  Object.assign(error, { isAxiosError: true, config });
  // The configuration is left out of JSON: it holds agents, sockets and secrets.
  const toJSON = (): object => {
    const { name, message, stack, code } = error as { code?: unknown } & Error;
    return { name, message, stack, code };
  };
  return Object.defineProperty(error, 'toJSON', { value: toJSON, configurable: true, writable: true });
}

function follow(
  signal: RequestConfig['signal'],
  cancelToken: RequestConfig['cancelToken'],
  listener: (reason: unknown) => void,
): Cancel {
  const onSignal = (): void => listener(signal?.reason);
  signal?.addEventListener?.('abort', onSignal);
  const unsubscribe = cancelToken ? subscribe(cancelToken, listener) : undefined;
  return () => {
    signal?.removeEventListener?.('abort', onSignal);
    unsubscribe?.();
  };
}

/**
 * A token that is cancelled calls its listeners by index, from the last to the first. If one of them leads to another
 * being taken off the list, the index points past its end: the token throws, and never tells the remaining requests. So
 * nothing is taken off a cancelled token. It drops the whole list itself when all have been told.
 */
function subscribe(token: CancelTokenShape, listener: (reason: unknown) => void): Cancel {
  let isOver = false;
  const listen = (reason: unknown): void => {
    if (!isOver) listener(reason);
  };
  token.subscribe(listen);
  return () => {
    isOver = true;
    if (!token.reason) token.unsubscribe(listen);
  };
}
