/**
 * Carries between the store and all shares of a process: gathers their reports into one round trip, at most ten times a
 * second, and passes the store's facts on to them. Nothing waits for it, and while the store is silent, requests go on.
 */

import type { Told } from '../core/limits/fleet/messages.js';
import type { Ports } from '../kernel/ports.js';
import type { Cancel } from '../kernel/timers.js';
import { type Answer, mostOut, type Store } from './port.js';
import { Records } from './records.js';
import type { Courier, RecordShare } from './share.js';

const flushMs = 100;
/** Records per round trip. */
const mostReports = 100;
/** Without an answer, a report is sent again after `againMs`, and the store counts as silent after `silentMs`. */
const againMs = 200;
const silentMs = 900;
/** The time between tries while the store is silent, at first and in the end, without jitter. */
const firstTryMs = 500;
const lastTryMs = 4_000;
/** Leases are returned after this time without anything to report. */
const restMs = 10_000;
/** When the store can be reached again, processes return spread over this time; at their start, nearly at once. */
const comingBackMs = 500;
const startingMs = 20;

const unrefed = { unref: true } as const;

interface RoundTrip {
  readonly shares: readonly RecordShare[];
  readonly sentAt: number;
  /** The same, not counting the time that this process was stalled before. */
  readonly awakeAt: number;
}

export class StoreCourier implements Courier {
  readonly process: string;
  private readonly store: Store;
  private readonly ports: Ports;
  private readonly tell: (isShared: boolean) => void;
  private readonly records: Records = new Records();
  private readonly out: Set<RoundTrip> = new Set();
  /** Joining: the store has not answered yet. */
  private state: 'joining' | 'shared' | 'alone' = 'joining';
  private flushing: Cancel | undefined = undefined;
  private watching: Cancel | undefined = undefined;
  private resting: Cancel | undefined = undefined;
  /** The `awakeAt` of the first round trip since which the store has not answered. */
  private waitingSince: number | undefined = undefined;
  private flushedAt = -Infinity;
  /** How long this process was stalled in total, as its late timers show: that says nothing about the store. */
  private stalledMs = 0;
  private watchAt = 0;
  private tries = 0;
  /** Ends the listening. */
  private readonly stopListening: () => void;
  /** Since it was closed, nothing is said. Called when the last answer has come. */
  private closed: (() => void) | undefined = undefined;

  constructor(store: Store, ports: Ports, process: string, tell: (isShared: boolean) => void) {
    this.store = store;
    this.ports = ports;
    this.process = process;
    this.tell = tell;
    this.stopListening = store.listen((news) => this.hear(news), this.reached);
  }

  get isShared(): boolean {
    return this.state === 'shared';
  }

  add(share: RecordShare): void {
    if (this.closed !== undefined) return;
    this.records.add(share);
    this.reportSoon(share);
    if (this.state === 'alone') {
      // Without a scope, this process had nothing to ask about, so it stopped asking.
      this.watching ??= this.ports.sleep(0, this.tryAgain, unrefed);
      return;
    }
    // Other processes may know something about this scope before the first request here fails. But scopes that come and
    // go, such as one for each user, cost no more round trips than others.
    if (this.ports.now() - this.flushedAt < flushMs) return;
    this.flushing?.();
    this.flushing = this.ports.sleep(0, this.flushNow, unrefed);
  }

  /** The scope is gone: its leases are returned, and requests that still wait there are served without the fleet. */
  forget(share: RecordShare): void {
    this.records.unmark(share);
    share.alone(this.ports.now());
    // Only while the store answers; otherwise, returned leases would pile up here.
    if (this.state === 'shared') share.rest(0);
    this.records.delete(share);
  }

  /** For good. `done` is called when the store has the leases back, or is silent. */
  close(done: () => void): void {
    const { isShared } = this;
    for (const share of this.records.all()) this.forget(share);
    this.sendAll();
    // This timer keeps the process alive, as the caller waits for it.
    const stopWaiting = this.ports.sleep(silentMs, done);
    this.closed = () => {
      stopWaiting();
      done();
    };
    this.stopListening();
    for (const cancel of [this.flushing, this.watching, this.resting]) cancel?.();
    this.state = 'alone';
    if (isShared) this.tell(false);
    if (!isShared || this.out.size === 0) this.closed();
  }

  // -------------------------------------------------------------- reporting

  reportSoon(share: RecordShare): void {
    if (share.isMarked || this.closed !== undefined) return;
    this.records.mark(share);
    if (this.state !== 'alone') this.flushing ??= this.ports.sleep(flushMs, this.flushNow, unrefed);
  }

  reportNow(share: RecordShare): void {
    this.reportSoon(share);
    this.records.markUrgent(share);
    if (this.state === 'shared') this.flush();
  }

  private readonly flushNow = (): void => {
    this.flushing = undefined;
    this.flush();
  };

  private flush(): void {
    this.flushing?.();
    this.flushing = undefined;
    if (!this.records.isMarked) return;
    this.flushedAt = this.ports.now();
    if (this.out.size < mostOut) this.send();
    if (this.records.isMarked) {
      if (this.state !== 'alone') this.flushing = this.ports.sleep(flushMs, this.flushNow, unrefed);
    } else {
      this.resting ??= this.ports.sleep(restMs, this.rest, unrefed);
    }
  }

  /** What the store cannot take now stays marked; that counts as silence. */
  private send(): void {
    const now = this.ports.now();
    this.waitingSince ??= now - this.stalledMs;
    this.watchOn(now);
    if (this.store.canTake()) this.makeTrip(now);
  }

  /** As much as the store can take now. */
  private sendAll(): void {
    while (this.records.isMarked && this.store.canTake()) this.makeTrip(this.ports.now());
  }

  private makeTrip(now: number): void {
    const shares = this.records.take(mostReports);
    const trip: RoundTrip = { shares, sentAt: now, awakeAt: now - this.stalledMs };
    const reports = shares.map((share) => ({ key: share.key, report: share.report(now) }));
    this.out.add(trip);
    this.store.exchange(reports, (facts) => this.answered(trip, facts));
  }

  /** This process is idle: other processes need its leases more. */
  private readonly rest = (): void => {
    this.resting = undefined;
    if (this.records.isMarked) return;
    for (const share of this.records.all()) share.rest();
  };

  // -------------------------------------------------------------- what the store says

  private answered(trip: RoundTrip, facts: Answer | undefined): void {
    if (this.closed !== undefined) {
      this.out.delete(trip);
      this.sendAll();
      if (this.out.size === 0) this.closed();
      return;
    }
    // Earlier round trips are lost or late; nothing waits for them any more.
    for (const other of this.out) if (other.sentAt <= trip.sentAt) this.out.delete(other);
    if (facts === undefined) return;
    const now = this.ports.now();
    const isLate = now - trip.sentAt >= silentMs;
    if (now - this.stalledMs - trip.awakeAt < silentMs) this.heard();
    const receipt = { isOwn: true, sentAt: trip.sentAt, isLate };
    for (const [index, share] of trip.shares.entries()) {
      const one = facts[index];
      if (one !== undefined && this.records.has(share)) share.told(one, receipt, now);
    }
  }

  private hear({ key, facts }: Told): void {
    const now = this.ports.now();
    const receipt = { isOwn: false, sentAt: now, isLate: false };
    for (const share of this.records.of(key)) share.told(facts, receipt, now);
  }

  private heard(): void {
    // A later one may still be lost.
    const [next] = this.out;
    this.waitingSince = next?.awakeAt;
    this.tries = 0;
    if (this.state === 'shared') return;
    this.state = 'shared';
    this.tell(true);
    if (this.records.isMarked) this.flushing ??= this.ports.sleep(flushMs, this.flushNow, unrefed);
  }

  // -------------------------------------------------------------- a store that is silent

  private watchOn(now: number): void {
    if (this.watching !== undefined) return;
    this.watchAt = now + againMs;
    this.watching = this.ports.sleep(againMs, this.watch, unrefed);
  }

  private readonly watch = (): void => {
    this.watching = undefined;
    if (this.waitingSince === undefined) return;
    const now = this.ports.now();
    const lateMs = now - this.watchAt;
    const isStalled = lateMs >= againMs;
    if (isStalled) this.stalledMs += lateMs;
    if (now - this.stalledMs - this.waitingSince >= silentMs) this.goOnAlone();
    else {
      // Answers that arrived during the stall are read only after the timers.
      if (!isStalled) this.sendAgain();
      this.watchOn(now);
    }
  };

  /** A message may have been lost: reports the same records again, including what has happened since. */
  private sendAgain(): void {
    const lost = [...this.out].flatMap(({ shares }) => shares);
    this.out.clear();
    for (const share of lost) if (this.records.has(share)) this.reportSoon(share);
    this.flush();
  }

  private goOnAlone(): void {
    this.waitingSince = undefined;
    this.out.clear();
    this.flushing?.();
    this.flushing = undefined;
    if (this.state !== 'alone') {
      this.state = 'alone';
      this.tell(false);
      const now = this.ports.now();
      for (const share of this.records.all()) share.alone(now);
    }
    this.tries += 1;
    const waitMs = Math.min(lastTryMs, firstTryMs * 2 ** (this.tries - 1));
    this.watching = this.ports.sleep(waitMs * (0.5 + this.ports.random()), this.tryAgain, unrefed);
  }

  /** The store can be reached again, so the next try comes now. */
  private readonly reached = (): void => {
    if (this.state === 'shared') return;
    this.watching?.();
    this.waitingSince = undefined;
    const withinMs = this.state === 'joining' ? startingMs : comingBackMs;
    this.watching = this.ports.sleep(withinMs * this.ports.random(), this.tryAgain, unrefed);
  };

  private readonly tryAgain = (): void => {
    this.watching = undefined;
    if (!this.records.isMarked) {
      for (const share of this.records.first()) this.reportSoon(share);
    }
    if (this.records.isMarked) this.send();
  };
}
