/**
 * Credentials that expire: the headers that each attempt is sent with, and the renewal once an answer has refused them.
 * However many requests are refused, there is one renewal at a time for one pair of functions, whichever rule or retrier
 * has them. An attempt that was sent before the last renewal needs none: it goes again at once.
 */

import { classify } from '../core/decide/classify.js';
import { hasGoneAgain, mayGoAgain } from '../core/decide/fresh.js';
import type {
  ClientOutcome,
  RefusingAnswer,
  RenewalContext,
  RenewalEvent,
  RequestEvent,
} from '../core/events.js';
import { headerReader } from '../core/hints/answer.js';
import { isObject } from '../core/is-object.js';
import type { Credentials } from '../core/policy/options.js';
import type { Settings } from '../core/policy/settings.js';
import { isPromise } from '../core/returned.js';
import { toldRequest } from '../core/told.js';
import type { Finding, ResponseOutcome, ToldRequest } from '../core/types.js';
import { originIn } from './address.js';
import { contextStorage, type Enclosure, suppressionInContext } from './context.js';
import type { About } from './events.js';
import type { attemptEnded, Passing } from './limits/admission.js';
import type { Ports } from './ports.js';
import type { Prospects, Session, SessionCredentials } from './session.js';
import { judging } from './timers.js';

// ---------------------------------------------------------------- what all requests with the same credentials share

/** After a failure, the next renewal waits for so long, then twice as long, and so on. */
const firstBackOffMs = 1_000;
const longestBackOffMs = 30_000;

/** The request that begins a renewal. */
interface Beginner {
  readonly session: Pick<Bearer, 'isHeard' | 'tell'>;
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly ports: Ports;
  readonly about: About;
}

class Renewals {
  /** How often the credentials have been renewed: attempts note it when they are sent. */
  generation = 0;
  /** The renewal that is under way: true if it succeeds. */
  running: Promise<boolean> | undefined = undefined;
  /** The last generation that a server has accepted, and the last one that it has refused from the first attempt on. */
  private accepted = -1;
  private useless = -1;
  private failures = 0;
  private notBefore = -Infinity;

  /** Undefined: the last renewal has failed, and its back-off is not over. */
  begin(beginner: Beginner, response: RefusingAnswer): Promise<boolean> | undefined {
    if (beginner.ports.now() < this.notBefore) return undefined;
    this.running = new Promise((resolve) => this.run(beginner, response, resolve));
    return this.running;
  }

  private run(beginner: Beginner, response: RefusingAnswer, resolve: (ok: boolean) => void): void {
    const { credentials, ports, settings } = beginner;
    const { timeoutMs } = credentials;
    const since = ports.now();
    const control = new AbortController();
    let isOver = false;
    const end = (ok: boolean): void => {
      // Also one that had taken too long, and has succeeded after all.
      if (ok) this.renewed();
      if (isOver) return;
      isOver = true;
      cancel();
      this.running = undefined;
      const now = ports.now();
      if (!ok) this.failed(now);
      tellRenewal(beginner, { ok, tookMs: now - since });
      resolve(ok);
    };
    const expire = (): void => {
      end(false);
      control.abort(tookTooLong(timeoutMs));
    };
    const cancel = ports.sleep(timeoutMs, expire, judging('awake', settings.unref));
    const context: RenewalContext = { response, signal: control.signal };
    within(this, async () => credentials.renew(context)).then(
      () => end(true),
      () => end(false),
    );
  }

  private renewed(): void {
    this.generation += 1;
    this.notBefore = -Infinity;
  }

  private failed(now: number): void {
    this.notBefore = now + Math.min(firstBackOffMs * 2 ** this.failures, longestBackOffMs);
    this.failures += 1;
  }

  isAccepted(generation: number, { now }: Ports): void {
    if (generation <= this.accepted) return;
    this.accepted = generation;
    this.failures = 0;
    // The renewal was good, whatever request had been refused after it.
    this.notBefore = Math.min(this.notBefore, now() + firstBackOffMs);
  }

  /** A fresh attempt was refused, too. If none was accepted, the renewal has failed, whatever it said. */
  isUseless(generation: number, now: number): void {
    const isLast = generation === this.generation && this.running === undefined;
    if (!isLast || generation <= this.accepted || generation === this.useless) return;
    this.useless = generation;
    this.failed(now);
  }
}

function tellRenewal({ session, about }: Beginner, how: Pick<RenewalEvent, 'ok' | 'tookMs'>): void {
  if (session.isHeard) session.tell({ type: 'renewal', ...about, ...how });
}

function tookTooLong(timeoutMs: number): Error {
  return Object.assign(new Error(`undaunted: the renewal took longer than ${timeoutMs} ms`), {
    name: 'TimeoutError',
  });
}

/** By the functions: policies keep copies of the objects that they are made of. */
const known: WeakMap<Credentials['renew'], WeakMap<Credentials['headers'], Renewals>> = new WeakMap();

function renewalsOf({ renew, headers }: Credentials): Renewals {
  const byHeaders = known.get(renew) ?? new WeakMap<Credentials['headers'], Renewals>();
  const renewals = byHeaders.get(headers) ?? new Renewals();
  known.set(renew, byHeaders);
  byHeaders.set(headers, renewals);
  return renewals;
}

// ---------------------------------------------------------------- requests that a renewal makes

/** Set while `renew` is called, for platforms where no context follows a request. */
let calling: Renewals | undefined;

interface Renewing extends Enclosure {
  readonly renewals: Renewals;
}

/** Calls `renew` outside of the request that begins the renewal: it is neither its attempt, nor are its retries suppressed. */
function within<T>(renewals: Renewals, renew: () => T): T {
  const context: Renewing = { request: undefined, isOver: true, renewals };
  const before = calling;
  calling = renewals;
  const storage = contextStorage();
  try {
    return storage === undefined ? renew() : storage.run(context, renew);
  } finally {
    calling = before;
  }
}

/** A request that the renewal makes itself would wait for its own end. */
function isWithin(renewals: Renewals): boolean {
  const context = suppressionInContext() as Partial<Renewing> | true | undefined;
  return calling === renewals || (typeof context === 'object' && context.renewals === renewals);
}

// ---------------------------------------------------------------- one request

/** The session, as far as its credentials have to do with it. */
interface Bearer extends Passing, Pick<Session, 'settings' | 'scope'> {
  /** When the deadline began to count. */
  readonly timedFrom: number | undefined;
  readonly suppressed: true | undefined;
  /** Undefined: the request asks no limit before an attempt. */
  readonly asked: { readonly attemptEnded: typeof attemptEnded } | undefined;
  readonly race: { gaveBack(attempt: number): boolean } | undefined;
  /** An attempt occupies nothing any more. */
  endPermit(): void;
  /** Whether there is a listener. */
  readonly isHeard: boolean;
  tell(event: RequestEvent): void;
  about(): About;
}

export class RequestCredentials implements SessionCredentials {
  private readonly session: Bearer;
  private readonly credentials: Credentials;
  private readonly renewals: Renewals;
  /** Whether the renewal itself makes this request. */
  private readonly isOfRenewal: boolean;
  private told: ToldRequest | undefined = undefined;
  private generation = 0;
  /** Whether the limits know already how the attempt ended. */
  isHeard = false;
  /** Whether the next attempt goes to another origin. */
  private isAway = false;
  /** Out of sight of logs. */
  #headers: SessionCredentials['headers'] = undefined;

  constructor(session: Bearer, credentials: Credentials) {
    this.session = session;
    this.credentials = credentials;
    this.renewals = renewalsOf(credentials);
    this.isOfRenewal = isWithin(this.renewals);
  }

  get headers(): SessionCredentials['headers'] {
    return this.#headers;
  }

  ask(): Promise<void> | undefined {
    this.#headers = undefined;
    if (this.isAway) return undefined;
    const { generation } = this.renewals;
    this.told ??= toldRequest(this.session.request);
    const given: unknown = this.credentials.headers(this.told);
    if (isPromise(given)) return this.take(given, generation);
    this.generation = generation;
    this.#headers = checked(given);
    return undefined;
  }

  /** Headers that were asked for before a renewal, and came after it, may be either. */
  private async take(given: PromiseLike<unknown>, generation: number): Promise<void> {
    const headers = await given;
    if (generation !== this.renewals.generation) {
      await this.ask();
      return;
    }
    this.generation = generation;
    this.#headers = checked(headers);
  }

  renewed(
    outcome: ClientOutcome,
    prospects: Prospects,
    attempt?: number,
  ): boolean | undefined | Promise<boolean> {
    const { credentials, renewals, session } = this;
    if (outcome.kind === 'error' || !credentials.statuses.includes(outcome.status)) return undefined;
    if (this.isAway || outcome.isElsewhere === true || this.isOfRenewal) return undefined;
    const { request, settings, history, suppressed, timedFrom: startedAt } = session;
    const { replayable, resumable, verdict } = prospects;
    const response = refusing(outcome);
    if (verdict === false || suppressed === true || lacksScope(response)) return undefined;
    const { ports } = session.scope;
    const now = ports.now();
    if (hasGoneAgain(history)) {
      renewals.isUseless(this.generation, now);
      return undefined;
    }
    const finding = classify(settings, outcome, ports.date());
    const world = { request, replayable, resumable, verdict, suppressed, startedAt, now };
    const may = mayGoAgain(settings, history, finding, world);
    const { running } = renewals;
    if (running === undefined && this.generation !== renewals.generation) return may;
    const beginner = { session, settings, credentials, ports, about: session.about() };
    // If this request cannot be sent again, the others can.
    const renewal = running ?? renewals.begin(beginner, response);
    if (!may || renewal === undefined) return false;
    this.isHeard = isHeardAlready(session, finding, attempt);
    return renewal;
  }

  /** The server has answered, and not refused the credentials. */
  accepted(): void {
    if (!this.isAway) this.renewals.isAccepted(this.generation, this.session.scope.ports);
  }

  /** `beforeRetry` sends the next attempt to this URL. Where it is not known that this is the same origin, it is another. */
  movesTo(url: string): void {
    const there = originIn(url);
    const { origin } = this.session.request;
    this.isAway = there !== undefined && (origin === undefined || there !== (originIn(origin) ?? origin));
  }
}

/**
 * The attempt is over, although it is decided only later what follows: no limit has to wait for that. False: the limits
 * hear of it when it is decided.
 */
function isHeardAlready(session: Bearer, finding: Finding, attempt: number | undefined): boolean {
  // Of two attempts, the race knows which permit is whose.
  if (attempt !== undefined && session.race?.gaveBack(attempt) === true) return false;
  session.asked?.attemptEnded(session, finding);
  session.endPermit();
  return true;
}

function refusing({ status, headers }: ResponseOutcome): RefusingAnswer {
  return { status, header: headerReader(headers) };
}

/** RFC 6750 3.1: the credentials are good, and new ones would be no better. */
function lacksScope({ header }: RefusingAnswer): boolean {
  return /(^|[\s,])error\s*=\s*"?insufficient_scope\b/i.test(header('www-authenticate') ?? '');
}

/** Names in lower case. A wrong value is not shown: it is most likely a secret. */
function checked(given: unknown): SessionCredentials['headers'] {
  if (given === undefined || given === null) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, value] of pairsIn(given)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw wrongHeaders(`a ${typeof value} for one of them`);
    headers[String(name).toLowerCase()] = value;
  }
  return headers;
}

function pairsIn(given: unknown): Iterable<readonly [unknown, unknown]> {
  if (!isObject(given)) throw wrongHeaders(`a ${typeof given}`);
  if (!(Symbol.iterator in given)) return Object.entries(given);
  const pairs = [...(given as Iterable<readonly [unknown, unknown]>)];
  if (pairs.some((pair) => !Array.isArray(pair))) throw wrongHeaders('a list');
  return pairs;
}

function wrongHeaders(what: string): TypeError {
  return new TypeError(
    `undaunted: credentials.headers returned ${what}; it must return headers, such as { authorization: 'Bearer …' }`,
  );
}
