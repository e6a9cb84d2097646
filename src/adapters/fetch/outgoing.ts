/** Prepares what each attempt sends: the caller's own input and init, as long as nothing has to be added. */

import { iterates } from '../../drivers/body/iterates.js';
import { isWebStream } from '../../drivers/body/stream-like.js';
import type { HeaderRecord } from '../../drivers/header-record.js';
import { type KeyBearer, keyFor } from '../../drivers/idempotency-key.js';
import type { Ending, Outgoing } from '../../drivers/loop/exchange.js';
import type { FetchParts } from '../../drivers/parts.js';
import { originIn } from '../../kernel/address.js';
import type { Session } from '../../kernel/session.js';
import type { Body } from './body.js';
import { addressOf, headersOf, type Pair, pairsOf } from './request.js';
import { type InitShape, isRequest, type ResponseShape } from './shapes.js';

/** The request whose attempts are prepared here. */
interface PreparedExchange extends KeyBearer {
  readonly method: string;
  readonly origin: string | undefined;
  readonly session: Session;
  readonly parts: FetchParts;
  readonly body: Body | undefined;
  readonly isSpare: boolean;
  readonly isOurs: boolean;
  /** The caller's input and init as they were at the call. */
  readonly inputAtFirst: unknown;
  readonly initAtFirst: InitShape | null | undefined;
  /** Those of the next attempt. */
  input: unknown;
  init: InitShape | null | undefined;
  send(signal: AbortSignal): Promise<ResponseShape>;
}

export class OutgoingRequest implements Outgoing<ResponseShape> {
  private readonly exchange: PreparedExchange;
  /** The headers and the URL of the next attempt, once `beforeRetry` or a key has changed them. */
  private pairs: readonly Pair[] | undefined = undefined;
  private url: string | undefined = undefined;

  constructor(exchange: PreparedExchange) {
    this.exchange = exchange;
  }

  prepare(body: unknown, extra: Readonly<Record<string, string>> | undefined): void {
    const { exchange } = this;
    if (extra === undefined) this.addKey();
    else exchange.parts.advice?.noticeRetryAgent(exchange.initAtFirst?.['dispatcher']);
    if (this.addsNothing(extra)) return;
    const added = Object.entries({ ...extra, ...exchange.session.credentials?.headers });
    const pairs = added.length === 0 ? this.pairs : [...lacking(this.headers, added), ...added];
    const isRepeated = extra !== undefined;
    const anew = this.builtAnew(isRepeated, pairs);
    const { inputAtFirst, parts } = exchange;
    if (isRepeated)
      exchange.input = this.url ?? (anew === undefined ? inputAtFirst : addressOf(inputAtFirst));
    else if (pairs !== undefined && isRequest(inputAtFirst) && parts.advice?.ignoresInit(inputAtFirst))
      exchange.input = parts.advice.withHeaders(inputAtFirst, pairs);
    const more = {
      ...(anew ?? this.fromRequest(isRepeated, pairs)),
      ...headersFrom(pairs),
      ...this.bodyFrom(body, isRepeated),
    };
    const isAsGiven = Object.keys(more).length === 0;
    if (isAsGiven) exchange.init = isRepeated ? this.initToSend : exchange.init;
    else exchange.init = { ...this.initToSend, ...more };
  }

  /** Whether the URL and the init that the caller gave are all there is, as of most requests. */
  private addsNothing(extra: Readonly<Record<string, string>> | undefined): boolean {
    const { exchange } = this;
    const { body, inputAtFirst, session } = exchange;
    const mayAdd = typeof inputAtFirst !== 'string' || body || this.pairs || session.credentials;
    for (const _ in extra) return false;
    if (mayAdd) return false;
    if (extra !== undefined) {
      exchange.input = this.url ?? inputAtFirst;
      exchange.init = this.initToSend;
    }
    return true;
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

  /** The caller's init, or what of it may go to another origin: `beforeRetry` does not see it. */
  private get initToSend(): InitShape | null | undefined {
    const { initAtFirst, origin } = this.exchange;
    const isHome = this.url === undefined || originIn(this.url) === origin;
    return isHome || !initAtFirst ? initAtFirst : this.exchange.parts.hooks?.withoutIdentity(initAtFirst);
  }

  /** The init of an attempt that is built from it alone: a Request keeps its URL, and one that ignores init all of it. */
  private builtAnew(isRepeated: boolean, pairs: readonly Pair[] | undefined): InitShape | undefined {
    const { inputAtFirst, body, parts } = this.exchange;
    if (!isRepeated || !isRequest(inputAtFirst)) return undefined;
    const isIgnored = (body !== undefined || pairs !== undefined) && parts.advice?.ignoresInit(inputAtFirst);
    const part = this.url !== undefined ? parts.hooks : isIgnored === true ? parts.advice : undefined;
    return part && { ...part.initFrom(inputAtFirst), ...this.initToSend };
  }

  /** Any value in init removes a Request's referrer, so it is put back. */
  private fromRequest(isRepeated: boolean, pairs: readonly Pair[] | undefined): InitShape {
    const { inputAtFirst, initAtFirst, body } = this.exchange;
    if (!isRequest(inputAtFirst)) return {};
    const needsInit = (isRepeated && body !== undefined) || pairs !== undefined;
    return needsInit ? referrerOf(inputAtFirst, initAtFirst) : {};
  }

  private bodyFrom(body: unknown, isRepeated: boolean): InitShape {
    const { exchange } = this;
    if (exchange.body === undefined || (exchange.isSpare && !isRepeated)) return {};
    const isStream = typeof body === 'object' && body !== null && isReadOnce(body);
    const needsDuplex = isStream && exchange.isOurs && exchange.initAtFirst?.duplex === undefined;
    return needsDuplex ? { body, duplex: 'half' } : { body };
  }

  target(asSent: (address: string) => string): { url: string; headers: readonly Pair[] } {
    const { inputAtFirst } = this.exchange;
    return { url: this.url ?? asSent(addressOf(inputAtFirst)), headers: this.headers };
  }

  change(headers: HeaderRecord, url: string | undefined): void {
    this.pairs = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one): Pair => [name, one]),
    );
    if (url !== undefined) this.url = url;
  }

  ended(): void {
    // Nothing to undo: the attempt's signal was in a copy of init.
  }

  close(ending: Ending<ResponseShape>): void {
    const { body } = this.exchange;
    body?.close?.(ending.kind === 'error' ? ending.error : undefined);
  }

  private get headers(): readonly Pair[] {
    const { inputAtFirst, initAtFirst } = this.exchange;
    return this.pairs ?? pairsOf(headersOf(inputAtFirst, initAtFirst));
  }

  private addKey(): void {
    const { exchange } = this;
    const key = keyFor(exchange, exchange.session.settings.idempotencyKey);
    if (key === undefined) return;
    const added = Object.entries(key);
    // A header of that name is there, but its value is not a key.
    this.pairs = [...lacking(this.headers, added), ...added];
  }
}

/** A web stream, a Node stream or an async iterable: fetch requires `duplex` for these. */
function isReadOnce(body: object): boolean {
  return isWebStream(body) || iterates(body, Symbol.asyncIterator);
}

function lacking(pairs: readonly Pair[], names: readonly Pair[]): readonly Pair[] {
  const taken = new Set(names.map(([name]) => name.toLowerCase()));
  return pairs.filter(([name]) => !taken.has(name.toLowerCase()));
}

/** A record, which every fetch accepts, unless a name occurs twice. */
function headersFrom(pairs: readonly Pair[] | undefined): InitShape {
  if (pairs === undefined) return {};
  const names = new Set(pairs.map(([name]) => name.toLowerCase()));
  return { headers: names.size === pairs.length ? Object.fromEntries(pairs) : pairs };
}

/** The referrer of a Request, unless the caller's own init removes it. */
export function referrerOf(
  { referrer, referrerPolicy }: { readonly referrer?: string; readonly referrerPolicy?: string },
  init: InitShape | null | undefined,
): InitShape {
  if (Object.keys(init ?? {}).length > 0) return {};
  return {
    ...(typeof referrer === 'string' && { referrer }),
    ...(typeof referrerPolicy === 'string' && { referrerPolicy }),
  };
}
