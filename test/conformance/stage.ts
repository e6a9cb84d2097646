/**
 * Plays a scenario over real sockets, in virtual time: the next event happens only once the one before has settled,
 * that is, once its request waits for a time or for its server, or has ended. So every event happens at its own virtual
 * time, and in one order, whatever the machine does.
 *
 * Runs in any runtime; the server may be in another process.
 */

import type { History } from '../../src/core/types.js';
import type { Ports } from '../../src/runtime/ports.js';
import type { Sleep } from '../../src/runtime/sleep.js';
import { observed, type RequestRecord, type Sent } from './record.js';
import {
  diceOf,
  type End,
  epochMs,
  type Scenario,
  type ScenarioAttempt,
  type ScenarioRequest,
} from './scenario.js';

/** A client's result for a request. */
export interface Settled {
  readonly with: End['with'];
  readonly history: History | undefined;
}

export type Send = (request: ScenarioRequest) => Promise<Settled>;

/** What the server does with an attempt, once it is told to. */
export type Script = Pick<ScenarioAttempt, 'answer' | 'headers' | 'afterMs'>;

/** One request under way. */
interface Passage {
  readonly request: ScenarioRequest;
  readonly sent: Sent[];
  /** What its server is about to do. */
  answer?: Planned | undefined;
  record?: RequestRecord;
}

interface Planned {
  readonly atMs: number;
  readonly passage: Passage;
  readonly happen: () => void;
}

export class Stage {
  readonly ports: Ports;
  readonly #scenario: Scenario;
  readonly #cue: (name: string) => void;
  readonly #planned = new Set<Planned>();
  #now = 0;
  /** The request whose event is being played. */
  #current: Passage | undefined;
  #rest: () => void = () => undefined;

  /** `cue` lets the server continue with the answer of this name. */
  constructor(scenario: Scenario, cue: (name: string) => void) {
    this.#scenario = scenario;
    this.#cue = cue;
    this.ports = {
      now: () => this.#now,
      date: () => epochMs + this.#now,
      random: diceOf(scenario),
      sleep: this.#sleep,
    };
  }

  /** An attempt leaves: returns what will happen to it. One that is refused never arrives. */
  depart(): Script {
    const passage = this.#acting();
    const script = scriptFor(passage);
    if (script.answer === 'refused') passage.sent.push({ atMs: this.#now, headers: {} });
    return script;
  }

  /** The attempt has reached the server, which now waits for its cue. */
  arrive(cue: string, headers: Sent['headers']): Script {
    const passage = this.#acting();
    const script = scriptFor(passage);
    passage.sent.push({ atMs: this.#now, headers });
    if (script.answer !== 'silence') {
      const atMs = this.#now + (script.afterMs ?? 0);
      passage.answer = this.#plan(atMs, passage, () => this.#cue(cue));
    }
    this.#rest();
    return script;
  }

  /** The records of all requests, in their order. */
  async run(send: Send): Promise<readonly RequestRecord[]> {
    const passages = this.#scenario.requests.map((request): Passage => ({ request, sent: [] }));
    for (const passage of passages) {
      this.#plan(passage.request.atMs ?? 0, passage, () => void this.#send(passage, send));
    }
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) await this.#happen(next);
    return passages.map(({ record }, index) => {
      if (record === undefined) throw new Error(`request ${index + 1} waits for what nothing brings about`);
      return record;
    });
  }

  // -------------------------------------------------------------- what happens

  #plan(atMs: number, passage: Passage, happen: () => void): Planned {
    const planned = { atMs, passage, happen };
    this.#planned.add(planned);
    return planned;
  }

  /** The earliest plan; among those of one instant, the one planned first. */
  #takeNext(): Planned | undefined {
    let next: Planned | undefined;
    for (const planned of this.#planned) {
      if (planned.passage.record !== undefined) continue;
      if (next === undefined || planned.atMs < next.atMs) next = planned;
    }
    if (next !== undefined) this.#planned.delete(next);
    return next;
  }

  async #happen({ atMs, passage, happen }: Planned): Promise<void> {
    const rests = new Promise<void>((resolve) => {
      this.#rest = resolve;
    });
    // Any decision ends the attempt: its answer is not awaited any more.
    if (passage.answer !== undefined) this.#planned.delete(passage.answer);
    passage.answer = undefined;
    this.#now = atMs;
    this.#current = passage;
    happen();
    await rests;
  }

  #acting(): Passage {
    if (this.#current === undefined) throw new Error('nothing has happened yet');
    return this.#current;
  }

  // -------------------------------------------------------------- the caller's side

  async #send(passage: Passage, send: Send): Promise<void> {
    const { with: what, history } = await send(passage.request);
    passage.record = observed(passage.request, passage.sent, history, { with: what, atMs: this.#now });
    this.#rest();
  }

  readonly #sleep: Sleep = (delayMs, wake, options) => {
    const planned = this.#plan(this.#now + delayMs, this.#acting(), wake);
    // Only waits keep the process alive; all other timers only watch.
    if (options?.unref === false) this.#rest();
    return () => this.#planned.delete(planned);
  };
}

/** The script of the next attempt; an unexpected one gets the last script. */
function scriptFor({ request: { attempts }, sent }: Passage): Script {
  return attempts[sent.length] ?? attempts.at(-1) ?? { answer: 200 };
}
