/**
 * Credentials in the scripts: a server that knows only tokens of its own, which expire, and logins that fail, hang, throw
 * or come too late; and what holds whatever becomes of them.
 */

import { setTimeout } from 'node:timers/promises';
import type { CredentialsOptions, PolicyOptions, RequestEvent } from '../../../src/index.js';
import { answer, type Lab, type Received, startLab } from '../../faults/lab.js';
import type { Dice } from './dice.js';

export interface Tokens {
  /** How many requests the n-th token is good for; the last one repeats. The first is there from the beginning. */
  readonly goodFor: readonly number[];
  /** What becomes of the n-th renewal; the last one repeats. */
  readonly renewals: readonly RenewalEnd[];
  /** By the clock. */
  readonly timeoutMs: number;
  readonly headers: 'at once' | 'later' | 'sometimes throws' | 'sometimes rejects';
  readonly at: 'head' | 'body';
  /** The server of another origin takes nothing, or everything. */
  readonly abroad: 401 | 200;
}

type RenewalEnd =
  | 'at once'
  | 'later'
  | 'throws'
  | 'rejects later'
  | 'hangs'
  | 'too late'
  | 'hears the signal';

interface Authorizable {
  readonly policy: PolicyOptions;
  readonly beforeRetry?: unknown;
}

/** Some scripts get them; the others stay as they were. */
export function withTokens<Script extends Authorizable>(
  dice: Dice,
  script: Script,
): Script & { readonly tokens?: Tokens } {
  const tokens = tokensAtRandom(dice);
  if (tokens === undefined) return script;
  // A hook that changes the next attempt forbids hedges.
  const goesAbroad = dice.chance(0.3) && script.policy.hedge === undefined;
  return { ...script, tokens, ...(goesAbroad && { beforeRetry: 'goes abroad' }) };
}

export function tokensAtRandom(dice: Dice): Tokens | undefined {
  if (!dice.chance(0.25)) return undefined;
  const good: readonly RenewalEnd[] = ['at once', 'later'];
  const bad: readonly RenewalEnd[] = ['throws', 'rejects later', 'hangs', 'too late', 'hears the signal'];
  return {
    goodFor: [dice.oneOf([0, 0, 1, 3]), ...dice.some(0, 2, () => dice.whole(0, 3)), dice.oneOf([1, 3, 9])],
    renewals: dice.some(1, 4, () => dice.oneOf(dice.chance(0.6) ? good : bad)),
    timeoutMs: dice.whole(5, 40),
    headers: dice.oneOf(['at once', 'at once', 'later', 'sometimes throws', 'sometimes rejects']),
    at: dice.oneOf(['head', 'body', 'body']),
    abroad: dice.oneOf([401, 200]),
  };
}

/** The server's side and the caller's, of one script. */
export class Login {
  readonly #tokens: Tokens;
  readonly #speed: number;
  /** The token that the caller has, and the one that the server takes, by their numbers. */
  #own = 0;
  #good = 0;
  #left: number;
  #asked = 0;
  #running = 0;
  /** What was wrong. */
  readonly complaints: string[] = [];
  renewals = 0;

  /** `speed`: how much faster the policy's time runs than the clock. */
  constructor(tokens: Tokens, speed: number) {
    this.#tokens = tokens;
    this.#speed = speed;
    this.#left = tokens.goodFor[0] ?? 0;
  }

  /** Whether the server refuses it; a token is spent a little by each request. */
  refuses({ headers }: Received): boolean {
    const isGood = headers['authorization'] === bearer(this.#good) && this.#left > 0;
    if (isGood) this.#left -= 1;
    return !isGood;
  }

  get credentials(): CredentialsOptions {
    const { headers, timeoutMs } = this.#tokens;
    const current = () => ({ authorization: bearer(this.#own) });
    return {
      timeoutMs: timeoutMs * this.#speed,
      headers: () => {
        this.#asked += 1;
        if (headers === 'at once') return current();
        const isUnlucky = headers !== 'later' && this.#asked % 4 === 0;
        if (isUnlucky && headers === 'sometimes throws') throw new Error('credentials.headers threw');
        return setTimeout(1).then(() => {
          if (isUnlucky) throw new Error('credentials.headers rejected');
          return current();
        });
      },
      renew: ({ signal }) => this.#renew(signal),
    };
  }

  #renew(signal: AbortSignal): Promise<void> | void {
    const { renewals } = this.#tokens;
    const how = renewals[Math.min(this.renewals, renewals.length - 1)] ?? 'at once';
    this.renewals += 1;
    this.#running += 1;
    if (this.#running > 1) this.complaints.push(`${this.#running} renewals at a time`);
    let isOver = false;
    const over = (): void => {
      if (!isOver) this.#running -= 1;
      isOver = true;
    };
    // What goes on after its time is no renewal any more.
    signal.addEventListener('abort', over, { once: true });
    if (how === 'at once') {
      over();
      this.#logIn();
      return undefined;
    }
    if (how === 'throws') {
      over();
      throw new Error('the login threw');
    }
    return this.#renewLater(how, signal).finally(over);
  }

  async #renewLater(how: Exclude<RenewalEnd, 'at once' | 'throws'>, signal: AbortSignal): Promise<void> {
    if (how === 'hangs') await new Promise(() => undefined);
    if (how === 'hears the signal') await setTimeout(60_000, undefined, { signal });
    await setTimeout(how === 'too late' ? 2 * this.#tokens.timeoutMs : 2);
    if (how === 'rejects later') throw new Error('the login rejected');
    this.#logIn();
  }

  #logIn(): void {
    const { goodFor } = this.#tokens;
    this.#good += 1;
    this.#own = this.#good;
    this.#left = goodFor[Math.min(this.#good, goodFor.length - 1)] ?? 0;
  }
}

function bearer(number: number): string {
  return `Bearer token-${number}`;
}

/** A server of another origin, which must get no token. */
export function openAbroad({ abroad }: Tokens): Promise<Lab> {
  return startLab(() => answer(abroad, ''));
}

/** Of one script, once all its calls are over. */
export function complaintsAboutLogin(
  login: Login,
  abroad: Lab,
  events: readonly RequestEvent[],
): readonly string[] {
  const told = events.filter(({ type }) => type === 'renewal').length;
  const leaks = abroad.requests.filter(({ headers }) => headers['authorization'] !== undefined).length;
  return [
    ...login.complaints,
    ...(told === login.renewals ? [] : [`${told} renewals are told of, not ${login.renewals}`]),
    ...(leaks === 0 ? [] : [`${leaks} requests with a token abroad`]),
  ];
}

/** How many attempts beyond `maxRetries` were decided for fresh credentials; there may be one for each request. */
export function freshAttemptsIn(events: readonly RequestEvent[]): number {
  return events.filter(isFresh).length;
}

function isFresh(event: RequestEvent): boolean {
  return event.type === 'decision' && event.decision.reason === 'fresh-credentials';
}

export function* complaintsAboutFreshAttempts({ events }: Pick<Heard, 'events'>): Generator<string> {
  const fresh = freshAttemptsIn(events);
  if (fresh > 1) yield `${fresh} fresh attempts`;
}

const stale = {
  does: 'refuse',
  status: 401,
  bytes: 5,
  headers: {},
  framing: 'length',
  isCut: false,
  afterwards: 'nothing',
} as const;

/** The answers to stale tokens, and the number that they have among the plays of a call. */
export const stalePlays = { head: { ...stale, at: 'head' }, body: { ...stale, at: 'body' } } as const;
export const staleNumber = -1;

/** The n-th play is for the n-th request that had a good token. */
export function isStale(play: object): boolean {
  return play === stalePlays.head || play === stalePlays.body;
}

interface Heard {
  readonly isWhole: boolean;
  readonly events: readonly RequestEvent[];
}

export function hasFailedRenewal({ events }: Pick<Heard, 'events'>): boolean {
  return events.some((event) => event.type === 'renewal' && !event.ok);
}

export const credentialMilestones: Readonly<Record<string, (trial: Heard) => boolean>> = {
  'whole with fresh credentials': ({ isWhole, events }) => isWhole && events.some(isFresh),
  'renewal failed': hasFailedRenewal,
  'refused, and not sent again': ({ events }) =>
    events.some((event) => event.type === 'settled') &&
    !events.some(isFresh) &&
    events.some((event) => event.type === 'renewal'),
};
