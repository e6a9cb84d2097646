/** The limits of a scope that the requests with the same settings pass. */

import type { Settings } from '../../core/policy/settings.js';
import type { Finding, RefusalReason, RequestFacts } from '../../core/types.js';
import type { Ports } from '../ports.js';
import type { Tails } from '../tails.js';
import type { ScopeBudget } from './budget.js';
import type { LimitsPassed } from './clear.js';
import type { ScopeGate } from './gate.js';
import type { ScopeHold } from './hold.js';

/** The scopes of a retrier. */
export interface Siblings {
  /** The limits of the scope that requests like this one belong to. */
  limitsFor(settings: Settings, request: RequestFacts): Limits;
}

/** What all requests of a scope have in common, whatever their settings. */
export interface Shared {
  readonly siblings: Siblings;
  readonly name: string;
  readonly ports: Ports;
  /** Made by the first request that learns something. */
  tails: Tails | undefined;
  /** How many attempts wait for a gate, queue for a hold, and are out with a permit. */
  waiting: number;
  queued: number;
  out: number;
  readonly refused: Record<RefusalReason, number>;
}

export class Limits implements LimitsPassed {
  readonly scope: Shared;
  readonly settings: Settings;
  readonly budget: ScopeBudget | undefined;
  readonly gate: ScopeGate | undefined;
  readonly hold: ScopeHold | undefined;

  constructor(scope: Shared, settings: Settings, { budget, gate, hold }: LimitsPassed) {
    this.scope = scope;
    this.settings = settings;
    this.budget = budget;
    this.gate = gate;
    this.hold = hold;
  }

  /** The hold hears of a failure at once, even if another attempt of the request is still out and will decide. */
  holdHears(
    finding: Finding,
    isFirst: boolean,
    verdict: boolean | undefined,
    sentAt: number,
    now: number,
  ): void {
    const { hold, settings } = this;
    hold?.failed(finding, hasFailed(finding, verdict), settings.maxHintMs, isFirst, sentAt, now);
  }

  /** Failures may cost the budget something, whether or not a retry follows. */
  budgetPays(finding: Finding, verdict: boolean | undefined, now: number): void {
    if (hasFailed(finding, verdict)) this.budget?.failed(finding, now);
  }

  /** `refund`: what the request gives back to the budget, in place of the usual deposit. */
  succeeded(isFirst: boolean, refund: number | undefined, sentAt: number): void {
    this.hold?.succeeded(isFirst, sentAt);
    this.budget?.succeeded(refund);
  }
}

/** If `retryIf` says that an outcome is worth a retry, the attempt counts as failed, whatever its status. */
function hasFailed(finding: Finding, verdict: boolean | undefined): boolean {
  return finding.class !== 'final' || verdict === true;
}
