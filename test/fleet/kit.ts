/** Processes that share a store in memory, under one clock of their own. */

import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { Outcome } from '../../src/core/types.js';
import { fleetOver } from '../../src/fleet/fleet.js';
import type { MemoryLink, Network } from '../../src/fleet/memory/store.js';
import { MemoryStore } from '../../src/fleet/memory/store.js';
import type { Fleet } from '../../src/kernel/fleet.js';
import type { Retrier, RetrierSnapshot } from '../../src/kernel/retrier.js';
import type { Session } from '../../src/kernel/session.js';
import type { Sleep } from '../../src/kernel/timers.js';
import { createRetrier } from '../../src/parts/all.js';
import { answered, date, requestOf } from '../kit.js';

interface Waiting {
  readonly at: number;
  readonly happen: () => void;
  readonly isMessage: boolean;
}

export class Fleets {
  now = 1_000;
  luck = 0.5;
  private storeAheadMs = 0;
  readonly store: MemoryStore;
  readonly processes: readonly Process[];
  /** What was told, by process: shared or not. */
  readonly events: [process: number, isShared: boolean][] = [];
  private waiting: Waiting[] = [];

  constructor(policy: PolicyOptions, count: number, network: Network = { delayMs: 5 }) {
    const around = { now: () => this.now + this.storeAheadMs, later: this.later, random: () => this.luck };
    this.store = new MemoryStore(around, network);
    this.processes = Array.from({ length: count }, (_, index) => this.process(policy, index));
  }

  private process(policy: PolicyOptions, index: number): Process {
    const link = this.store.link();
    const observe = ({ isShared }: { readonly isShared: boolean }): void => {
      this.events.push([index, isShared]);
    };
    const fleet = fleetOver(link, { process: String(index), observe });
    const ports = {
      now: () => this.now,
      date: () => date + this.now,
      random: () => this.luck,
      sleep: this.sleep,
    };
    return new Process(createRetrier(policy, ports, { fleet }), link, fleet);
  }

  /** How far the store's clock is ahead of the processes'. */
  setStoreClock(aheadMs: number): number {
    this.storeAheadMs = aheadMs;
    return aheadMs;
  }

  private readonly later = (delayMs: number, happen: () => void): void => {
    this.waiting.push({ at: this.now + delayMs, happen, isMessage: true });
  };

  private readonly sleep: Sleep = (delayMs, wake) => {
    const entry = { at: this.now + delayMs, happen: wake, isMessage: false };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter((one) => one !== entry);
    };
  };

  /** How many timers and messages are under way. */
  get pending(): number {
    return this.waiting.length;
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (let next = this.nextBy(until); next !== undefined; next = this.nextBy(until)) {
      this.now = Math.max(this.now, next.at);
      next.happen();
    }
    this.now = until;
  }

  /** All processes are stalled for this time. After that, timers come first, as in Node, and then messages. */
  stall(ms: number): void {
    this.now += ms;
    for (const isMessage of [false, true]) {
      const { now } = this;
      for (let next = this.nextBy(now, isMessage); next !== undefined; next = this.nextBy(now, isMessage)) {
        next.happen();
      }
    }
  }

  /** The first that is due, which waits no more. */
  private nextBy(until: number, isMessage?: boolean): Waiting | undefined {
    const next = this.waiting.reduce<Waiting | undefined>((first, one) => {
      const isMeant = one.at <= until && (isMessage ?? one.isMessage) === one.isMessage;
      return isMeant && (first === undefined || one.at < first.at) ? one : first;
    }, undefined);
    if (next !== undefined) this.waiting = this.waiting.filter((one) => one !== next);
    return next;
  }

  at(index: number): Process {
    return this.processes[index] as Process;
  }

  /** Each in turn, again and again, until so long has passed. */
  every(ms: number, forMs: number, act: (process: Process, index: number) => void): void {
    const until = this.now + forMs;
    for (let turn = 0; this.now < until; turn += 1) {
      const index = turn % this.processes.length;
      act(this.at(index), index);
      this.pass(ms);
    }
  }
}

export class Process {
  readonly retrier: Retrier;
  readonly link: MemoryLink;
  readonly fleet: Fleet;

  constructor(retrier: Retrier, link: MemoryLink, fleet: Fleet) {
    this.retrier = retrier;
    this.link = link;
    this.fleet = fleet;
  }

  open(): Session {
    return this.retrier.open(requestOf());
  }

  /** A request that is let through at once ends so; else it gives up. */
  ask(outcome: Outcome = answered(200)): 'sent' | 'wait' | 'refuse' {
    const session = this.open();
    const admission = session.admit();
    session.tail?.sent(1);
    if (admission.kind !== 'go') session.abandon();
    else if (outcome.kind !== 'response' || !session.acceptAtOnce(outcome.status)) {
      session.next(outcome, { replayable: true });
    }
    return admission.kind === 'go' ? 'sent' : admission.kind;
  }

  get snapshot(): RetrierSnapshot {
    return this.retrier.snapshot();
  }

  get gate(): string {
    return this.snapshot.scopes[0]?.gates[0]?.state ?? 'open';
  }

  get isShared(): boolean {
    return this.snapshot.fleet?.isShared === true;
  }
}
