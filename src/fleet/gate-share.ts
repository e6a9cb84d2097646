/** A shared gate as one process knows it. */

import type { Facts } from '../core/limits/fleet/messages.js';
import { leasePatienceMs } from '../core/limits/gate/admit.js';
import { textOfKinds } from '../core/limits/gate/kinds.js';
import { isFromBefore } from '../core/limits/gate/open.js';
import type { GateFacts, GateReport } from '../core/limits/gate/record.js';
import type { Gate } from '../core/limits/gate/setting.js';
import { needsLease, unansweredMs } from '../core/limits/gate/shut.js';
import type { GateState, GateTicket } from '../core/limits/gate/state.js';
import { around, kindsSeenToFail } from '../core/limits/gate/state.js';
import { gateAlone, gateLeased, gateTold, isDeadTogether } from '../core/limits/gate/told.js';
import type { Sign } from '../core/limits/signs.js';
import { isFailure } from '../core/limits/signs.js';
import type { GateChange, GateShare, OwnGate } from '../kernel/fleet.js';
import type { Courier, Receipt, RecordShare } from './share.js';

/** If the answer to a request for a lease takes longer than this, the process may ask again. */
const askingMs = 200;
/**
 * How long after it was asked for a lease may be used. If the store takes longer than a request waits, the request has
 * left when the lease arrives, and a later one must be able to use it. Each lease that is given up unused doubles this
 * time, so that a process with few requests gets to probe as well.
 */
const usableAtFirstMs = 150;
const usableWhenSlowMs = 1_000;
const longestUsableMs = 16_000;
const roundingMs = 1;

export class GateRecordShare implements GateShare, RecordShare {
  readonly key: string;
  isMarked = false;
  private readonly gate: Gate;
  private readonly limit: OwnGate;
  private readonly courier: Courier;
  private readonly random: () => number;
  /** The longest lease of any process, whatever its attempt timeout. */
  private readonly longestLeaseMs: number;
  private epoch = 0;
  /** The state of the store's own record. News may say more, until an answer has confirmed it. */
  private confirmed: Pick<GateFacts, 'epoch' | 'isShut'> = { epoch: 0, isShut: false };
  /** When the last news of a change came. Answers to reports that were sent before that are outdated. */
  private heardAt = -Infinity;
  private slice = 0;
  private reopenedAt = -Infinity;
  // -- since the last report
  private lives = 0;
  /** Undefined: at an unknown time since then. */
  private aliveAt: number | undefined = undefined;
  private answersAt: number | undefined = undefined;
  private failures = 0;
  private since = 0;
  private lastAt = 0;
  private judged: GateReport['shut'];
  private wantMs: number | undefined = undefined;
  private over: GateReport['over'];
  // -- of a probe
  private askedAt = -Infinity;
  private neededMs = 0;
  private usableMs = usableAtFirstMs;
  /** How long the store took for its last answer. */
  private roundTripMs = 0;
  /** The number of the lease that this process holds; 0 if it holds none. */
  private lease = 0;
  private leaseUntil = 0;
  private usableUntil = 0;

  constructor(key: string, limit: OwnGate, courier: Courier, random: () => number) {
    const { gate } = limit;
    this.longestLeaseMs = unansweredMs(gate) + longestUsableMs;
    this.key = key;
    this.gate = gate;
    this.limit = limit;
    this.courier = courier;
    this.random = random;
  }

  // -------------------------------------------------------------- what happens here

  /** On the path of every request. */
  alive(): void {
    if (this.failures !== 0) this.afterFailures();
    this.lives += 1;
    if (!this.isMarked) this.courier.reportSoon(this);
  }

  private afterFailures(): void {
    this.failures = 0;
    this.lives = 0;
  }

  signed(sign: Sign, ticket: GateTicket, { before, after }: GateChange, now: number): void {
    const isForAll = before.kind === 'shut' && before.leaseUntil !== undefined;
    const isLife = sign === 'alive' || (sign === 'answers' && before.kind === 'shut');
    if (sign === 'alive') {
      this.alive();
      this.aliveAt = now;
    } else if (isLife) {
      this.answersAt = now;
    } else if (isFailure(sign) && !isForAll && !isFromBefore(before, ticket)) {
      this.failed(sign === 'silent' ? ticket.sentAt : now, now);
    }
    if (isForAll && !isLife) this.probed(before, after, ticket, now);
    // The first sign of life is told to all processes at once.
    if (isForAll && isLife) this.courier.reportNow(this);
  }

  private failed(since: number, now: number): void {
    if (this.failures === 0) {
      this.since = since;
      this.aliveAt ??= now;
    }
    this.failures += 1;
    this.lastAt = now;
    this.courier.reportSoon(this);
  }

  private probed(before: GateState, after: GateState, { sentAt, epoch }: GateTicket, now: number): void {
    const isProbe = before.kind === 'shut' && epoch === before.epoch && sentAt === before.probes.at(-1);
    if (!isProbe || this.lease === 0 || after.kind !== 'shut') return;
    this.giveBack(Math.max(0, after.probeAt - now));
  }

  private giveBack(probeInMs: number): void {
    this.over = { lease: this.lease, probeInMs };
    this.lease = 0;
    this.courier.reportSoon(this);
  }

  /** A request waits at the gate: if a probe is due, this request can be it. */
  waits(attemptTimeoutMs: number | undefined, now: number): void {
    const { state } = this.limit;
    if (!needsLease(this.gate, state, now)) return;
    const isAsking = now - this.askedAt < askingMs;
    if (isAsking || this.isHearsay || this.hasLease(now) || !this.courier.isShared) return;
    this.askedAt = now;
    if (this.roundTripMs > leasePatienceMs) this.usableMs = Math.max(this.usableMs, usableWhenSlowMs);
    // The probe may be sent at the end of the time for which the lease is usable.
    this.neededMs = unansweredMs(this.gate, attemptTimeoutMs, now - state.shutAt) + this.usableMs;
    this.wantMs = this.neededMs;
    this.courier.reportNow(this);
  }

  /** The store has not confirmed yet what news said. */
  private get isHearsay(): boolean {
    return this.epoch !== this.confirmed.epoch;
  }

  private hasLease(now: number): boolean {
    return this.lease !== 0 && now < this.leaseUntil;
  }

  // -------------------------------------------------------------- what is told

  report(now: number): GateReport {
    this.giveUpUnused(now);
    const { lives, failures, judged, wantMs, over, answersAt } = this;
    const report: GateReport = {
      limit: 'gate',
      process: this.courier.process,
      slice: this.slice,
      // Only what it has from the store itself: from this, a store that has lost its data restores it.
      epoch: this.confirmed.epoch,
      isShut: this.confirmed.isShut,
      lives,
      aliveMs: lives === 0 ? 0 : ago(this.aliveAt ?? now, now),
      answersMs: answersAt === undefined ? -1 : ago(answersAt, now),
      failures,
      sinceMs: failures === 0 ? 0 : ago(this.since, now),
      lastMs: failures === 0 ? 0 : ago(this.lastAt, now),
      ...(judged && { shut: judged }),
      ...(wantMs !== undefined && { wantMs }),
      ...(over && { over }),
    };
    this.lives = 0;
    this.failures = 0;
    this.aliveAt = undefined;
    this.answersAt = undefined;
    this.judged = undefined;
    this.wantMs = undefined;
    this.over = undefined;
    return report;
  }

  /** The request that asked for the lease has left: another process may probe. */
  private giveUpUnused(now: number): void {
    if (this.lease === 0) return;
    const { state } = this.limit;
    const isUsed = state.kind !== 'shut' || state.probes.length > 0;
    if (isUsed) return;
    if (now >= this.usableUntil) this.giveUp();
    else this.courier.reportSoon(this);
  }

  private giveUp(): void {
    this.usableMs = Math.min(longestUsableMs, 2 * this.usableMs);
    this.giveBack(0);
  }

  told(facts: Facts, receipt: Receipt, now: number): void {
    if (facts.limit !== 'gate') return;
    if (this.isTooLong(facts)) {
      // Of news, nothing is believed. If the record itself says so, it would stay shut as long: this process goes on alone.
      if (receipt.isOwn) this.alone(now);
      return;
    }
    const isRefuted =
      receipt.isOwn && receipt.sentAt > this.heardAt && this.isHearsay && facts.epoch < this.epoch;
    if (facts.epoch < this.epoch && !isRefuted) return;
    if (receipt.isOwn) {
      this.slice = facts.slice;
      this.roundTripMs = now - receipt.sentAt;
      this.confirmed = facts;
    }
    const isNew = facts.epoch !== this.epoch;
    this.epoch = facts.epoch;
    if (isNew) this.lease = 0;
    if (isNew && !facts.isShut && !isRefuted) {
      this.reopenedAt = now;
      this.usableMs = usableAtFirstMs;
    }
    if (isNew && this.isHearsay) this.check(now);
    const { gate, limit } = this;
    const before = limit.state;
    const known = { isNew, isRefuted, isConfirmed: receipt.isOwn, hasLease: this.hasLease(now) };
    const told = gateTold(gate, before, facts, known, now);
    // News may arrive even if answers do not. Without answers there is no lease, so this process uses its own gate.
    const after = this.courier.isShared ? told : gateAlone(gate, told, now, this.random());
    if (after !== before) limit.state = after;
    if (receipt.isOwn && facts.lease !== 0) this.granted(facts.lease, receipt, now);
    if (receipt.isOwn) this.judge(after, facts, now);
  }

  /** Anyone who may publish on the channel can send news, so the record is asked with the next round trip. */
  private check(now: number): void {
    this.heardAt = now;
    this.courier.reportSoon(this);
  }

  private isTooLong({ probeInMs, leaseLeftMs }: GateFacts): boolean {
    const longestWaitMs = around(this.gate.probeMs, 1);
    return probeInMs > longestWaitMs + roundingMs || leaseLeftMs > this.longestLeaseMs + roundingMs;
  }

  private granted(lease: number, { sentAt, isLate }: Receipt, now: number): void {
    this.lease = lease;
    // Counted from when the lease was asked for, which is before the store began to count.
    this.leaseUntil = sentAt + this.neededMs;
    this.usableUntil = sentAt + this.usableMs;
    if (isLate || now >= this.usableUntil) {
      this.giveUp();
      return;
    }
    const { limit } = this;
    limit.state = gateLeased(limit.state, this.usableUntil, now);
    // An unused lease has to be given back.
    this.courier.reportSoon(this);
  }

  /** The row may be over by now; the store checks that. */
  private judge(state: GateState, facts: GateFacts, now: number): void {
    if (!isDeadTogether(this.gate, state, facts, this.reopenedAt, now)) return;
    const probeInMs = around(this.gate.probeMs / 4, this.random());
    const kinds = textOfKinds(kindsSeenToFail(state));
    this.judged = { row: facts.row, probeInMs, kinds };
    this.courier.reportNow(this);
  }

  alone(now: number): void {
    this.lease = 0;
    const { gate, limit } = this;
    const before = limit.state;
    const after = gateAlone(gate, before, now, this.random());
    if (after !== before) limit.state = after;
  }

  rest(): void {
    // There is nothing to return.
  }
}

function ago(at: number, now: number): number {
  return Math.max(0, now - at);
}
