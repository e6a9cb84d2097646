/** What each attempt sends, put into the configuration for its time, and taken out of it at the end. */

import type { Retry } from '../../core/types.js';
import { attemptHeaderOf } from '../../runtime/attempt-header.js';
import { recordOf } from '../../runtime/header-record.js';
import { contextFor } from '../../runtime/hooks.js';
import { keyFor } from '../../runtime/idempotency-key.js';
import type { Call } from './call.js';
import type { HeadersShape, RequestConfig } from './shapes.js';

/** Waits for the caller's own functions, as long as anybody wants to. */
type InTime = <T>(work: T | PromiseLike<T>) => T | Promise<T>;

export class Outgoing {
  private readonly call: Call;
  private readonly inTime: InTime;
  private readonly data: unknown;
  private readonly params: unknown;
  private readonly Headers: new (
    from: unknown,
  ) => HeadersShape;
  /** What the caller gave, and our idempotency key: it is part of the request from then on. */
  private base: Readonly<Record<string, unknown>>;
  /** For the next attempt: `beforeRetry` may change them. */
  private headers: Readonly<Record<string, unknown>>;
  /** The number of the retry. */
  private extra: Readonly<Record<string, string>> = {};
  private isFirst = true;
  private hasOwnHeaders = false;
  private isElsewhere = false;

  constructor(call: Call, inTime: InTime) {
    this.call = call;
    this.inTime = inTime;
    const { data, params, headers } = call.config;
    this.data = data;
    this.params = params;
    this.Headers = headers.constructor as Outgoing['Headers'];
    this.base = call.headersAtFirst;
    this.headers = this.base;
  }

  /** For the next attempt. */
  async prepare(): Promise<void> {
    const { config, body, headersAtFirst } = this.call;
    if (body !== undefined) config.data = await this.inTime(body.next());
    if (this.isFirst) this.addKey();
    const extra = { ...this.extra, ...body?.headers };
    const isAsGiven = this.isFirst && this.headers === headersAtFirst && Object.keys(extra).length === 0;
    this.isFirst = false;
    if (isAsGiven) return;
    this.hasOwnHeaders = true;
    config.headers = this.headersWith(extra);
  }

  /** Between two attempts. */
  async change(decision: Retry): Promise<void> {
    const { call } = this;
    const { beforeRetry, attemptHeader } = call.session.settings;
    this.isFirst = false;
    this.extra = attemptHeaderOf(attemptHeader, decision.attempt) ?? {};
    if (beforeRetry === undefined) return;
    const url = call.line.child.uri(call.config);
    // What is false, axios is not to add.
    const headers = recordOf(Object.entries(this.headers).filter(([, value]) => value !== false));
    const context = contextFor(call.session, decision, { url, headers });
    await this.inTime(beforeRetry(context));
    this.headers = { ...suppressed(this.headers, context.headers), ...context.headers };
    if (context.url === url) return;
    const { url: first, baseURL, allowAbsoluteUrls } = call.config;
    if (!this.isElsewhere) call.whereabouts = { url: first, baseURL, allowAbsoluteUrls };
    this.isElsewhere = true;
    put(call.config, { url: context.url, baseURL: undefined, params: undefined });
  }

  /**
   * As the caller's configuration stood before the first attempt; only the key stays. Whoever sends the same
   * configuration again, as an interceptor does that has fetched a new token, sends the same request again: under
   * another key, a server that has acted would act twice.
   */
  restore(): void {
    const { config, body, whereabouts } = this.call;
    if (body !== undefined) config.data = this.data;
    if (this.isElsewhere) {
      put(config, { url: whereabouts.url, baseURL: whereabouts.baseURL, params: this.params });
    }
    if (!this.hasOwnHeaders) return;
    this.headers = this.base;
    config.headers = this.headersWith({});
  }

  private addKey(): void {
    const { call } = this;
    const key = keyFor(call, call.session.settings.idempotencyKey);
    if (key === undefined) return;
    // One of that name that is none.
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

/** What is undefined does not stand there. */
function put(config: RequestConfig, values: Pick<RequestConfig, 'url' | 'baseURL' | 'params'>): void {
  Object.assign(config, values);
  if (values.baseURL === undefined) delete config.baseURL;
  if (values.params === undefined) delete config.params;
}

/** Those that axios is not to add, and that nobody has added since. */
function suppressed(
  headers: Readonly<Record<string, unknown>>,
  added: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const isSuppressed = ([name, value]: [string, unknown]): boolean =>
    (value === false || value === null) && !names.has(name.toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(isSuppressed));
}
