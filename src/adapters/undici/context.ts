/** The request as rules and hooks see it, and what the caller finds in `context` beside the response. */

import type { IdempotencyKey } from '../../core/policy/options.js';
import type { History, RequestFacts } from '../../core/types.js';
import { withoutSecrets } from '../../runtime/events.js';
import type { Traceable } from '../../runtime/history.js';
import { isKey, isKeyed, keyFor } from '../../runtime/idempotency-key.js';
import type { Session } from '../../runtime/session.js';
import { changed } from './dispatch-options.js';
import type { DispatchOptions } from './handlers.js';
import { valuesOf } from './headers.js';

/**
 * What the caller gets as `context`: the way to the history, and what lies underneath has put there. An object of its
 * own, so that it can be copied and walked through: it does not lead back to itself.
 */
export class CallersContext implements Traceable {
  /**
   * An own property, so that it survives when a redirect copies the context into its own. A retry() further
   * out takes it away.
   */
  undaunted: RequestContext | undefined;

  constructor(request: RequestContext) {
    this.undaunted = request;
  }

  /** What it adopted. */
  toJSON(): object {
    const { undaunted, ...adopted } = this;
    return adopted;
  }
}

/** Once the request is over, its options and with them its body. */
const released: DispatchOptions = Object.freeze({ path: '/', method: 'GET' });

/** What the caller may change in its options once they are dispatched is kept; what is secret is not shown. */
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

  /** As they were dispatched first: some callers use one object for many requests. */
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
    // The caller's functions make names of it, which everybody sees.
    return origin.includes('@') ? withoutSecrets(origin) : origin;
  }

  get path(): string {
    return typeof this.#path === 'string' ? this.#path : '/';
  }

  /** By the caller, or by us as soon as the rule is known. */
  get keyed(): boolean {
    return isKeyed(this, this.#session?.settings.idempotencyKey ?? false);
  }

  get attempts(): History {
    return this.#session?.history ?? [];
  }

  /** What lies underneath has a context of its own: a redirect its history, anew at each attempt. */
  adopt(context: object): void {
    for (const [key, value] of Object.entries(context)) {
      const isOurs = key === 'undaunted' || key in CallersContext.prototype;
      if (!isOurs) Object.assign(this.#shown, { [key]: value });
    }
  }

  /** It is over: responses and errors that are kept do not keep the body of their request. */
  release(): void {
    this.#options = released;
  }

  belongsTo(session: Session): void {
    this.#session = session;
  }

  /** The key that this request gets, unless the caller gave it one. */
  keyFrom(setting: IdempotencyKey): Readonly<Record<string, string>> | undefined {
    return keyFor(this, setting);
  }

  hasKey(header: string): boolean {
    return isKey(valuesOf(this.#headers, header));
  }

  get shown(): CallersContext {
    return this.#shown;
  }

  get isClaimed(): boolean {
    return this.#shown.undaunted === undefined;
  }

  /** A retry() further out is at work. */
  claim(): void {
    this.#shown.undaunted = undefined;
  }
}

/** Whose handler is being started right now. */
let starting: RequestContext | undefined;

/** Returns what it was before, to be set again. */
export function setStarting(context: RequestContext | undefined): RequestContext | undefined {
  const before = starting;
  starting = context;
  return before;
}

/**
 * A retry() underneath starts its handler before it sends anything; it is known by that, or by its context
 * where it is another copy of this package.
 */
export function innerContext(context: unknown): RequestContext | undefined {
  if (starting !== undefined) return starting;
  return typeof context === 'object' && context !== null && 'undaunted' in context
    ? (context as CallersContext).undaunted
    : undefined;
}
