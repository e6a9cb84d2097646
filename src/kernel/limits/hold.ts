/** The hold of a scope: its setting, its state and what the server answers, and its link to the fleet. */

import { noQueuePlace } from '../../core/limits/admission.js';
import { queueMs } from '../../core/limits/hold/admit.js';
import { HeldError } from '../../core/limits/hold/error.js';
import { givePlaceBack, isDraining, isPaced } from '../../core/limits/hold/queue.js';
import { afterRefusal, isRefusal } from '../../core/limits/hold/refusals.js';
import type { AnswerKind, Sample } from '../../core/limits/hold/sample.js';
import {
  afterAnswer,
  afterSent,
  afterSuccesses,
  noSample,
  shortestMs,
} from '../../core/limits/hold/sample.js';
import type { Hold } from '../../core/limits/hold/setting.js';
import type { HoldState } from '../../core/limits/hold/state.js';
import { noHold } from '../../core/limits/hold/state.js';
import { isWorthJudging, judged } from '../../core/limits/hold/trial.js';
import type { Finding, ResponseFinding } from '../../core/types.js';
import type { FleetScope, HoldShare, OwnHold } from '../fleet.js';
import type { Ports } from '../ports.js';
import { turnNow } from '../turn.js';
import { FleetLink } from './fleet-link.js';
import { causeIn, type Permit } from './permit.js';

export class ScopeHold implements OwnHold {
  readonly hold: Hold;
  /** Successes that came since are counted once the sample is looked at: nearly all answers are some. */
  private counted: Sample = noSample;
  private successes = 0;
  /** Those among them that count as answers of first attempts. */
  private firsts = 0;
  private succeededAt: number = Number.NEGATIVE_INFINITY;
  private readonly ports: Ports;
  /** Undefined: nothing has changed yet, so it lets all requests through. */
  private known: HoldState | undefined = undefined;
  private readonly link: FleetLink<HoldShare>;

  constructor(hold: Hold, ports: Ports, fleet: FleetScope | undefined) {
    this.hold = hold;
    this.ports = ports;
    this.link = new FleetLink(fleet, (joined) => joined.hold(this));
  }

  get state(): HoldState {
    return this.known ?? noHold;
  }

  set state(state: HoldState) {
    this.known = state;
  }

  get sample(): Sample {
    const { counted, firsts, successes, succeededAt } = this;
    if (successes > 0) this.sample = afterSuccesses(counted, firsts, successes, succeededAt);
    return this.counted;
  }

  set sample(sample: Sample) {
    this.counted = sample;
    this.successes = 0;
    this.firsts = 0;
  }

  // -------------------------------------------------------------- before an attempt

  /** Whether an attempt has nothing to ask for here, and nothing to take. */
  isClear(now: number): boolean {
    if (this.isUntouched(now)) return true;
    const state = this.asOf(now);
    return !isPaced(state, now) && !isDraining(state, now);
  }

  /** Whether the server can bear more requests than were asked for. */
  hasSpareCapacity(now: number): boolean {
    return !isPaced(this.state, now);
  }

  /** How long a retry would have to queue. */
  queueMs(now: number): number {
    return queueMs(this.hold, this.state, now);
  }

  /** The request waits for a place in the queue that only the fleet can give; or it does so no more. */
  setQueued(permit: Permit, isQueued: boolean, withinMs = 0): void {
    if (permit.isQueued !== isQueued) this.link.share?.queues(isQueued ? 1 : -1, withinMs);
    permit.isQueued = isQueued;
  }

  /** An attempt is sent. `before`: the hold when it asked. */
  sent(permit: Permit, before: HoldState, now: number): void {
    this.setQueued(permit, false);
    if (!isPaced(before, now)) return;
    this.sample = afterSent(this.sample, 1);
    this.link.share?.sent();
  }

  /** The request stops waiting; those behind it move up. */
  leave(permit: Permit): void {
    const { place } = permit.queuePlace;
    permit.queuePlace = noQueuePlace;
    this.setQueued(permit, false);
    if (place === undefined) return;
    this.state = givePlaceBack(this.state, place, this.ports.now());
    this.link.share?.left();
  }

  // -------------------------------------------------------------- after an attempt

  /** An attempt has not succeeded. It may start a hold for the whole scope. */
  failed(
    finding: Finding,
    hasFailed: boolean,
    maxHintMs: number,
    isFirst: boolean,
    sentAt: number,
    now: number,
  ): void {
    const { hold } = this;
    if (hasFailed && isRefusal(hold, finding, maxHintMs)) {
      this.answered(isFirst, sentAt, 'refusal', finding, now);
      this.change(afterRefusal(hold, this.state, this.sample, finding, now), now);
    } else if (finding.kind === 'response') {
      this.answered(isFirst, sentAt, 'other', undefined, now);
    }
  }

  succeeded(isFirst: boolean, sentAt: number): void {
    const now = turnNow(this.ports.now);
    if (!isFirst || !this.isUntouched(now)) {
      this.answered(isFirst, sentAt, 'success', undefined, now);
      return;
    }
    // As `answered` would, in half the time.
    this.successes += 1;
    this.firsts += 1;
    this.succeededAt = now;
    this.link.share?.answered(true, 'success');
  }

  /** On an ordinary day it always is: it has changed nothing yet, and there is nothing to judge, since the sample is young. */
  private isUntouched(now: number): boolean {
    return this.known === undefined && now - this.counted.since < shortestMs;
  }

  private answered(
    isFirst: boolean,
    sentAt: number,
    kind: AnswerKind,
    finding: ResponseFinding | undefined,
    now: number,
  ): void {
    const state = this.asOf(now);
    // What was sent before says nothing about the current pace. Retries only repeat what is known; but while requests
    // queue, each attempt is sent at the pace.
    const isCounted = sentAt >= state.pacedSince && (isFirst || isPaced(state, now));
    if (kind === 'success' && this.counted.since !== noSample.since) {
      this.successes += 1;
      if (isCounted) this.firsts += 1;
      this.succeededAt = now;
    } else this.sample = afterAnswer(this.sample, isCounted, kind, finding, now);
    this.link.share?.answered(isCounted, kind);
  }

  /** The hold at this time: a trial may be over. In a fleet, that is judged when it is known what others were answered. */
  private asOf(now: number): HoldState {
    if (this.link.share?.isHearing !== true) this.judge(now);
    return this.state;
  }

  judge(now: number): void {
    const { hold, state: known } = this;
    if (!isWorthJudging(known, this.counted, now)) return;
    const { state, sample } = judged(hold, known, this.sample, now);
    this.sample = sample;
    this.change(state, now);
  }

  private change(after: HoldState, now: number): void {
    const { state: before } = this;
    if (after === before) return;
    this.state = after;
    if (after.pacedSince !== before.pacedSince) this.link.share?.held(now);
  }

  // -------------------------------------------------------------- what it knows

  refusal(scope: string, own: ErrorOptions): HeldError {
    const { asked } = this.state;
    if (asked === undefined) return new HeldError(scope, undefined, own);
    const { status, hint } = asked.finding;
    const agoMs = this.ports.now() - asked.at;
    return new HeldError(
      scope,
      { status, delayMs: hint?.delayMs ?? null, agoMs },
      causeIn(own, asked.finding),
    );
  }

  /** Undefined: it has not been used yet. */
  snapshot(now: number): { readonly forMs: number } | undefined {
    return this.known && { forMs: Math.max(0, this.known.until - now) };
  }

  /** Waiting requests can go. Places go on counting, so that what was taken earlier is still recognised. */
  forget(): void {
    this.sample = noSample;
    if (this.known === undefined) return;
    const { nextPlace } = this.known;
    this.known = { ...noHold, nextPlace, places: nextPlace };
  }

  leaveFleet(): void {
    this.link.leave();
  }
}
