/** A retrier as a member of a fleet: finds the record of each limit of its scopes, if it is shared. */

import type { LimitName } from '../core/limits/all.js';
import type { FilledBudget } from '../core/limits/budget/kind.js';
import { protocolVersion } from '../core/limits/fleet/messages.js';
import type { Hold } from '../core/limits/hold/setting.js';
import type { Policy } from '../core/policy/policy.js';
import type {
  BudgetShare,
  FleetHome,
  FleetMember,
  FleetScope,
  FleetSnapshot,
  GateShare,
  HoldShare,
  OwnGate,
  OwnHold,
} from '../kernel/fleet.js';
import { BudgetRecordShare, SharedBudget } from './budget-share.js';
import { GateRecordShare } from './gate-share.js';
import { HoldRecordShare } from './hold-share.js';
import type { RecordShare } from './share.js';
import type { StoreCourier } from './store-courier.js';

export class Member implements FleetMember {
  private readonly home: FleetHome;
  private readonly courier: StoreCourier;
  private readonly keyFor: (name: string) => string;
  private readonly look: () => FleetSnapshot;

  constructor(
    home: FleetHome,
    courier: StoreCourier,
    keyFor: (name: string) => string,
    look: () => FleetSnapshot,
  ) {
    this.home = home;
    this.courier = courier;
    this.keyFor = keyFor;
    this.look = look;
  }

  scope(name: string): FleetScope {
    return new MemberScope(name, this.home, this.courier, this.keyFor);
  }

  snapshot(): FleetSnapshot {
    return this.look();
  }
}

class MemberScope implements FleetScope {
  readonly Budget = SharedBudget;
  private readonly name: string;
  private readonly home: FleetHome;
  private readonly courier: StoreCourier;
  private readonly keyFor: (name: string) => string;
  private readonly shares: Set<RecordShare> = new Set();

  constructor(name: string, home: FleetHome, courier: StoreCourier, keyFor: (name: string) => string) {
    this.name = name;
    this.home = home;
    this.courier = courier;
    this.keyFor = keyFor;
  }

  budget(budget: FilledBudget): BudgetShare | undefined {
    return this.joined('budget', budget, (key) => new BudgetRecordShare(key, budget, this.courier));
  }

  gate(own: OwnGate): GateShare | undefined {
    const { random } = this.home.ports;
    return this.joined('gate', own.gate, (key) => new GateRecordShare(key, own, this.courier, random));
  }

  hold(own: OwnHold): HoldShare | undefined {
    const { policy } = this.home;
    return this.joined('hold', own.hold, (key) => {
      return new HoldRecordShare(key, own, this.courier, longestWindowMs(policy, own.hold));
    });
  }

  private joined<S extends RecordShare>(
    limit: LimitName,
    setting: object,
    make: (key: string) => S,
  ): S | undefined {
    const name = recordName(this.home.policy, limit, setting, this.name);
    if (name === undefined) return undefined;
    const share = make(this.keyFor(name));
    this.shares.add(share);
    this.courier.add(share);
    return share;
  }

  close(): void {
    for (const share of this.shares) this.courier.forget(share);
    this.shares.clear();
  }
}

/** Rules that share a hold may differ in this setting. */
function longestWindowMs({ fallback, rules }: Policy, hold: Hold): number {
  const ownRules = [fallback, ...rules].filter(({ settings }) => settings.hold === hold);
  return Math.max(...ownRules.map(({ settings }) => settings.maxHintMs));
}

// ---------------------------------------------------------------- names of records

/**
 * Limit, rule, settings, scope, and the version of the messages: the first rule that has these settings; rules that inherit them share its record. Undefined: the settings are those
 * of a single request, which are not shared.
 */
function recordName(
  { fallback, rules }: Policy,
  limit: LimitName,
  settings: object,
  scope: string,
): string | undefined {
  const rule = [fallback, ...rules].find((one) => one.settings[limit] === settings);
  if (rule === undefined) return undefined;
  return [`v${protocolVersion}`, limit, rule.name, hashOf(JSON.stringify(settings)), scope].join(' ');
}

/** FNV-1a, twice with different start values: it tells settings apart, but does not keep them secret. */
function hashOf(text: string): string {
  return [0x811c9dc5, 0x050c5d1f].map((begin) => fnv(text, begin).toString(36)).join('');
}

function fnv(text: string, begin: number): number {
  let hash = begin;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
