/** What is dispatched: the caller's options, untouched where nothing has to differ, else a copy. */

import { stringify } from 'node:querystring';
import type { RetryContext } from '../../core/events.js';
import type { IdempotencyKey, RequestFacts } from '../../core/types.js';
import type { DispatchOptions } from './handlers.js';
import { headerOf, recordOf, withHeaders } from './headers.js';

/** Says that a retry() further out is at work. For every copy of this package in the process. */
const handled: unique symbol = Symbol.for('undaunted.handled');

export function isHandled(options: DispatchOptions): boolean {
  return options[handled] === true;
}

export function asHandled(options: DispatchOptions, body: unknown): DispatchOptions {
  return { ...options, body, [handled]: true };
}

/** The request as rules and hooks see it. Whether it has a key is looked up only when somebody asks. */
export class Facts implements RequestFacts {
  readonly method: string;
  readonly origin: string | undefined;
  readonly path: string;
  readonly #headers: unknown;
  #keyHeader = 'idempotency-key';
  #keyed: boolean | undefined = undefined;

  constructor({ method, origin, path, headers }: DispatchOptions) {
    this.method = typeof method === 'string' ? method : 'GET';
    this.origin = typeof origin === 'string' ? origin : origin?.origin;
    this.path = typeof path === 'string' ? path : '/';
    this.#headers = headers;
  }

  get keyed(): boolean {
    this.#keyed ??= headerOf(this.#headers, this.#keyHeader) !== undefined;
    return this.#keyed;
  }

  /** The key that this request gets, unless the caller gave it one. Safe methods change nothing: they need none. */
  keyFrom(setting: IdempotencyKey | false): Readonly<Record<string, string>> | undefined {
    if (setting === false || safeMethods.has(this.method.toUpperCase())) return undefined;
    this.#keyHeader = setting.header;
    this.#keyed = undefined;
    if (this.keyed) return undefined;
    this.#keyed = true;
    const key = setting.generate?.() ?? crypto.randomUUID();
    return { [setting.header]: setting.quoted ? `"${key}"` : key };
  }
}

/** RFC 9110 9.2.1, and QUERY. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** For `beforeRetry`: where the request goes and with what headers, to be changed. */
export function contextFor(
  options: DispatchOptions,
  known: Pick<RetryContext, 'request' | 'decision' | 'history'>,
): RetryContext {
  return { ...known, url: urlOf(options), headers: recordOf(options.headers) };
}

/** The options as `beforeRetry` left them. */
export function asChanged(options: DispatchOptions, { url, headers }: RetryContext): DispatchOptions {
  if (url === urlOf(options)) return { ...options, headers };
  const { origin, pathname, search } = new URL(url);
  return { ...options, headers, origin, path: pathname + search, query: undefined };
}

function urlOf({ origin, path, query }: DispatchOptions): string {
  const base = `${origin === undefined ? '' : new URL(String(origin)).origin}${path}`;
  if (typeof query !== 'object' || query === null) return base;
  return `${base}?${stringify(query as Record<string, string>)}`;
}

export function withMore(
  options: DispatchOptions,
  headers: Readonly<Record<string, string | undefined>>,
): DispatchOptions {
  return { ...options, headers: withHeaders(options.headers, headers) };
}
