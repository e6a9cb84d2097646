/** One request in progress, without a transport. */

import type { ErrorOutcome, OverrideOptions, ResponseOutcome } from '../../index.js';
import type { Luck } from './luck.js';
import type { Pursuit, Strategy } from './pursuit.js';
import type { Route } from './routes.js';
import type { Ending } from './tally.js';

/** What sends requests: the clients of the world, or a service that calls the next one. */
export interface Caller {
  /** One for each process. */
  readonly strategies: readonly Strategy[];
  /** For each process: until when its server has told it to wait. */
  readonly forbiddenUntil: Float64Array;
  readonly timeoutMs: number | undefined;
  /** What each request overrides of its policy. */
  readonly override: Pick<OverrideOptions, 'deadlineMs'> | undefined;
  /** The station that its requests are sent to. */
  readonly station: { receive(exchange: Exchange, turn: number): void };
  routeFor(luck: Luck): Route;
  /** How long a client waits for the result; forever where clients do not leave. */
  patienceFor(luck: Luck): number;
  ended(exchange: Exchange, ending: Ending): void;
}

export class Exchange {
  readonly caller: Caller;
  readonly process: number;
  /** The number of the client, or of the visit where a service calls. */
  readonly by: number;
  readonly slot: number;
  readonly route: Route;
  readonly luck: Luck;
  readonly pursuit: Pursuit;
  readonly startedAt: number;
  attempts = 0;
  /** Changes with everything that happens to the exchange: an event or answer with an older turn is outdated. */
  turn: number;
  /** While two attempts are out, or one of them has ended and waits for the other. */
  race: Race | undefined = undefined;
  /** When its server allows the next attempt. */
  mayRetryAt = 0;
  /** Tells whether a caller's leaving is about this exchange or an earlier one in its slot; 0 when it is over. */
  mark: number;
  /** How often servers carried out the request. */
  applied = 0;

  constructor(caller: Caller, by: number, luck: Luck, parts: ExchangeParts) {
    this.caller = caller;
    this.by = by;
    this.luck = luck;
    this.slot = parts.slot;
    this.turn = parts.turn;
    this.mark = parts.turn;
    this.process = parts.process;
    this.route = parts.route;
    this.pursuit = parts.pursuit;
    this.startedAt = parts.startedAt;
  }

  /** Whether an attempt with this turn is still waited for. */
  isOut(turn: number): boolean {
    return this.turn === turn || this.race?.turn === turn;
  }
}

/** A hedge beside the attempt that was sent first, which has the turn of the exchange. */
export interface Race {
  /** The numbers of the two attempts. */
  readonly first: number;
  readonly hedge: number;
  /** The turn of the hedge; 0 when it has ended. */
  turn: number;
  /** How the attempt ended that ended first. */
  ending: ResponseOutcome | ErrorOutcome | undefined;
}

type ExchangeParts = Pick<Exchange, 'slot' | 'turn' | 'process' | 'route' | 'pursuit' | 'startedAt'>;
