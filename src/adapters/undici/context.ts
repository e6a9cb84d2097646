/** The request as rules and hooks see it, and the `context` that the caller gets beside the response. */

import type { IdempotencyKey } from '../../core/policy/options.js';
import { headerText } from '../../core/told.js';
import type { History, RequestFacts } from '../../core/types.js';
import { isKey, isKeyed, keyFor } from '../../drivers/idempotency-key.js';
import { withoutSecrets } from '../../kernel/events.js';
import type { Traceable } from '../../kernel/history.js';
import type { Session } from '../../kernel/session.js';
import { changed, withQuery } from './dispatch-options.js';
import type { DispatchOptions } from './handlers.js';
import { valuesOf } from './headers.js';

/**
 * The caller's `context`: it leads to the history, and holds what the layers underneath put there. It is an object of
 * its own and has no reference to itself, so it can be copied and walked through.
 */
class CallersContext implements Traceable {
  /**
   * An own property, so that it survives when the redirect interceptor copies the context into its own. A retry()
   * further out removes it.
   */
  undaunted: RequestContext | undefined;

  constructor(request: RequestContext) {
    this.undaunted = request;
  }

  /** Only what the layers underneath put there. */
  toJSON(): object {
    const { undaunted, ...adopted } = this;
    return adopted;
  }
}

/** An origin without userinfo: most requests go to the one before, and to look through it takes longer. */
let lastPlain: string | undefined;

/** Stands in for the options once the request is over, so that their body can be collected. */
const released: DispatchOptions = Object.freeze({ path: '/', method: 'GET' });

/**
 * Keeps the values that the caller could change in its options after the dispatch. Secrets are in private fields, out
 * of sight of logs.
 */
export class RequestContext implements RequestFacts {
  readonly #shown: CallersContext;
  #options: DispatchOptions;
  readonly #method: unknown;
  readonly #origin: DispatchOptions['origin'];
  readonly #path: unknown;
  readonly #headers: unknown;
  #session: Session | undefined = undefined;

  constructor(options: DispatchOptions) {
    this.#shown = new CallersContext(this);
    this.#options = options;
    this.#method = options.method;
    this.#origin = options.origin;
    this.#path = options.path;
    this.#headers = options.headers;
  }

  /** The options as they were first dispatched: some callers use one object for many requests. */
  get options(): DispatchOptions {
    const options = this.#options;
    const isAsItWas =
      options.method === this.#method &&
      options.origin === this.#origin &&
      options.path === this.#path &&
      options.headers === this.#headers;
    if (isAsItWas) return options;
    const was = { method: this.#method, origin: this.#origin, path: this.#path, headers: this.#headers };
    return changed(options, was as Partial<DispatchOptions>);
  }

  get method(): string {
    return typeof this.#method === 'string' ? this.#method : 'GET';
  }

  get origin(): string | undefined {
    const origin = this.#origin;
    if (typeof origin !== 'string') return origin?.origin;
    // The string that is known already has been hashed, and is compared by its address from here on.
    if (origin === lastPlain) return lastPlain;
    // A `scope` function may make a name of the origin, and names show up in events and snapshots: userinfo is removed.
    if (origin.includes('@')) return withoutSecrets(origin);
    lastPlain = origin;
    return origin;
  }

  get path(): string {
    return typeof this.#path === 'string' ? this.#path : '/';
  }

  /** With `query`, which undici writes into the path. */
  get address(): string {
    return withQuery(this.path, this.#options['query']);
  }

  /** True if the caller set an idempotency key, or if the rule adds one. */
  get keyed(): boolean {
    return isKeyed(this, this.#session?.settings.idempotencyKey ?? false);
  }

  get attempts(): History {
    return this.#session?.history ?? [];
  }

  /**
   * Adopts values from the context of a layer underneath: the redirect interceptor puts its history there, a new one
   * for each attempt.
   */
  adopt(context: object): void {
    for (const [key, value] of Object.entries(context)) {
      const isOurs = key === 'undaunted' || key in CallersContext.prototype;
      if (!isOurs) Object.assign(this.#shown, { [key]: value });
    }
  }

  /** The request is over: a response or error that the caller keeps must not keep the request's body alive. */
  release(): void {
    this.#options = released;
  }

  belongsTo(session: Session): void {
    this.#session = session;
  }

  /** The idempotency key that this request gets, unless the caller set one. */
  keyFrom(setting: IdempotencyKey): Readonly<Record<string, string>> | undefined {
    return keyFor(this, setting);
  }

  hasKey(header: string): boolean {
    return isKey(valuesOf(this.#headers, header));
  }

  header(name: string): string | undefined {
    return headerText(valuesOf(this.#headers, name));
  }

  get shown(): CallersContext {
    return this.#shown;
  }

  get isClaimed(): boolean {
    return this.#shown.undaunted === undefined;
  }

  /** Called by a retry() further out, which does the retrying: this one then only passes the request on. */
  claim(): void {
    this.#shown.undaunted = undefined;
  }
}

/** The request whose handler is being called with onRequestStart right now. */
let starting: RequestContext | undefined;

/** Returns the previous value, so that it can be restored. */
export function setStarting(context: RequestContext | undefined): RequestContext | undefined {
  const before = starting;
  starting = context;
  return before;
}

/**
 * A retry() underneath calls onRequestStart before it sends anything. It is recognised by `starting`, or by its context
 * if it is another copy of this package.
 */
export function innerContext(context: unknown): RequestContext | undefined {
  if (starting !== undefined) return starting;
  return typeof context === 'object' && context !== null && 'undaunted' in context
    ? (context as CallersContext).undaunted
    : undefined;
}
