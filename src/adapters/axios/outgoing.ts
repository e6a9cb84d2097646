/** Puts what each attempt sends into the caller's configuration, and takes it out again at the end. */

import type { AttemptsApart } from '../../drivers/apart.js';
import type { HeaderRecord } from '../../drivers/header-record.js';
import { type KeyBearer, keyFor } from '../../drivers/idempotency-key.js';
import type { Detour } from '../../drivers/identity.js';
import type { Ending, Outgoing } from '../../drivers/loop/exchange.js';
import { rememberOutermost } from '../../drivers/outermost.js';
import type { AxiosParts } from '../../drivers/parts.js';
import { originIn } from '../../kernel/address.js';
import type { Session } from '../../kernel/session.js';
import { onceRead } from './answer.js';
import type { Body } from './body.js';
import type { Child } from './child.js';
import { answerOf, isCanceled } from './outcome.js';
import type { HeadersShape, RequestConfig, ResponseShape, SignalShape } from './shapes.js';
import { textOf, type Whereabouts } from './target.js';

/** The request whose attempts are prepared here, as it was before the first of them. */
interface PreparedExchange extends KeyBearer {
  readonly config: RequestConfig;
  readonly parts: AxiosParts;
  readonly method: string;
  readonly session: Session;
  readonly body: Body | undefined;
  readonly installation: { readonly child: Child };
  readonly headersAtFirst: Readonly<Record<string, unknown>>;
  readonly dataAtFirst: unknown;
  readonly urlAtFirst: RequestConfig['url'];
  readonly baseURLAtFirst: RequestConfig['baseURL'];
  readonly paramsAtFirst: unknown;
  /** The address that the caller gave, wherever the next attempt may go. */
  whereabouts: Whereabouts;
  readonly origin: string | undefined;
  /** Sends a copy of the caller's configuration, which the result does not show. */
  sendCopy(copy: RequestConfig): Promise<ResponseShape>;
  answerOf(ending: Ending<ResponseShape>): ResponseShape | undefined;
  releaseStart(answer: ResponseShape | undefined): void;
}

export class OutgoingConfig implements Outgoing<ResponseShape> {
  private readonly exchange: PreparedExchange;
  private readonly data: unknown;
  private readonly address: Pick<RequestConfig, 'url' | 'baseURL' | 'params'>;
  private readonly signal: SignalShape | null | undefined;
  private readonly beforeRedirect: RequestConfig['beforeRedirect'];
  private readonly Headers: new (
    from: unknown,
  ) => HeadersShape;
  /** The caller's headers and our idempotency key, which is part of the request from then on. */
  private base: Readonly<Record<string, unknown>>;
  /** The headers of the next attempt, which `beforeRetry` may change. */
  private headers: Readonly<Record<string, unknown>>;
  private hasOwnHeaders = false;
  /** Undefined until `beforeRetry` sends the request to another URL. */
  private detour: Detour | undefined = undefined;
  /** Sends attempts that may be out at the same time. */
  private apart: AttemptsApart<RequestConfig, ResponseShape> | undefined = undefined;

  constructor(exchange: PreparedExchange) {
    this.exchange = exchange;
    const { signal, headers, beforeRedirect } = exchange.config;
    this.data = exchange.dataAtFirst;
    this.address = {
      url: exchange.urlAtFirst,
      baseURL: exchange.baseURLAtFirst,
      params: exchange.paramsAtFirst,
    };
    this.signal = signal;
    this.beforeRedirect = beforeRedirect;
    this.Headers = headers.constructor as OutgoingConfig['Headers'];
    this.base = exchange.headersAtFirst;
    this.headers = this.base;
  }

  prepare(data: unknown, extra: Readonly<Record<string, string>> | undefined): void {
    const { config, body, headersAtFirst } = this.exchange;
    if (extra !== undefined) this.beginAnew();
    if (body !== undefined) config.data = data;
    if (extra === undefined) this.addKey();
    const more = { ...extra, ...this.ownHeaders(), ...body?.headers };
    const isAsGiven = this.headers === headersAtFirst && Object.keys(more).length === 0;
    if (extra === undefined && isAsGiven) return;
    this.hasOwnHeaders = true;
    config.headers = this.headersWith(more);
  }

  /** Those that carry credentials, which stay at this origin. */
  private ownHeaders(): Readonly<Record<string, string>> | undefined {
    const { config, origin, parts, session } = this.exchange;
    const own = session.credentials?.headers;
    if (own !== undefined)
      config.beforeRedirect = parts.credentials?.keptAtHome(Object.keys(own), origin, this.beforeRedirect);
    return own;
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

  target(asSent: (address: string) => string): { url: string; headers: [name: string, value: unknown][] } {
    const { config, installation } = this.exchange;
    this.beginAnew();
    // A header that is false is one that axios must not add.
    const headers = Object.entries(this.headers).filter(([, value]) => value !== false);
    return { url: asSent(textOf(installation.child.uri(config))), headers };
  }

  change(headers: HeaderRecord, url: string | undefined): void {
    const { config, parts } = this.exchange;
    // Only the part for hooks changes a request.
    const { changed, Detour } = parts.hooks as Required<AxiosParts>['hooks'];
    this.headers = changed(this.headers, headers);
    if (url === undefined) return;
    if (this.detour === undefined) {
      const { url: first, baseURL, allowAbsoluteUrls } = config;
      this.exchange.whereabouts = { url: first, baseURL, allowAbsoluteUrls };
      this.detour = new Detour(config);
    }
    this.detour.goTo(url, originIn(url) === this.exchange.origin);
  }

  /** An adapter of the caller's may sign the address or encrypt the data in the configuration, and would do so twice. */
  private beginAnew(): void {
    const { config, body } = this.exchange;
    if (body === undefined && config.data !== this.data) config.data = this.data;
    const { url, baseURL, params } = this.address;
    if (this.detour !== undefined) return;
    if (config.url !== url || config.baseURL !== baseURL || config.params !== params)
      put(config, this.address);
  }

  ended(): void {
    const { config } = this.exchange;
    if (this.signal === undefined) delete config.signal;
    else config.signal = this.signal;
  }

  close(ending: Ending<ResponseShape>): void {
    const { body } = this.exchange;
    this.apart?.end(answerOf(ending));
    this.exchange.releaseStart(answerOf(ending));
    if (ending.kind === 'response') body?.close?.();
    else if (body !== undefined) onceRead(answerOf(ending), () => body.close?.(ending.error));
    this.restore();
    const { config, session } = this.exchange;
    if (ending.kind === 'error' || session.attempt > 1 || isCanceled(config)) this.rememberConfig();
  }

  /**
   * The caller may get an error that is made after this, by axios or an interceptor, and that has this configuration. Of
   * a cancelled request, it may be the token's reason.
   */
  private rememberConfig(): void {
    const { config, session } = this.exchange;
    rememberOutermost(config, session);
    rememberOutermost(config.cancelToken?.reason, session);
  }

  /**
   * Restores the caller's configuration as it was before the first attempt; only the key stays. An interceptor that
   * fetches a new token and sends the same configuration again sends the same request: under a new key, a server that
   * has acted would act twice.
   */
  private restore(): void {
    const { config, body } = this.exchange;
    if (body !== undefined) config.data = this.data;
    if (this.detour !== undefined) {
      this.detour.end();
      put(config, this.address);
    }
    if (config.beforeRedirect !== this.beforeRedirect) {
      if (this.beforeRedirect === undefined) delete config.beforeRedirect;
      else config.beforeRedirect = this.beforeRedirect;
    }
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

/** Sets these values, and removes those that are undefined. */
function put(config: RequestConfig, values: Pick<RequestConfig, 'url' | 'baseURL' | 'params'>): void {
  Object.assign(config, values);
  if (values.baseURL === undefined) delete config.baseURL;
  if (values.params === undefined) delete config.params;
}
