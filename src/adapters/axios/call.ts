/** One request as it begins: if its first attempt succeeds, there is nothing more to it. */

import { PolicyError } from '../../core/errors.js';
import type { RequestFacts } from '../../core/types.js';
import { remember } from '../../runtime/history.js';
import { isKey, isKeyed } from '../../runtime/idempotency-key.js';
import { enclosed, mayMeet } from '../../runtime/layers.js';
import { overrideFrom } from '../../runtime/override.js';
import type { Retrier } from '../../runtime/retrier.js';
import type { Session } from '../../runtime/session.js';
import type { Sleep } from '../../runtime/sleep.js';
import { beneath } from './beneath.js';
import { type Body, bodyOf } from './body.js';
import type { Child } from './child.js';
import { asAxiosError } from './errors.js';
import type { NamedAdapters } from './named.js';
import { type Ending, isCutOff } from './outcome.js';
import { Recovery } from './recovery.js';
import type { Adapter, RequestConfig, ResponseShape } from './shapes.js';
import { originOf, urlOf, type Whereabouts } from './target.js';

/** What all requests of one attachment share. */
export interface Line {
  readonly retrier: Retrier;
  readonly child: Child;
  readonly named: NamedAdapters;
  /** The adapter of the request before, most likely of the next one too. */
  last?: { readonly adapter: unknown; readonly wrapper: Adapter };
}

export class Call implements RequestFacts {
  readonly config: RequestConfig;
  readonly line: Line;
  readonly adapter: Adapter;
  readonly session: Session;
  readonly body: Body | undefined;
  /** Where the caller sent it, wherever the next attempt may go. */
  whereabouts: Whereabouts;
  /** As they were before the first attempt, since adapters change them. */
  readonly headersAtFirst: Readonly<Record<string, unknown>>;

  constructor(line: Line, config: RequestConfig, adapter: Adapter) {
    this.line = line;
    this.config = config;
    this.adapter = adapter;
    this.whereabouts = config;
    this.headersAtFirst = { ...config.headers };
    const { retry, socketPath } = config;
    const socket = typeof socketPath === 'string' ? socketPath : undefined;
    this.session = line.retrier.open(this, overrideFrom(retry), undefined, socket);
    this.body = bodyOf(config.data, this.session.settings);
  }

  // -------------------------------------------------------------- the facts

  get method(): string {
    return (this.config.method ?? 'GET').toUpperCase();
  }

  get origin(): string | undefined {
    return originOf(this.whereabouts);
  }

  get path(): string {
    return urlOf(this.whereabouts);
  }

  /** By the caller, or by us. */
  get keyed(): boolean {
    // While the session is being opened there are no settings yet.
    return isKeyed(this, this.session?.settings.idempotencyKey ?? false);
  }

  /** The caller's own, in this header; its name is in lower case. */
  hasKey(header: string): boolean {
    return Object.entries(this.headersAtFirst).some(
      ([name, value]) => name.toLowerCase() === header && isKey(value),
    );
  }

  get sleep(): Sleep {
    return this.line.retrier.ports.sleep;
  }

  // -------------------------------------------------------------- the first attempt

  start(): Promise<ResponseShape> {
    if (!this.isPlain) return new Recovery(this, undefined).run();
    try {
      return this.send().then(
        (response) => {
          if (!this.accepts(response)) return this.recover({ kind: 'response', response });
          this.remember(response);
          return response;
        },
        (error: unknown) => this.recover({ kind: 'error', error }),
      );
    } catch (error) {
      return this.recover({ kind: 'error', error });
    }
  }

  /** One attempt. */
  send(): Promise<ResponseShape> {
    const { adapter, config } = this;
    const what = beneath(config.adapter);
    return what === undefined ? adapter(config) : enclosed(this, what, adapter, config);
  }

  /** The history of what several layers hand over is that of the outermost. */
  remember(result: unknown): void {
    if (!mayMeet('anything') || this.session.isSuppressed !== true) remember(result, this.session);
  }

  /** Nothing has to be prepared, watched or asked before it is sent. */
  private get isPlain(): boolean {
    const { settings } = this.session;
    return (
      this.body === undefined &&
      settings.deadlineMs === undefined &&
      settings.attemptTimeoutMs === undefined &&
      settings.gate === false &&
      settings.hold === false &&
      settings.idempotencyKey === false
    );
  }

  private recover(ending: Ending): Promise<ResponseShape> {
    return new Recovery(this, ending).run();
  }

  /** An answer without a status is for the caller to understand. */
  accepts(response: ResponseShape | undefined): boolean {
    if (typeof response?.status === 'number' && response.status !== 0) {
      return !isCutOff(response) && this.session.acceptAtOnce(response.status);
    }
    this.session.abandon(0);
    return true;
  }
}

/** What axios calls in place of the adapter. */
export function sendWithRetries(line: Line, config: RequestConfig, adapter: Adapter): Promise<ResponseShape> {
  let call: Call;
  try {
    call = new Call(line, config, adapter);
  } catch (error) {
    // A policy that cannot be used, or a function in it.
    return Promise.reject(error instanceof PolicyError ? asAxiosError(error, config) : error);
  }
  return call.start();
}
