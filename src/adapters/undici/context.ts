/** The request as rules and hooks see it, and what the caller finds in `context` beside the response. */

import type { IdempotencyKey, RequestFacts } from '../../core/types.js';
import type { Traceable } from '../../runtime/history.js';
import type { Session } from '../../runtime/session.js';
import type { DispatchOptions } from './handlers.js';
import { headerOf } from './headers.js';

/** RFC 9110 9.2.1, and QUERY. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** Only a way to the options: most requests are never looked at. */
export class RequestContext implements RequestFacts, Traceable {
  /** An own property, so that it survives when a redirect copies the context into its own. */
  readonly undaunted: RequestContext;
  /** A retry() further out is at work. */
  isClaimed = false;
  private readonly options: DispatchOptions;
  private session: Session | undefined = undefined;
  /** Where its idempotency key would stand; once somebody has asked, whether it has one. */
  private key: string | boolean = 'idempotency-key';

  constructor(options: DispatchOptions) {
    this.options = options;
    this.undaunted = this;
  }

  get method(): string {
    const { method } = this.options;
    return typeof method === 'string' ? method : 'GET';
  }

  get origin(): string | undefined {
    const { origin } = this.options;
    return typeof origin === 'string' ? origin : origin?.origin;
  }

  get path(): string {
    const { path } = this.options;
    return typeof path === 'string' ? path : '/';
  }

  get keyed(): boolean {
    if (typeof this.key === 'string') this.key = headerOf(this.options.headers, this.key) !== undefined;
    return this.key;
  }

  get history(): Session['history'] {
    return this.session?.history ?? [];
  }

  belongsTo(session: Session): void {
    this.session = session;
  }

  /** The key that this request gets, unless the caller gave it one. Safe methods change nothing: they need none. */
  keyFrom(setting: IdempotencyKey): Readonly<Record<string, string>> | undefined {
    if (safeMethods.has(this.method.toUpperCase())) return undefined;
    if (headerOf(this.options.headers, setting.header) !== undefined || this.keyed) {
      this.key = true;
      return undefined;
    }
    this.key = true;
    const key = setting.generate?.() ?? crypto.randomUUID();
    return { [setting.header]: setting.quoted ? `"${key}"` : key };
  }
}

/** The context of a retry() underneath, which starts its handler before it sends anything. */
export function innerContext(context: unknown): RequestContext | undefined {
  return typeof context === 'object' && context !== null && 'undaunted' in context
    ? (context as RequestContext).undaunted
    : undefined;
}
