/**
 * A store in memory behind a network with configurable faults, for tests and the simulator. The clock and random
 * numbers are passed in; nothing here waits by itself.
 */

import type { Facts, FleetRecord, Reported, Told } from '../../core/limits/fleet/messages.js';
import { merge } from '../../core/limits/fleet/messages.js';
import type { Store } from '../port.js';

/** The clock, timers and random numbers of the world that the store is in. */
export interface Surroundings {
  readonly now: () => number;
  /** Calls `happen` after this time. */
  readonly later: (delayMs: number, happen: () => void) => void;
  readonly random: () => number;
}

/** What may happen to a message: a report, its answer, or news. */
export interface Network {
  /** How long a message takes, and how much longer at most, at random: with a spread, messages overtake each other. */
  readonly delayMs: number;
  readonly spreadMs?: number;
  /** The share of messages that are lost, and of those that arrive twice. */
  readonly lost?: number;
  readonly doubled?: number;
}

export class MemoryStore {
  /** The store does not answer, as if it were stopped; messages that arrive meanwhile are lost. */
  isStopped = false;
  network: Network;
  /** How many exchanges there were. */
  exchanges = 0;
  private readonly records: Map<string, FleetRecord> = new Map();
  private readonly links: Set<MemoryLink> = new Set();
  private readonly around: Surroundings;

  constructor(around: Surroundings, network: Network) {
    this.around = around;
    this.network = network;
  }

  /** The link of one process. */
  link(): MemoryLink {
    const link = new MemoryLink(this);
    this.links.add(link);
    return link;
  }

  /** Forgets all records, as an emptied Redis does. */
  forget(): void {
    this.records.clear();
  }

  keys(): string[] {
    return [...this.records.keys()];
  }

  recordOf(key: string): FleetRecord | undefined {
    return this.records.get(key);
  }

  /** Applies reports in one step. */
  take(reports: readonly Reported[]): Facts[] {
    this.exchanges += 1;
    const now = this.around.now();
    return reports.map(({ key, report }) => {
      const { record, facts, news } = merge(this.records.get(key), report, now);
      this.records.set(key, record);
      if (news !== undefined) this.publish({ key, facts: news });
      return facts;
    });
  }

  private publish(news: Told): void {
    for (const link of this.links) this.carry(link, () => link.hear(news));
  }

  /** Carries a message over the network between that process and the store. */
  carry(link: MemoryLink, arrive: () => void): void {
    const { random, later } = this.around;
    const { delayMs, spreadMs = 0, lost = 0, doubled = 0 } = this.network;
    if (link.isCut || (lost > 0 && random() < lost)) return;
    const copies = doubled > 0 && random() < doubled ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const takesMs = delayMs + (spreadMs > 0 ? random() * spreadMs : 0);
      later(takesMs, () => {
        if (!link.isCut) arrive();
      });
    }
  }
}

/** The connection of a process to the store. */
export class MemoryLink implements Store {
  /** Whether the connection is cut, so that no message gets through. */
  isCut = false;
  private readonly store: MemoryStore;
  private readonly listeners: Set<(news: Told) => void> = new Set();

  constructor(store: MemoryStore) {
    this.store = store;
  }

  canTake(): boolean {
    return true;
  }

  exchange(reports: readonly Reported[], answered: (facts: readonly Facts[] | undefined) => void): void {
    const { store } = this;
    let isAnswered = false;
    store.carry(this, () => {
      if (store.isStopped) return;
      const facts = store.take(reports);
      store.carry(this, () => {
        if (!isAnswered) answered(facts);
        isAnswered = true;
      });
    });
  }

  listen(told: (news: Told) => void): () => void {
    this.listeners.add(told);
    return () => this.listeners.delete(told);
  }

  hear(news: Told): void {
    for (const told of this.listeners) told(news);
  }
}
