/**
 * Plays a scenario over real sockets, in virtual time: the next event happens only once the one before has settled,
 * that is, once its request waits for a time or for its server, or has ended. So every event happens at its own virtual
 * time, and in one order, whatever the machine does.
 *
 * Runs in any runtime; the server may be in another process.
 */

import type { History } from '../../src/core/types.js';
import type { Alarm } from '../../src/kernel/alarms.js';
import type { Ports } from '../../src/kernel/ports.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import type { Session, SessionTail } from '../../src/kernel/session.js';
import type { Sleep, SleepOptions } from '../../src/kernel/timers.js';
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
export type Script = Pick<ScenarioAttempt, 'answer' | 'redirect' | 'headers' | 'body' | 'afterMs'>;

/** One request under way. */
interface Passage {
  readonly request: ScenarioRequest;
  readonly sent: Sent[];
  /** What its server is about to do, for each attempt that is out. */
  readonly answers: Map<number, Planned>;
  /** Two attempts are out. */
  isHedged: boolean;
  /** After how long a hedge may be sent, if no answer comes. */
  hedgeAfterMs: number | undefined;
  /** The event being played has asked for a hedge. */
  hasAsked: boolean;
  /** Resolves once limits have heard that the answer is over, if one of them waits for that. */
  isOver: Promise<void> | undefined;
  record?: RequestRecord;
}

interface Planned {
  readonly atMs: number;
  readonly passage: Passage;
  /** It may send a hedge: the answer to the first attempt is still awaited. */
  readonly isHedge?: boolean;
  readonly happen: () => void;
}

export class Stage {
  readonly ports: Ports;
  readonly #scenario: Scenario;
  readonly #cue: (name: string) => void;
  readonly #planned = new Set<Planned>();
  /** What ends attempts that have lost, and answers that are drained. */
  readonly #leftovers = new Set<() => void>();
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

  /** For clients that time how an answer is drained, which is not part of a scenario. */
  get portsWithoutDrains(): Ports {
    const { sleep } = this.ports;
    return {
      ...this.ports,
      sleep: (delayMs, wake, options) =>
        options?.unref === true && !this.#isForHedge(delayMs, options)
          ? this.#atTheEnd(wake)
          : sleep(delayMs, wake, options),
    };
  }

  /** An attempt leaves: returns what will happen to it. One that is refused never arrives. */
  depart(): Script {
    const passage = this.#acting();
    const script = scriptFor(passage);
    if (isRefused(script)) passage.sent.push({ atMs: this.#now, headers: {} });
    return script;
  }

  /** The attempt has reached the server, which now waits for its cue. */
  arrive(cue: string, headers: Sent['headers']): Script {
    const passage = this.#acting();
    const script = scriptFor(passage);
    passage.sent.push({ atMs: this.#now, headers });
    if (script.answer !== 'silence') {
      const atMs = this.#now + (script.afterMs ?? 0);
      const attempt = passage.sent.length;
      const answer = this.#plan(atMs, passage, () => this.#cue(cue));
      passage.answers.set(attempt, answer);
    }
    this.#rest();
    return script;
  }

  /** The records of all requests, in their order. */
  async run(send: Send): Promise<readonly RequestRecord[]> {
    const passages = this.#scenario.requests.map(
      (request): Passage => ({
        request,
        sent: [],
        answers: new Map(),
        isHedged: false,
        hedgeAfterMs: undefined,
        hasAsked: false,
        isOver: undefined,
      }),
    );
    for (const passage of passages) {
      this.#plan(passage.request.atMs ?? 0, passage, () => void this.#send(passage, send));
    }
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) await this.#happen(next);
    // A browser has few connections for the scenarios to come.
    for (const end of this.#leftovers) end();
    for (const { happen } of this.#planned) happen();
    return passages.map(({ record }, index) => {
      if (record === undefined) throw new Error(`request ${index + 1} waits for what nothing brings about`);
      return record;
    });
  }

  /** Follows what the retrier's sessions rule about hedges, since an attempt that ends beside another one shows nothing. */
  attend(retrier: Retrier): Retrier {
    const open = retrier.open.bind(retrier);
    return Object.assign(retrier, {
      open: (...given: Parameters<Retrier['open']>) => this.#watched(open(...given)),
    });
  }

  #watched(session: Session): Session {
    const { tail } = session;
    const passage = this.#acting();
    this.#attendTurns(session, passage);
    if (tail === undefined) return session;
    const { hedgeAfterMs, hedge, withdraw, ended } = bound(tail);
    const alarms = new Map<Alarm, Planned>();
    Object.assign(tail, {
      // In a scope, requests share one timer, which may belong to a request that is over.
      awaitHedge: (alarm, afterMs) => {
        // No sleep is for it.
        passage.hedgeAfterMs = undefined;
        const ring = (): void => {
          alarm.dueAt = Infinity;
          alarm.ring();
        };
        alarm.dueAt = this.#now + afterMs;
        alarms.set(alarm, this.#plan(alarm.dueAt, passage, ring, true));
      },
      stopAwaiting: (alarm) => {
        const planned = alarms.get(alarm);
        if (planned !== undefined) this.#planned.delete(planned);
        alarm.dueAt = Infinity;
      },
      hedgeAfterMs: (...given: Parameters<typeof hedgeAfterMs>) => {
        passage.hedgeAfterMs = hedgeAfterMs(...given);
        return passage.hedgeAfterMs;
      },
      hedge: () => {
        const attempt = hedge();
        passage.hasAsked = true;
        passage.isHedged = attempt !== undefined;
        if (!passage.isHedged) this.#restSoon();
        return attempt;
      },
      withdraw: () => {
        passage.isHedged = false;
        withdraw();
      },
      ended: (...given: Parameters<typeof ended>) => {
        const ruling = ended(...given);
        if (ruling.kind === 'pending') {
          this.#awaitNoAnswerTo(passage.answers, given[0]);
          this.#restSoon();
        } else {
          passage.isHedged = false;
          this.#awaitNoAnswer(passage);
        }
        return ruling;
      },
    } satisfies Partial<SessionTail>);
    return session;
  }

  /** It may be called while another request ends. Then it goes on in an event of its own. */
  #attendTurns(session: Session, passage: Passage): void {
    const { onTurn, bodyEnded } = session;
    session.onTurn = (call) => onTurn.call(session, () => void this.#plan(this.#now, passage, call));
    if (!session.awaitsBody) return;
    passage.isOver = new Promise((resolve) => {
      session.bodyEnded = () => {
        bodyEnded.call(session);
        resolve();
      };
    });
  }

  /** The client goes on in this turn, but nothing that it does will show. */
  #restSoon(): void {
    setTimeout(this.#rest);
  }

  #atTheEnd(wake: () => void): () => void {
    this.#leftovers.add(wake);
    return () => this.#leftovers.delete(wake);
  }

  // -------------------------------------------------------------- what happens

  #plan(atMs: number, passage: Passage, happen: () => void, isHedge = false): Planned {
    const planned = { atMs, passage, happen, isHedge };
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

  async #happen({ atMs, passage, happen, isHedge }: Planned): Promise<void> {
    const rests = new Promise<void>((resolve) => {
      this.#rest = resolve;
    });
    // Any decision ends the attempt: its answer is not awaited any more.
    if (!isHedge && !passage.isHedged) this.#awaitNoAnswer(passage);
    this.#now = atMs;
    this.#current = passage;
    passage.hasAsked = false;
    happen();
    // Another timer of that length, after which the client goes on waiting.
    if (isHedge && !passage.hasAsked) this.#restSoon();
    await rests;
  }

  #awaitNoAnswer({ answers }: Passage): void {
    for (const attempt of answers.keys()) this.#awaitNoAnswerTo(answers, attempt);
  }

  #awaitNoAnswerTo(answers: Passage['answers'], attempt: number): void {
    const answer = answers.get(attempt);
    if (answer !== undefined) this.#planned.delete(answer);
    answers.delete(attempt);
  }

  #acting(): Passage {
    if (this.#current === undefined) throw new Error('nothing has happened yet');
    return this.#current;
  }

  #isForHedge(delayMs: number, options: SleepOptions | undefined): boolean {
    return options?.unref === true && delayMs === this.#acting().hedgeAfterMs;
  }

  // -------------------------------------------------------------- the caller's side

  async #send(passage: Passage, send: Send): Promise<void> {
    const { with: what, history } = await send(passage.request);
    await passage.isOver;
    passage.record = observed(passage.request, passage.sent, history, { with: what, atMs: this.#now });
    this.#rest();
  }

  readonly #sleep: Sleep = (delayMs, wake, options) => {
    const passage = this.#acting();
    const planned = this.#plan(this.#now + delayMs, passage, wake, this.#isForHedge(delayMs, options));
    // Only waits keep the process alive; all other timers only watch.
    if (options?.unref === false) this.#rest();
    return () => this.#planned.delete(planned);
  };
}

/** Whether the attempt never arrives at a server. */
export function isRefused({ answer, redirect }: Script): boolean {
  return answer === 'refused' && redirect === undefined;
}

/** The script of the next attempt; an unexpected one gets the last script. */
function scriptFor({ request: { attempts }, sent }: Passage): Script {
  return attempts[sent.length] ?? attempts.at(-1) ?? { answer: 200 };
}

/** Its methods, which are about to be replaced on it. */
function bound(tail: SessionTail): Pick<SessionTail, 'hedgeAfterMs' | 'hedge' | 'withdraw' | 'ended'> {
  return {
    hedgeAfterMs: tail.hedgeAfterMs.bind(tail),
    hedge: tail.hedge.bind(tail),
    withdraw: tail.withdraw.bind(tail),
    ended: tail.ended.bind(tail),
  };
}
