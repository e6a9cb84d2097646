/**
 * A store in memory, behind a network that is as bad as it is told to be: for tests and for the simulator. Time and dice
 * are given; nothing here waits by itself.
 */

import type { FleetRecord } from '../../core/limits/fleet/merge.js';
import { merge } from '../../core/limits/fleet/merge.js';
import type { Facts, Reported, Told } from '../../core/limits/fleet/messages.js';
import type { Store } from '../port.js';

/** Where it is. */
export interface Surroundings {
  readonly now: () => number;
  /** Calls `happen` after so long. */
  readonly later: (delayMs: number, happen: () => void) => void;
  readonly random: () => number;
}

/** What may befall a message: a report, its answer, and news are messages. */
export interface Network {
  /** How long each of them takes; up to so much more, each by its own luck: with it, they overtake each other. */
  readonly delayMs: number;
  readonly spreadMs?: number;
  /** Which share of them is lost, and which arrives twice. */
  readonly lost?: number;
  readonly doubled?: number;
}

export class MemoryStore {
  /** It does not answer, as if it were stopped; what comes meanwhile is lost. */
  isStopped = false;
  network: Network;
  /** How many exchanges it has had. */
  exchanges = 0;
  private readonly records: Map<string, FleetRecord> = new Map();
  private readonly links: Set<MemoryLink> = new Set();
  private readonly around: Surroundings;

  constructor(around: Surroundings, network: Network) {
    this.around = around;
    this.network = network;
  }

  /** For one process. */
  link(): MemoryLink {
    const link = new MemoryLink(this);
    this.links.add(link);
    return link;
  }

  /** Everything, as an emptied Redis does. */
  forget(): void {
    this.records.clear();
  }

  keys(): string[] {
    return [...this.records.keys()];
  }

  recordOf(key: string): FleetRecord | undefined {
    return this.records.get(key);
  }

  /** What a report does, at once and whole. */
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

  /** Over the network of that process. */
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

/** A process's way to the store. */
export class MemoryLink implements Store {
  /** Nothing gets through. */
  isCut = false;
  private readonly store: MemoryStore;
  private readonly listeners: Set<(news: Told) => void> = new Set();

  constructor(store: MemoryStore) {
    this.store = store;
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
