/** One request on its way, without a transport. */

import type { OverrideOptions } from '../../index.js';
import type { Luck } from './luck.js';
import type { Pursuit, Strategy } from './pursuit.js';
import type { Route } from './routes.js';
import type { Ending } from './tally.js';

/** Who sends requests: the clients of the world, or a service to the next one. */
export interface Caller {
  /** One for each process. */
  readonly strategies: readonly Strategy[];
  /** For each process, until when its server has told it to wait. */
  readonly forbiddenUntil: Float64Array;
  readonly timeoutMs: number | undefined;
  /** What its requests say for themselves. */
  readonly override: Pick<OverrideOptions, 'deadlineMs'> | undefined;
  /** Where they are sent to. */
  readonly station: { receive(exchange: Exchange): void };
  routeFor(luck: Luck): Route;
  /** How long it waits for what comes of it; for ever, where clients do not leave. */
  patienceFor(luck: Luck): number;
  ended(exchange: Exchange, ending: Ending): void;
}

export class Exchange {
  readonly caller: Caller;
  readonly process: number;
  /** Which of the clients; which visit, where a service calls. */
  readonly by: number;
  readonly slot: number;
  readonly route: Route;
  readonly luck: Luck;
  readonly pursuit: Pursuit;
  readonly startedAt: number;
  attempts = 0;
  /** Changes with everything that happens to it: by an older one, outdated events and answers are known. */
  turn: number;
  /** When its own server lets it try again. */
  mayRetryAt = 0;
  /** By which its caller's leaving is known to be about it and no later exchange in its slot; 0 when it is over. */
  mark: number;
  /** How often servers did what it asks for. */
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
}

export type ExchangeParts = Pick<Exchange, 'slot' | 'turn' | 'process' | 'route' | 'pursuit' | 'startedAt'>;
