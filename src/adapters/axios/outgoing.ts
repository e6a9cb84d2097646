/** Puts what each attempt sends into the caller's configuration, and takes it out again at the end. */

import type { AttemptsApart } from '../../drivers/apart.js';
import { type KeyBearer, keyFor } from '../../drivers/idempotency-key.js';
import type { AxiosChanges } from '../../drivers/identity.js';
import type { Ending, Outgoing } from '../../drivers/loop/exchange.js';
import { rememberOutermost } from '../../drivers/outermost.js';
import type { AxiosParts } from '../../drivers/parts.js';
import type { Session } from '../../kernel/session.js';
import type { Body } from './body.js';
import { answerOf, isCanceled } from './outcome.js';
import type { HeadersShape, RequestConfig, ResponseShape } from './shapes.js';
import type { Whereabouts } from './target.js';

/**
 * What the caller gave. Adapters change the headers; those of the caller's may sign the address or pack the data; and mocks
 * take themselves out of the configuration.
 */
export interface RequestAtFirst {
  /** By name or as a function. */
  readonly adapter: unknown;
  readonly baseURL: RequestConfig['baseURL'];
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly params: unknown;
  readonly signal: RequestConfig['signal'];
  readonly url: RequestConfig['url'];
}

/** The request whose attempts are prepared here, as it was before the first of them. */
interface PreparedExchange extends KeyBearer {
  readonly config: RequestConfig;
  readonly parts: AxiosParts;
  readonly method: string;
  readonly session: Session;
  readonly body: Body | undefined;
  /** As axios itself writes it, with `params`. */
  readonly uri: string;
  readonly first: RequestAtFirst;
  /** The address that the caller gave, wherever the next attempt may go. */
  whereabouts: Whereabouts;
  readonly origin: string | undefined;
  sendConfig(config: RequestConfig): Promise<ResponseShape>;
  /** The result, with the caller's configuration in the place of this copy. */
  shown<Result>(result: Result, copy: RequestConfig): Result;
  answerOf(ending: Ending<ResponseShape>): ResponseShape | undefined;
  releaseStart(answer: ResponseShape | undefined): void;
  /** The body that the caller has still to read. */
  unread(ending: Ending<ResponseShape>): object | undefined;
}

export class OutgoingConfig implements Outgoing<ResponseShape> {
  readonly exchange: PreparedExchange;
  private readonly beforeRedirect: RequestConfig['beforeRedirect'];
  private readonly Headers: new (
    from: unknown,
  ) => HeadersShape;
  /** The caller's headers and our idempotency key, which is part of the request from then on. */
  private base: Readonly<Record<string, unknown>>;
  /** The headers of the next attempt, which `beforeRetry` may change. */
  headers: Readonly<Record<string, unknown>>;
  private hasOwnHeaders = false;
  /** Undefined until there is a retry that `beforeRetry` may change. */
  private changed: AxiosChanges | undefined = undefined;
  /** Sends attempts that may be out at the same time. */
  private apart: AttemptsApart<RequestConfig, ResponseShape> | undefined = undefined;

  constructor(exchange: PreparedExchange) {
    this.exchange = exchange;
    const { headers, beforeRedirect } = exchange.config;
    this.beforeRedirect = beforeRedirect;
    this.Headers = headers.constructor as OutgoingConfig['Headers'];
    this.base = exchange.first.headers;
    this.headers = this.base;
  }

  prepare(data: unknown, extra: Readonly<Record<string, string>> | undefined): void {
    const { config, body, first, parts, session } = this.exchange;
    if (extra !== undefined) this.beginAnew();
    if (body !== undefined) config.data = data;
    if (extra === undefined) this.addKey();
    const own = session.credentials?.headers;
    if (own !== undefined) {
      parts.advice?.noticeAuth(config.auth, own);
      parts.credentials?.keepAtHome(own, this.exchange, this.beforeRedirect);
    }
    const more = { ...extra, ...own, ...body?.headers };
    const isAsGiven = this.headers === first.headers && Object.keys(more).length === 0;
    if (extra === undefined && isAsGiven) return;
    this.hasOwnHeaders = true;
    config.headers = this.headersWith(more);
  }

  sendApart(
    signal: AbortSignal,
    extra: Readonly<Record<string, string>> | undefined,
  ): Promise<ResponseShape> {
    const { config, parts, session } = this.exchange;
    const isHedge = extra !== undefined;
    const headers = isHedge
      ? this.headersWith({ ...extra, ...session.credentials?.headers })
      : config.headers;
    // Only the part that hedges sends attempts apart.
    const { AttemptsApart } = parts.learning as Required<AxiosParts>['learning'];
    this.apart ??= new AttemptsApart(this.exchange);
    return this.apart.send({ signal, headers }, isHedge);
  }

  get changes(): AxiosChanges | undefined {
    const { hooks } = this.exchange.parts;
    this.changed ??= hooks && new hooks.AxiosChanges(this);
    return this.changed;
  }

  /** An adapter of the caller's may sign the address or encrypt the data in the configuration, and would do so twice. */
  beginAnew(): void {
    const { config, body, first } = this.exchange;
    if (body === undefined && config.data !== first.data) config.data = first.data;
    if (this.changed?.isElsewhere !== true) this.goHome();
  }

  /** To the address that the caller gave. */
  private goHome(): void {
    const { config, first } = this.exchange;
    put(config, 'url', first.url);
    put(config, 'baseURL', first.baseURL);
    put(config, 'params', first.params);
  }

  close(ending: Ending<ResponseShape>): void {
    const { body, config, parts, session } = this.exchange;
    const answer = answerOf(ending);
    this.apart?.end(answer);
    this.exchange.releaseStart(answer);
    if (ending.kind === 'response') body?.close?.();
    else if (body !== undefined) {
      const close = (): void => body.close?.(ending.error);
      if (parts.node !== undefined) parts.node.onceRead(answer, close);
      // An answer that the caller has still to read keeps its request: ending one may end both.
      else if (this.exchange.unread(ending) === undefined) close();
    }
    this.restore();
    if (ending.kind === 'response' && session.attempt === 1 && !isCanceled(config)) return;
    // The caller may get an error that is made after this, by axios or an interceptor, and that has this configuration. Of
    // a cancelled request, it may be the token's reason.
    rememberOutermost(config, session);
    rememberOutermost(config.cancelToken?.reason, session);
  }

  /**
   * Restores the caller's configuration as it was before the first attempt; only the key stays. An interceptor that
   * fetches a new token and sends the same configuration again sends the same request: under a new key, a server that
   * has acted would act twice.
   */
  private restore(): void {
    const { config, body, first } = this.exchange;
    if (body !== undefined) config.data = first.data;
    if (this.changed?.isElsewhere === true) {
      this.changed.end();
      this.goHome();
    }
    put(config, 'beforeRedirect', this.beforeRedirect);
    if (!this.hasOwnHeaders) return;
    this.headers = this.base;
    config.headers = this.headersWith({});
  }

  private addKey(): void {
    const { exchange } = this;
    const key = keyFor(exchange, exchange.session.settings.idempotencyKey);
    if (key === undefined) return;
    // A header of that name is there, but its value is not a key.
    const others = Object.entries(this.headers).filter(([name]) => !(name.toLowerCase() in key));
    this.base = { ...Object.fromEntries(others), ...key };
    this.headers = this.base;
  }

  private headersWith(extra: Readonly<Record<string, string>>): HeadersShape {
    const headers = new this.Headers(this.headers);
    for (const [name, value] of Object.entries(extra)) headers.set(name, value, true);
    return headers;
  }
}

/**
 * Sets this value, or removes it if it is undefined. An adapter of the caller's may have sealed or frozen the configuration:
 * the request goes on nevertheless.
 */
export function put(config: RequestConfig, key: keyof RequestConfig & string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(config, key);
  else Reflect.set(config, key, value);
}
