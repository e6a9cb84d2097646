/** Prepares what each attempt sends: the caller's own input and init, as long as nothing has to be added. */

import { type KeyBearer, keyFor } from '../../drivers/idempotency-key.js';
import type { FetchChanges } from '../../drivers/identity.js';
import type { Ending, Outgoing } from '../../drivers/loop/exchange.js';
import type { FetchParts } from '../../drivers/parts.js';
import type { Session } from '../../kernel/session.js';
import type { Body } from './body.js';
import { headersOf, type Pair, pairsOf } from './request.js';
import { type InitShape, isRequest, type ResponseShape } from './shapes.js';

/** The request whose attempts are prepared here. */
interface PreparedExchange extends KeyBearer {
  readonly method: string;
  readonly origin: string | undefined;
  readonly session: Session;
  readonly parts: FetchParts;
  readonly body: Body | undefined;
  readonly spare: Body | undefined;
  /** The caller's input and init as they were at the call. */
  readonly inputAtFirst: unknown;
  readonly initAtFirst: InitShape | null | undefined;
  /** Those of the next attempt. */
  input: unknown;
  init: InitShape | null | undefined;
  readonly addressAtFirst: string;
  send(signal: AbortSignal): Promise<ResponseShape>;
}

export class OutgoingRequest implements Outgoing<ResponseShape> {
  readonly exchange: PreparedExchange;
  /** The headers of the next attempt, once `beforeRetry` or a key has changed them. */
  pairs: readonly Pair[] | undefined = undefined;
  /** Undefined until there is a retry that `beforeRetry` may change. */
  private changed: FetchChanges | undefined = undefined;

  constructor(exchange: PreparedExchange) {
    this.exchange = exchange;
  }

  prepare(body: unknown, extra: Readonly<Record<string, string>> | undefined): void {
    const { exchange } = this;
    const { inputAtFirst, initAtFirst, parts, session } = exchange;
    const isRepeated = extra !== undefined;
    if (isRepeated) parts.advice?.noticeRetryAgent(initAtFirst?.['dispatcher']);
    // A header of that name may be there whose value is not a key.
    else this.pairs = this.pairsWith(keyFor(exchange, session.settings.idempotencyKey));
    const pairs = this.pairsWith(extra, session.credentials?.headers);
    const ofBody = parts.streams?.initOfBody(body, exchange, isRepeated);
    const isAsGiven = pairs === undefined && ofBody === undefined;
    if (isAsGiven && !isRepeated) return;
    const isIgnored = !isAsGiven && parts.advice !== undefined && isRequest(inputAtFirst);
    const from =
      this.changed?.elsewhere ??
      (isIgnored ? parts.advice?.standIn(inputAtFirst, initAtFirst, pairs, isRepeated) : undefined);
    const init = from === undefined ? initAtFirst : (from.init as InitShape | null | undefined);
    if (isRepeated || from !== undefined) exchange.input = from === undefined ? inputAtFirst : from.input;
    exchange.init = isAsGiven
      ? init
      : { ...referrerOf(inputAtFirst, init), ...init, ...headersFrom(pairs), ...ofBody };
  }

  sendApart(
    signal: AbortSignal,
    extra: Readonly<Record<string, string>> | undefined,
  ): Promise<ResponseShape> {
    const { exchange } = this;
    if (extra !== undefined) {
      // The other attempt has an init of its own already.
      this.prepare(undefined, extra);
      exchange.init = exchange.parts.learning?.initOfHedge(exchange.init, exchange.input, exchange.method);
    }
    return exchange.send(signal);
  }

  get changes(): FetchChanges | undefined {
    const { hooks } = this.exchange.parts;
    this.changed ??= hooks && new hooks.FetchChanges(this);
    return this.changed;
  }

  close(ending: Ending<ResponseShape>): void {
    this.exchange.body?.close?.(ending.kind === 'error' ? ending.error : undefined);
  }

  get headers(): readonly Pair[] {
    const { inputAtFirst, initAtFirst } = this.exchange;
    return this.pairs ?? pairsOf(headersOf(inputAtFirst, initAtFirst));
  }

  /** The headers with these in the place of others of their names; undefined if they are the caller's. */
  private pairsWith(
    ...records: readonly (Readonly<Record<string, string>> | undefined)[]
  ): readonly Pair[] | undefined {
    const added = Object.entries(Object.assign({}, ...records) as Readonly<Record<string, string>>);
    if (added.length === 0) return this.pairs;
    const names = new Set(added.map(([name]) => name.toLowerCase()));
    return [...this.headers.filter(([name]) => !names.has(name.toLowerCase())), ...added];
  }
}

/** A record, which every fetch accepts, unless a name occurs twice. */
function headersFrom(pairs: readonly Pair[] | undefined): InitShape {
  if (pairs === undefined) return {};
  const names = new Set(pairs.map(([name]) => name.toLowerCase()));
  return { headers: names.size === pairs.length ? Object.fromEntries(pairs) : pairs };
}

/** Any value in init removes a Request's referrer, so it is put back, unless the caller's own init removes it. */
export function referrerOf(input: unknown, init: InitShape | null | undefined): InitShape {
  if (!isRequest(input) || Object.keys(init ?? {}).length > 0) return {};
  const { referrer, referrerPolicy } = input;
  return {
    ...(typeof referrer === 'string' && { referrer }),
    ...(typeof referrerPolicy === 'string' && { referrerPolicy }),
  };
}
