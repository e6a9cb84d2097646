/**
 * Two processes that share a gate through a store, as a machine: the real retriers and the real fleet, under a clock of
 * their own, and with every message in the hands of the explorer. A state is the way to it, played again.
 */

import { AttemptTimeoutError } from '../../src/core/errors.js';
import type { FleetRecord } from '../../src/core/limits/fleet/messages.js';
import type { GateFacts, GateRecord, GateReport } from '../../src/core/limits/gate/record.js';
import type { GateState } from '../../src/core/limits/gate/state.js';
import type { Policy } from '../../src/core/policy/policy.js';
import type { Outcome } from '../../src/core/types.js';
import { fleetOver } from '../../src/fleet/fleet.js';
import { MemoryStore } from '../../src/fleet/memory/store.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import type { Scope } from '../../src/kernel/scope.js';
import type { Session } from '../../src/kernel/session.js';
import type { Sleep } from '../../src/kernel/timers.js';
import { createRetrier, definePolicy } from '../../src/parts/all.js';
import { accepts, answered, requestOf } from '../kit.js';
import type { Machine } from './explore.js';

const attemptTimeoutMs = 1_000;
export const policy: Policy = definePolicy({
  retry: false,
  budget: false,
  attemptTimeoutMs,
  gate: { failures: 2, deadForMs: 0, probeMs: 1_000, rampMs: 2_000 },
});

const outcomes: Readonly<Record<'succeeds' | 'fails' | 'times out', Outcome>> = {
  succeeds: answered(200),
  fails: answered(503),
  'times out': { kind: 'error', error: new AttemptTimeoutError(attemptTimeoutMs) },
};

type End = keyof typeof outcomes;
type Act = readonly [what: string, act: () => void];

interface Process {
  readonly name: string;
  readonly retrier: Retrier;
  phase: 'idle' | 'waiting' | 'sent';
  session: Session | undefined;
  wakeAt: number;
  sentAt: number;
  isProbe: boolean;
  hasFailed: boolean;
}

interface Message {
  readonly what: string;
  readonly sentAt: number;
  readonly happen: () => void;
}

export interface FleetPlan {
  /** What has happened before, by words of `options`; `A ends well` (or badly), `all messages` and `n ms` are words, too. */
  readonly before: readonly string[];
  readonly mayLose: number;
  /** How far time passes, if nothing is waiting for less. */
  readonly tickMs: number;
  /** A fault that is planted: what the store takes, and what it says. */
  readonly heard?: (report: GateReport, count: number) => GateReport;
  readonly said?: (facts: GateFacts, report: GateReport) => GateFacts;
  /** Of each process, how its attempts may end. */
  readonly ends: readonly [readonly End[], readonly End[]];
}

/** One play. */
export class FleetWorld {
  now = 1_000;
  fault: string | undefined = undefined;
  readonly store: MemoryStore;
  readonly processes: readonly [Process, Process];
  private readonly plan: FleetPlan;
  private messages: Message[] = [];
  private timers: { readonly at: number; readonly happen: () => void }[] = [];
  private lost = 0;
  private carried = 0;

  constructor(plan: FleetPlan) {
    this.plan = plan;
    const later = (_: number, happen: () => void): void => {
      this.carried += 1;
      this.messages.push({ what: `message ${this.carried}`, sentAt: this.now, happen });
    };
    this.store = new MemoryStore({ now: () => this.now, later, random: () => 0.5 }, { delayMs: 0 });
    this.plant(plan);
    this.processes = [this.process('A'), this.process('B')];
    for (const what of plan.before) this.play(what);
  }

  private plant({ heard = (report) => report, said = (facts) => facts }: FleetPlan): void {
    const take = this.store.take.bind(this.store);
    let count = 0;
    this.store.take = (reports) => {
      count += 1;
      const changed = reports.map(({ key, report }) => ({ key, report: heard(report as GateReport, count) }));
      return take(changed).map((facts, index) =>
        said(facts as GateFacts, changed[index]?.report as GateReport),
      );
    };
  }

  private process(name: string): Process {
    const ports = { now: () => this.now, date: () => 0, random: () => 0.5, sleep: this.sleep };
    const retrier = createRetrier(policy, ports, { fleet: fleetOver(this.store.link(), { process: name }) });
    const idle = {
      phase: 'idle',
      session: undefined,
      wakeAt: 0,
      sentAt: 0,
      isProbe: false,
      hasFailed: false,
    } as const;
    return { name, retrier, ...idle };
  }

  private readonly sleep: Sleep = (delayMs, wake) => {
    const entry = { at: this.now + delayMs, happen: wake };
    this.timers.push(entry);
    return () => {
      this.timers = this.timers.filter((one) => one !== entry);
    };
  };

  // -------------------------------------------------------------- what may happen

  options(): Act[] {
    const isOverdue = this.processes.some(
      (one) => one.phase === 'sent' && this.now >= one.sentAt + attemptTimeoutMs,
    );
    return [
      ...this.processes.flatMap((process, index) => this.optionsOf(process, index)),
      ...this.messages.flatMap((message) => this.optionsWith(message)),
      ...(isOverdue ? [] : [this.timeOption()]),
    ];
  }

  private optionsOf(process: Process, index: number): Act[] {
    const { name, phase } = process;
    if (phase === 'idle') return [[`${name} begins`, () => this.begin(process)]];
    if (phase === 'waiting') {
      const again: Act = [`${name} asks again`, () => this.proceed(process)];
      return process.wakeAt <= this.now ? [again] : [];
    }
    const isOverdue = this.now >= process.sentAt + attemptTimeoutMs;
    const ends = isOverdue ? (['times out'] as const) : (this.plan.ends[index] as readonly End[]);
    return ends.map((end) => [`${name} ${end}`, () => this.end(process, end)]);
  }

  private optionsWith(message: Message): Act[] {
    const take = (): void => {
      this.messages = this.messages.filter((one) => one !== message);
    };
    const arrives: Act = [
      `${message.what} arrives`,
      () => {
        take();
        this.watched(message.happen);
      },
    ];
    const isLost: Act = [
      `${message.what} is lost`,
      () => {
        take();
        this.lost += 1;
      },
    ];
    return this.lost < this.plan.mayLose ? [arrives, isLost] : [arrives];
  }

  /** To whatever comes next by itself. */
  private timeOption(): Act {
    const ats = [
      ...this.timers.map(({ at }) => at),
      ...this.processes.map((one) => (one.phase === 'waiting' ? one.wakeAt : Infinity)),
      ...this.processes.map((one) => (one.phase === 'sent' ? one.sentAt + attemptTimeoutMs : Infinity)),
    ].filter((at) => at > this.now);
    const ms = Math.min(this.plan.tickMs, ...ats.map((at) => at - this.now));
    return [`${ms} ms pass`, () => this.pass(ms)];
  }

  pass(ms: number): void {
    this.now += ms;
    for (;;) {
      const due = this.timers.find(({ at }) => at <= this.now);
      if (due === undefined) return;
      this.timers = this.timers.filter((one) => one !== due);
      due.happen();
    }
  }

  play(what: string): void {
    const ms = /^(\d+) ms$/.exec(what)?.[1];
    if (ms !== undefined) {
      this.pass(Number(ms));
      return;
    }
    if (what === 'all messages') {
      this.deliver();
      return;
    }
    const [name, well] = /^(\w) ends (well|badly)$/.exec(what)?.slice(1) ?? [];
    const process = this.processes.find((one) => one.name === name);
    if (process !== undefined) {
      this.end(process, well === 'well' ? 'succeeds' : 'fails');
      return;
    }
    const option = this.options().find(([words]) => words === what);
    if (option === undefined)
      throw new Error(`${what} is not possible: ${this.options().map(([words]) => words)}`);
    option[1]();
  }

  deliver(): void {
    while (this.messages[0] !== undefined) {
      const [message] = this.messages.splice(0, 1);
      if (message !== undefined) this.watched(message.happen);
    }
  }

  // -------------------------------------------------------------- what happens

  begin(process: Process): void {
    process.session = process.retrier.open(requestOf());
    this.proceed(process);
  }

  proceed(process: Process): void {
    const { session } = process;
    if (session === undefined) return;
    const before = this.gateOf(process);
    const admission = session.admit();
    process.phase = admission.kind === 'go' ? 'sent' : admission.kind === 'wait' ? 'waiting' : 'idle';
    if (admission.kind === 'wait') process.wakeAt = this.now + admission.delayMs;
    if (admission.kind === 'refuse') session.abandon();
    if (admission.kind !== 'go') return;
    process.sentAt = this.now;
    process.isProbe = before?.kind === 'shut' && before.leaseUntil !== undefined;
    const probes = this.processes.filter((one) => one.phase === 'sent' && one.isProbe);
    if (probes.length > 1) this.fault = 'two probes are out at once';
  }

  end(process: Process, end: End): void {
    const { session } = process;
    if (session === undefined) return;
    const outcome = outcomes[end];
    const isOver = outcome.kind === 'response' && accepts(session, outcome.status);
    if (!isOver) session.next(outcome, { replayable: true });
    if (end !== 'succeeds') process.hasFailed = true;
    process.phase = 'idle';
    process.isProbe = false;
  }

  /** The store may shut it only if both have failed since it was last shut. */
  private watched(happen: () => void): void {
    const before = this.record?.isShut ?? false;
    happen();
    const isShut = this.record?.isShut ?? false;
    if (isShut && !before && this.processes.some(({ hasFailed }) => !hasFailed))
      this.fault = 'shut on one witness';
    if (before && !isShut) for (const process of this.processes) process.hasFailed = false;
  }

  // -------------------------------------------------------------- what can be seen

  get record(): GateRecord | undefined {
    const [record] = (this.store as unknown as { records: Map<string, FleetRecord> }).records.values();
    return record as GateRecord | undefined;
  }

  gateOf({ retrier }: Process): GateState | undefined {
    const scope = retrier.open(requestOf()).scope as Scope;
    return scope.limitsOf(policy.fallback, policy.fallback.settings).gate?.state;
  }

  /** Everything that is remembered anywhere, with times as seen from now. */
  key(): string {
    const members = this.processes.map(
      ({ retrier }) => (retrier as unknown as { member: { courier: object } }).member.courier,
    );
    const processes = this.processes.map((one) => {
      const { phase, isProbe, hasFailed, wakeAt, sentAt } = one;
      const times = { wakeAt: phase === 'waiting' ? wakeAt : 0, sentAt: phase === 'sent' ? sentAt : 0 };
      const turn = phase === 'idle' ? undefined : (one.session as unknown as { turn: object }).turn;
      return [phase, isProbe, hasFailed, times, turn, this.gateOf(one)];
    });
    const timers = this.timers.map(({ at }) => at - this.now).sort();
    const messages = this.messages.map(({ sentAt, happen }) => [sentAt - this.now, String(happen)]);
    return this.said([
      this.record,
      members.map(memoryOf),
      processes,
      timers,
      messages,
      this.lost,
      this.fault,
    ]);
  }

  private said(value: unknown): string {
    return JSON.stringify(value, (key, it: unknown) => {
      if (typeof it !== 'number' || !/^at$|(At|Since|Until|since)$/.test(key)) return it;
      return Math.max(-20_000, Math.round(it - this.now));
    });
  }
}

/** What a courier and its shares remember, without each other. */
function memoryOf(courier: object): unknown {
  const { records, state, waitingSince, tries, out } = courier as Record<string, unknown>;
  const { marked } = records as { marked: Set<unknown> };
  const shares = (records as { all(): Record<string, unknown>[] }).all();
  const own = shares.map(({ gate: _, limit: __, courier: ___, random: ____, ...memory }) => memory);
  const exchanges = [...(out as Set<{ sentAt: number }>)].map(({ sentAt }) => ({ sentAt }));
  return [state, { waitingSince }, tries, exchanges, marked.size, own];
}

export interface Way {
  readonly path: readonly string[];
  readonly key: string;
}

export class FleetMachine implements Machine<Way> {
  readonly plan: FleetPlan;
  readonly initial: Way;
  private readonly check: (world: FleetWorld) => string | undefined;

  constructor(plan: FleetPlan, check: (world: FleetWorld) => string | undefined = () => undefined) {
    this.plan = plan;
    this.check = check;
    this.initial = { path: [], key: this.at([]).key() };
  }

  at(path: readonly string[]): FleetWorld {
    const world = new FleetWorld(this.plan);
    for (const what of path) world.play(what);
    return world;
  }

  key({ key }: Way): string {
    return key;
  }

  *steps({ path }: Way): Iterable<readonly [string, Way]> {
    for (const [what] of this.at(path).options()) {
      const next = [...path, what];
      yield [what, { path: next, key: this.at(next).key() }];
    }
  }

  faultIn({ path }: Way): string | undefined {
    const world = this.at(path);
    return world.fault ?? this.check(world);
  }
}
