/** One request on its way, without a transport. */

import type { RequestFacts } from '../core/types.js';
import type { Pursuit, Strategy } from './pursuit.js';
import type { Tally } from './tally.js';

export type Ending = 'good' | 'failed' | 'refused';

/** Who sends requests: the clients of the world, or a service to the next one. */
export interface Caller {
  readonly facts: RequestFacts;
  /** One for each process. */
  readonly strategies: readonly Strategy[];
  /** For each process, until when its server has told it to wait. */
  readonly forbiddenUntil: Float64Array;
  readonly timeoutMs: number | undefined;
  /** Where they are sent to. */
  readonly station: { receive(call: Call): void };
  readonly tally: Tally;
  ended(call: Call, ending: Ending): void;
}

export class Call {
  readonly caller: Caller;
  readonly process: number;
  /** Which of the clients; which visit, where a service calls. */
  readonly by: number;
  readonly slot: number;
  readonly pursuit: Pursuit;
  readonly startedAt: number;
  attempts = 0;
  /** Changes with everything that happens to it: by an older one, outdated events and answers are known. */
  turn: number;
  /** When its own server lets it try again. */
  mayRetryAt = 0;
  /** How often servers did what it asks for. */
  applied = 0;

  constructor(
    caller: Caller,
    process: number,
    by: number,
    slot: number,
    turn: number,
    pursuit: Pursuit,
    startedAt: number,
  ) {
    this.caller = caller;
    this.process = process;
    this.by = by;
    this.slot = slot;
    this.turn = turn;
    this.pursuit = pursuit;
    this.startedAt = startedAt;
  }
}
