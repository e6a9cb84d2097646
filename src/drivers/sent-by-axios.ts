/**
 * What is known of a request that axios has sent. Its `http` adapter follows redirects through follow-redirects, which
 * counts them. What `fetch` does, its hops tell, and XMLHttpRequest tells nothing but where the answer came from.
 */

import { isJudgedByHead } from '../core/decide/whole.js';
import type { ClientOutcome } from '../core/events.js';
import { isObject } from '../core/is-object.js';
import type { Settings } from '../core/policy/settings.js';
import type { Evidence } from '../core/types.js';
import { originIn } from '../kernel/address.js';
import type { Session } from '../kernel/session.js';
import type { parsedBody } from './body/copied.js';
import type { contentOf } from './body/unpack.js';
import { HopCounter, isOfTunnel } from './hop-counter.js';
import type { Ending } from './loop/exchange.js';
import { needsProof } from './loop/judging.js';
import { platformFetch } from './platform-fetch.js';

/** Of the configuration, what decides by what the request goes. */
interface Config {
  adapter?: unknown;
  fetchOptions?: { readonly dispatcher?: unknown } | undefined;
  readonly env?: { readonly fetch?: unknown } | undefined;
  readonly transport?: unknown;
  readonly maxRedirects?: number;
  readonly httpVersion?: unknown;
}

interface Answer {
  readonly status: number;
  readonly request?: unknown;
}

/** The request of the caller. */
export interface SentExchange {
  readonly config: Config;
  readonly first: { readonly adapter: unknown };
  readonly session: Session;
  /** What the last attempt was sent through, if its hops count. */
  hops?: HopCounter | undefined;
}

/** What Node and follow-redirects show of a request. */
interface SentRequest {
  readonly _redirectCount?: unknown;
  /** The request of follow-redirects that this one was made for. */
  readonly _redirectable?: { readonly _redirectCount?: unknown };
  /** HTTP/1 only. */
  readonly getHeader?: unknown;
  /** Where the answer came from: in Node, and in browsers. */
  readonly res?: { readonly responseUrl?: unknown };
  readonly responseURL?: unknown;
}

function redirectsOf(sent: unknown): number | undefined {
  const { _redirectCount, _redirectable } = Object(sent) as SentRequest;
  const count = _redirectCount ?? _redirectable?._redirectCount;
  return typeof count === 'number' ? count : undefined;
}

// ---------------------------------------------------------------- credentials, which stay at their origin

/** Whether redirects are known to have led to another origin than this. */
function hasLeft(sent: unknown, origin: string | undefined): boolean {
  const { res, responseURL } = Object(sent) as SentRequest;
  const url = (redirectsOf(sent) ?? 0) > 0 ? res?.responseUrl : responseURL;
  return typeof url === 'string' && url !== '' && origin !== undefined && originIn(url) !== origin;
}

/** The request that follows a redirect. */
interface RedirectOptions {
  readonly href?: unknown;
  readonly headers?: Record<string, unknown>;
}

type BeforeRedirect = (options: RedirectOptions, ...rest: readonly unknown[]) => void;

/** Keeps these headers of the next attempts, which carry credentials, at the origin of the request. */
export function keepAtHome(
  headers: Readonly<Record<string, string>>,
  {
    config,
    origin,
  }: {
    readonly config: { beforeRedirect?: BeforeRedirect | undefined };
    readonly origin: string | undefined;
  },
  next: BeforeRedirect | undefined,
): void {
  config.beforeRedirect = keptAtHome(Object.keys(headers), origin, next);
}

/**
 * Takes these headers away from a request that a redirect leads to another origin. follow-redirects does so with
 * `authorization` and `cookie`, but not if that is a subdomain, and with no other header.
 */
function keptAtHome(
  names: readonly string[],
  origin: string | undefined,
  next: BeforeRedirect | undefined,
): BeforeRedirect {
  return (options, ...rest) => {
    const { href, headers = {} } = options;
    if (typeof href !== 'string' || originIn(href) !== origin) {
      for (const name of Object.keys(headers)) if (names.includes(name.toLowerCase())) delete headers[name];
    }
    next?.(options, ...rest);
  };
}

// ---------------------------------------------------------------- evidence

/** What the evidence of an attempt is, if it is known better than by its outcome. `answer`: it is judged by that. */
export function evidenceOf(
  ending: Ending<Answer>,
  answer: Answer | undefined,
  { first, config, hops, session }: SentExchange,
): Evidence | undefined {
  const given = config.adapter === first.adapter ? config : { ...config, adapter: first.adapter };
  if (answer !== undefined) {
    const isCounted = (): boolean => hops?.answered(answer.status) === true;
    if (isOfAnother(answer.request, given, session, isCounted)) return 'unknown';
    return isOfTunnel(answer.request) ? 'unsent' : undefined;
  }
  const { error } = ending as Extract<typeof ending, { kind: 'error' }>;
  const { request } = Object(error) as { readonly request?: unknown };
  return isOfAnother(request, given, session, () => hops?.failed(error) === true) ? 'unknown' : undefined;
}

/**
 * Whether the outcome is, or may be, that of another server than the one that was asked first, which has acted then. It
 * has to be known only where the evidence counts. `isCounted`: whether its hops show that there was no other.
 */
function isOfAnother(sent: unknown, config: Config, session: Session, isCounted: () => boolean): boolean {
  if ((redirectsOf(sent) ?? 0) > 0) return true;
  return needsProof(session) && !isKnownHop(sent, config) && !isCounted();
}

/** An adapter or a transport of the caller's may follow redirects or send other requests, and hide both. */
function isKnownHop(sent: unknown, config: Config): boolean {
  if (!isObject(sent) || isCallers(config)) return false;
  const redirects = redirectsOf(sent);
  if (redirects !== undefined) return redirects === 0;
  const { maxRedirects, httpVersion } = config;
  if (maxRedirects === 0 && typeof (sent as SentRequest).getHeader === 'function') return true;
  // Over HTTP/2, axios follows no redirects.
  return Number(httpVersion) === 2 && 'rstCode' in sent;
}

function isCallers({ adapter, transport }: Config): boolean {
  return Boolean(transport) || [adapter].flat().some((one) => typeof one === 'function');
}

/** Sends this configuration so that the hops of the attempt are counted. To be called where they count (`needsProof`). */
export function sendCounted<Sent extends Config, Result>(
  exchange: SentExchange & CopySender<Sent>,
  config: Sent,
  send: (config: Sent) => Promise<Result>,
): Promise<Result> {
  const hops = hopsOf(config);
  exchange.hops = hops;
  if (hops === undefined) return send(config);
  // The caller does not see our dispatcher in its configuration.
  const copy = copyWith(config, { fetchOptions: { ...config.fetchOptions, dispatcher: hops } });
  return sendCopy(copy, send, (result) => withOptionsOf(config, hops, exchange.shown(result, copy)));
}

/** Our dispatcher is taken out of what shows it. */
function withOptionsOf<Result>(config: Config, hops: HopCounter, result: Result): Result {
  for (const { config: shown } of bearersOf(result)) {
    if (shown?.fetchOptions?.dispatcher === hops) shown.fetchOptions = config.fetchOptions;
  }
  return result;
}

/** Undefined: this attempt's hops cannot be counted, or something else counts them. */
function hopsOf({ adapter, env, fetchOptions }: Config): HopCounter | undefined {
  if (!goesByFetch(adapter)) return undefined;
  const fetch = env?.fetch ?? (globalThis as { readonly fetch?: unknown }).fetch;
  return platformFetch(fetch) === 'undici' ? HopCounter.to(fetchOptions?.dispatcher) : undefined;
}

/** False if another adapter comes first, unless this build of axios lacks it. */
function goesByFetch(given: unknown): boolean {
  const adapters: readonly unknown[] = Array.isArray(given) ? given : [given];
  const first = adapters.find((one) => one && (one !== 'xhr' || typeof XMLHttpRequest !== 'undefined'));
  return typeof first === 'string' && first.toLowerCase() === 'fetch';
}

// ---------------------------------------------------------------- answers

/** How an answer has failed that is there: its body has broken off. */
interface CutOff {
  readonly cut: unknown;
}

/** Over HTTP/2, axios reports an answer as complete even if its stream was reset. */
export function cutOffIn(answer: {
  readonly request?: { readonly rstCode?: number } | undefined;
}): CutOff | undefined {
  return answer.request?.rstCode ? cutOff : undefined;
}

const cutOff: CutOff = /* @__PURE__ */ (() => ({
  cut: Object.assign(new Error('The response was cut off: its HTTP/2 stream was reset'), {
    code: 'ERR_HTTP2_STREAM_CANCEL',
  }),
}))();

/** Whether answers have to be whole, and the body of this one, whose status is final, has broken off. */
export function isBroken(error: unknown, status: number, settings: Settings): boolean {
  const mustBeWhole = settings.wholeBodyBytes > 0 && !isJudgedByHead(settings, status);
  return mustBeWhole && settings.failures(error, false).class === 'transient';
}

/** The request whose attempt was answered. */
interface JudgedExchange {
  readonly config: Parameters<typeof parsedBody>[1];
  readonly session: Session;
  readonly parts: {
    readonly bodyHints?: { readonly contentOf: typeof contentOf };
    readonly hooks?: { readonly parsedBody: typeof parsedBody };
  };
}

/** The outcome with what functions and hints of the policy look for in the answer. */
export function detailsByAxios(
  outcome: ClientOutcome,
  answer: (Answer & { readonly data: unknown; readonly headers: unknown }) | undefined,
  { config, parts, session }: JudgedExchange,
): ClientOutcome {
  if (answer === undefined) return outcome;
  const { bodyHints, hooks } = parts;
  const { settings, request } = session;
  const body = hooks && { body: () => hooks.parsedBody(answer, config) };
  if (outcome.kind === 'error') return { ...outcome, ...body };
  const { began, headers, status } = outcome;
  const mostBytes = settings.bodies?.bytesToRead(settings, request, status, headers) ?? 0;
  const content = began === undefined ? bodyHints?.contentOf(answer.data, headers, mostBytes) : undefined;
  const isElsewhere = settings.credentials !== false && hasLeft(answer.request, request.origin);
  return {
    ...outcome,
    ...(content !== undefined && { content }),
    ...(isElsewhere && { isElsewhere }),
    ...body,
  };
}

// ---------------------------------------------------------------- copies of the configuration

/** A configuration may inherit from a prototype of its own. */
export function copyWith<Sent extends object>(config: Sent, values?: object): Sent {
  return Object.assign(Object.create(Object.getPrototypeOf(config)), config, values);
}

export interface CopySender<Sent> {
  /** The result, with the caller's configuration in the place of this copy. */
  shown<Result>(result: Result, copy: Sent): Result;
}

/** Sends a copy of the configuration, which the result does not show. */
export async function sendCopy<Sent, Result>(
  copy: Sent,
  send: (copy: Sent) => Promise<Result>,
  shown: <Settled>(settled: Settled) => Settled,
): Promise<Result> {
  try {
    return shown(await send(copy));
  } catch (error) {
    throw shown(error);
  }
}

interface Bearer<Sent> {
  config?: Sent;
  readonly response?: Bearer<Sent>;
  readonly cause?: Bearer<Sent>;
}

/** What shows the configuration of an attempt. Older versions of axios wrap an error of their own in another one. */
export function bearersOf<Sent extends object = Config>(result: unknown): readonly Bearer<Sent>[] {
  const { response, cause } = Object(result) as Bearer<Sent>;
  return [result as Bearer<Sent>, response, cause, cause?.response].filter((bearer) => isObject(bearer));
}
