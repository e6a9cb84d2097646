/** What a scope has learnt from the answers of each rule's requests, for hedges and attempt timeouts. */

import type { LatencyState } from '../core/limits/latency/latency.js';
import * as latency from '../core/limits/latency/latency.js';
import type { Tail } from '../core/limits/latency/setting.js';
import type { Rule } from '../core/policy/policy.js';
import type { NewAlarms } from './alarms.js';

/** More connections than this are not worth keeping for the next requests. */
const mostLosers = 10;

/** An attempt that takes longer is cut: a new connection costs less than one that is blocked. */
const loserMs = 2_000;

/** What is known about the requests of a rule. A request looks it up once. */
export interface RuleLatency {
  /** What the whole scope has learnt. */
  readonly all: Latencies;
  state: LatencyState;
}

export class Latencies {
  /** Routes differ in how long they take, so each rule has its own. */
  private readonly byRule: Map<Rule, RuleLatency> = new Map();
  private lastRule: Rule | undefined = undefined;
  private last: RuleLatency | undefined = undefined;
  /** Timers of hedges; hardly any request takes long enough for one. */
  alarms: InstanceType<NewAlarms> | undefined = undefined;
  /** Attempts that lost against another one and go on until their head, so that their connections can be kept. */
  private losers = 0;

  of(rule: Rule): RuleLatency {
    if (this.last === undefined || this.lastRule !== rule) {
      this.lastRule = rule;
      this.last = this.found(rule);
    }
    return this.last;
  }

  private found(rule: Rule): RuleLatency {
    let known = this.byRule.get(rule);
    if (known === undefined) {
      known = { all: this, state: latency.newLatency };
      this.byRule.set(rule, known);
    }
    return known;
  }

  /** How long a loser may go on; 0: not at all. */
  leaveLoser(): number {
    if (this.losers >= mostLosers) return 0;
    this.losers += 1;
    return loserMs;
  }

  loserGone(): void {
    this.losers -= 1;
  }

  /** Forgets what was learnt; losers that are still out are counted down later. */
  forget(): void {
    for (const known of this.byRule.values()) known.state = latency.newLatency;
  }

  snapshot(now: number): readonly LearntSnapshot[] {
    return [...this.byRule].flatMap(([{ name, settings }, { state }]) =>
      settings.tail === undefined || state === latency.newLatency
        ? []
        : [learntIn(name, settings.tail, state, now)],
    );
  }
}

/** What is learnt from a rule's answers. Times are undefined as long as too little is known. */
export interface LearntSnapshot {
  readonly rule: string;
  /** How long an attempt has to be out before a hedge is sent; undefined: none is sent now. */
  readonly hedgeAfterMs?: number;
  /** The attempt timeout, if it is shorter than the longest one. */
  readonly attemptTimeoutMs?: number;
}

function learntIn(rule: string, tail: Tail, state: LatencyState, now: number): LearntSnapshot {
  const hedgeAfterMs = tail.hedge === false ? undefined : latency.hedgeAfterMs(tail, state, now);
  const attemptTimeoutMs = latency.learntTimeoutMs(tail, state, now);
  return {
    rule,
    ...(hedgeAfterMs !== undefined && { hedgeAfterMs }),
    ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }),
  };
}
