/**
 * The concurrency of a scope: how many attempts are in flight, and the line of requests that wait for room. It says nothing
 * about other processes: in a fleet, each has its own.
 */

import { ConcurrencyError } from '../../core/limits/concurrency/error.js';
import type { Concurrency } from '../../core/limits/concurrency/setting.js';
import type { Line, Room } from '../../core/limits/concurrency/state.js';
import type { Permit } from './permit.js';

interface Waiting {
  readonly since: number;
  readonly until: number;
}

export class ScopeConcurrency {
  readonly concurrency: Concurrency;
  private inFlight = 0;
  /** In order: the first comes next. */
  private readonly line: Map<Permit, Waiting> = new Map();
  /** What calls those that are in line, until it has called them. */
  private readonly calls: Map<Permit, () => void> = new Map();
  private isUsed = false;

  constructor(concurrency: Concurrency) {
    this.concurrency = concurrency;
  }

  // -------------------------------------------------------------- before an attempt

  /** Whether there is room, and no request waits for it. */
  get isClear(): boolean {
    return this.inFlight < this.concurrency.limit && this.line.size === 0;
  }

  roomFor(permit: Permit): Room {
    const free = this.concurrency.limit - this.inFlight;
    return {
      free,
      ahead: this.aheadOf(permit, free),
      waiting: this.line.size,
      until: this.line.get(permit)?.until,
    };
  }

  private aheadOf(permit: Permit, most: number): number {
    let ahead = 0;
    for (const each of this.line.keys()) {
      if (each === permit || ahead >= most) break;
      ahead += 1;
    }
    return ahead;
  }

  /** The request waits here, and keeps the place that it has. */
  standsInLine(permit: Permit, since: number, until: number): void {
    this.isUsed = true;
    if (!this.line.has(permit)) this.line.set(permit, { since, until });
  }

  /** `call` is called once, when it is its turn. */
  onTurn(permit: Permit, call: () => void): void {
    if (!this.line.has(permit)) return;
    this.calls.set(permit, call);
    this.callNext();
  }

  /** The request does not wait here any more. */
  leave(permit: Permit): void {
    this.calls.delete(permit);
    if (this.line.delete(permit)) this.callNext();
  }

  /** An attempt is sent. */
  taken(permit: Permit): void {
    this.isUsed = true;
    this.inFlight += 1;
    this.calls.delete(permit);
    this.line.delete(permit);
  }

  /** It is over. */
  givenBack(): void {
    this.inFlight -= 1;
    this.callNext();
  }

  /** Calls as many as there is room for, in their order; whom it has called before, it calls no more. */
  private callNext(): void {
    if (this.calls.size === 0) return;
    let free = this.concurrency.limit - this.inFlight;
    for (const permit of this.line.keys()) {
      if (free <= 0) return;
      free -= 1;
      const call = this.calls.get(permit);
      this.calls.delete(permit);
      call?.();
    }
  }

  // -------------------------------------------------------------- what it knows

  /** Undefined: none waits. */
  lineAt(now: number): Line | undefined {
    for (const { since } of this.line.values()) {
      return { waiting: this.line.size, waitedMs: Math.max(0, now - since) };
    }
    return undefined;
  }

  refusal(scope: string, own: ErrorOptions): ConcurrencyError {
    return new ConcurrencyError(scope, this.concurrency.limit, own);
  }

  /** Undefined: it has not been used yet. */
  snapshot(): { readonly limit: number; readonly inFlight: number; readonly waiting: number } | undefined {
    if (!this.isUsed) return undefined;
    return { limit: this.concurrency.limit, inFlight: this.inFlight, waiting: this.line.size };
  }

  get isOccupied(): boolean {
    return this.inFlight > 0 || this.line.size > 0;
  }

  /** What is in flight is not learnt. */
  forget(): void {}

  leaveFleet(): void {}
}
