/** The request as rules and hooks see it, and what the caller finds in `context` beside the response. */

import type { History, IdempotencyKey, RequestFacts } from '../../core/types.js';
import type { Traceable } from '../../runtime/history.js';
import type { Session } from '../../runtime/session.js';
import type { DispatchOptions } from './handlers.js';
import { headerOf } from './headers.js';

/** RFC 9110 9.2.1, and QUERY. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** Only a way to the options, which are full of secrets: most requests are never looked at. */
export class RequestContext implements RequestFacts, Traceable {
  /**
   * An own property, so that it survives when a redirect copies the context into its own. A retry() further
   * out takes it away.
   */
  undaunted: RequestContext | undefined;
  readonly #options: DispatchOptions;
  #session: Session | undefined = undefined;

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.undaunted = this;
  }

  get method(): string {
    const { method } = this.#options;
    return typeof method === 'string' ? method : 'GET';
  }

  get origin(): string | undefined {
    const { origin } = this.#options;
    return typeof origin === 'string' ? origin : origin?.origin;
  }

  get path(): string {
    const { path } = this.#options;
    return typeof path === 'string' ? path : '/';
  }

  /** By the caller, or by us as soon as the rule is known. */
  get keyed(): boolean {
    const setting = this.#session?.settings.idempotencyKey ?? false;
    return (
      (setting !== false && this.takesKey) || headerOf(this.#options.headers, 'idempotency-key') !== undefined
    );
  }

  /** For hooks, which may want to copy or print it. */
  get facts(): RequestFacts {
    const { method, origin, path, keyed } = this;
    return { method, origin, path, keyed };
  }

  /** What it adopted. */
  toJSON(): object {
    const { undaunted, ...rest } = this;
    return rest;
  }

  get attempts(): History {
    return this.#session?.history ?? [];
  }

  /** What lies underneath has a context of its own: a redirect its history, anew at each attempt. */
  adopt(context: object): void {
    for (const [key, value] of Object.entries(context)) {
      if (!(key in RequestContext.prototype)) Object.assign(this, { [key]: value });
    }
  }

  belongsTo(session: Session): void {
    this.#session = session;
  }

  /** The key that this request gets, unless the caller gave it one. */
  keyFrom(setting: IdempotencyKey): Readonly<Record<string, string>> | undefined {
    if (!this.takesKey || headerOf(this.#options.headers, setting.header) !== undefined) return undefined;
    const key = setting.generate?.() ?? crypto.randomUUID();
    return { [setting.header]: setting.quoted ? `"${key}"` : key };
  }

  /** Safe methods change nothing: they need none. */
  private get takesKey(): boolean {
    return !safeMethods.has(this.method.toUpperCase());
  }

  get isClaimed(): boolean {
    return this.undaunted === undefined;
  }

  /** A retry() further out is at work. */
  claim(): void {
    this.undaunted = undefined;
  }
}

/** The context of a retry() underneath, which starts its handler before it sends anything. */
export function innerContext(context: unknown): RequestContext | undefined {
  return typeof context === 'object' && context !== null && 'undaunted' in context
    ? (context as RequestContext).undaunted
    : undefined;
}
