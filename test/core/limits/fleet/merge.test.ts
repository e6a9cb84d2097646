import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BudgetRecord, BudgetReport } from '../../../../src/core/limits/budget/record.js';
import { mergeBudget } from '../../../../src/core/limits/budget/record.js';
import type { FleetRecord, Report } from '../../../../src/core/limits/fleet/messages.js';
import { merge } from '../../../../src/core/limits/fleet/messages.js';
import type { GateFacts, GateRecord, GateReport } from '../../../../src/core/limits/gate/record.js';
import { mergeGate } from '../../../../src/core/limits/gate/record.js';
import type { HoldRecord, HoldReport } from '../../../../src/core/limits/hold/record.js';
import { mergeHold } from '../../../../src/core/limits/hold/record.js';

const start = 1_000_000;

const quietGate: GateReport = {
  limit: 'gate',
  process: 'a',
  slice: 0,
  epoch: 0,
  isShut: false,
  lives: 0,
  aliveMs: 0,
  answersMs: -1,
  failures: 0,
  sinceMs: 0,
  lastMs: 0,
};

/** A gate record, and what it is told in turn. */
class Gate {
  record: GateRecord | undefined;
  facts!: GateFacts;
  news: GateFacts | undefined;
  now = start;

  tell(process: string, more: Partial<GateReport> = {}): this {
    const { epoch = 0, isShut = false } = this.record ?? {};
    const merged = mergeGate(this.record, { ...quietGate, epoch, isShut, process, ...more }, this.now);
    this.record = merged.record;
    this.facts = merged.facts;
    this.news = merged.news;
    return this;
  }

  after(ms: number): this {
    this.now += ms;
    return this;
  }
}

function failing(failures: number, sinceMs = 0): Partial<GateReport> {
  return { failures, sinceMs };
}

/** Two processes have seen it fail, and one says so. */
function shutGate(): Gate {
  const gate = new Gate().tell('a', failing(10)).after(2_000).tell('b', failing(10));
  return gate.tell('b', { shut: { row: gate.facts.row, probeInMs: 250 } });
}

describe('a shared gate', () => {
  test('pools failures, of how many witnesses and for how long', () => {
    const gate = new Gate().tell('a', failing(3, 100)).after(500).tell('b', failing(2));
    expect(gate.facts).toMatchObject({ failures: 5, forMs: 600, witnesses: 2, isShut: false });
    expect(gate.tell('a', failing(1)).facts.witnesses).toBe(2);
    expect(new Gate().tell('a', failing(3)).tell('a', failing(3)).facts.witnesses).toBe(1);
  });

  test('a sign of life anywhere ends the row, and what is older than that does not count', () => {
    const gate = new Gate().tell('a', failing(3)).after(500).tell('b', { lives: 2, aliveMs: 100 });
    expect(gate.facts).toMatchObject({ failures: 0, lives: 2, forMs: 0 });
    expect(gate.tell('a', failing(2, 400)).facts).toMatchObject({ failures: 2, forMs: 100, lives: 2 });
    expect(gate.after(100).tell('c', { lives: 1, aliveMs: 400 }).facts.failures).toBe(2);
    const late = new Gate()
      .tell('a', { lives: 1 })
      .after(100)
      .tell('b', { failures: 1, sinceMs: 300, lastMs: 200 });
    expect(late.facts.failures).toBe(0);
  });

  test('a row ends after ten seconds without an attempt', () => {
    const gate = new Gate().tell('a', failing(3)).after(10_001).tell('b', failing(1));
    expect(gate.facts).toMatchObject({ failures: 1, witnesses: 1, lives: 0 });
  });

  test('shuts for all when one takes the server for dead that two have seen failing', () => {
    const gate = shutGate();
    expect(gate.facts).toMatchObject({ isShut: true, epoch: 1, probeInMs: 250, failures: 20 });
    expect(gate.news).toEqual(gate.facts);
    expect(gate.tell('a').news).toBeUndefined();
  });

  test('does not shut on one witness, or by an older row or epoch', () => {
    const alone = new Gate().tell('a', failing(100)).tell('a', { shut: { row: 1, probeInMs: 250 } });
    expect(alone.facts.isShut).toBe(false);
    const old = new Gate()
      .tell('a', failing(10))
      .tell('b', { ...failing(10), shut: { row: 0, probeInMs: 1 } });
    expect(old.facts.isShut).toBe(false);
    const gate = shutGate().tell('a', { lives: 1 }).tell('a', failing(9)).tell('b', failing(9));
    expect(gate.tell('a', { epoch: 1, shut: { row: gate.facts.row, probeInMs: 1 } }).facts.isShut).toBe(
      false,
    );
  });

  test('lets one probe at a time, when it is time for one', () => {
    const gate = shutGate().tell('a', { wantMs: 2_500 });
    expect(gate.facts.lease).toBe(0);
    expect(gate.after(250).tell('a', { wantMs: 2_500 }).facts).toMatchObject({
      lease: 1,
      leaseLeftMs: 2_500,
    });
    expect(gate.news).toBeUndefined();
    expect(gate.tell('b', { wantMs: 2_500 }).facts).toMatchObject({ lease: 0, leaseLeftMs: 2_500 });
    expect(gate.tell('b', { over: { lease: 0, probeInMs: 0 }, wantMs: 1 }).facts.lease).toBe(0);
    expect(gate.tell('a', { over: { lease: 1, probeInMs: 900 } }).facts).toMatchObject({
      leaseLeftMs: 0,
      probeInMs: 900,
    });
    expect(gate.after(900).tell('b', { wantMs: 2_500 }).facts.lease).toBe(2);
    // The first holder comes late.
    expect(gate.tell('a', { over: { lease: 1, probeInMs: 0 }, wantMs: 1 }).facts.lease).toBe(0);
    // The second one never says that it is over.
    expect(gate.after(2_500).tell('a', { wantMs: 2_500 }).facts.lease).toBe(3);
  });

  test.each<[string, Partial<GateReport>, boolean]>([
    ['a success', { lives: 1 }, true],
    ['an error of its own', { answersMs: 0 }, true],
    ['another failure', failing(3), false],
    ['a success of before the row', { lives: 1, aliveMs: 5_000 }, false],
  ])('by %s that is shut: reopens %#', (_, report, reopens) => {
    const gate = shutGate().after(1_000).tell('c', report);
    expect(gate.facts).toMatchObject({ isShut: !reopens, epoch: reopens ? 2 : 1 });
    expect(gate.news?.isShut).toBe(reopens ? false : undefined);
  });

  test('a store that was emptied gets back what a process knows', () => {
    const gate = shutGate();
    gate.record = undefined;
    expect(gate.tell('a', { epoch: 1, isShut: true }).facts).toMatchObject({ epoch: 1, isShut: true });
    expect(gate.news).toBeUndefined();
    expect(gate.tell('b', { epoch: 1, isShut: true, lives: 1 }).facts).toMatchObject({ isShut: false });
  });
});

const quietHold: HoldReport = {
  limit: 'hold',
  firsts: 0,
  refusals: 0,
  successes: 0,
  sent: 0,
  turn: 0,
  want: 0,
  withinMs: 2_000,
  back: [],
};
const window = {
  phase: 'obeyed',
  dueMs: 0,
  share: 0,
  restMs: 0,
  forMs: 5_000,
  spacingMs: 50,
  isUrgent: true,
} as const;
const pace = { ...window, phase: 'paced', forMs: 0, isUrgent: false } as const;

describe('a shared hold', () => {
  function tell(record: HoldRecord | undefined, now: number, more: Partial<HoldReport>) {
    return mergeHold(record, { ...quietHold, turn: record?.turn ?? 0, ...more }, now);
  }

  test('adds up what was answered', () => {
    const first = tell(undefined, start, { firsts: 3, refusals: 1, successes: 2 });
    const { facts } = tell(first.record, start, { firsts: 2, successes: 2 });
    expect(facts).toMatchObject({ firsts: 5, refusals: 1, successes: 4, phase: 'free' });
  });

  test('counts only what is about the current queue', () => {
    const before = tell(undefined, start, { firsts: 9, refusals: 9 });
    const changed = tell(before.record, start, { firsts: 3, refusals: 3, hold: pace });
    expect(changed.facts).toMatchObject({ turn: 1, firsts: 0, refusals: 0 });
    expect(tell(changed.record, start, { turn: 0, firsts: 5, refusals: 5 }).facts).toMatchObject({
      firsts: 0,
      refusals: 0,
    });
    expect(tell(changed.record, start, { firsts: 2, sent: 4 }).facts).toMatchObject({ firsts: 2, sent: 4 });
  });

  test('after a trial in vain, the places that were taken may all go, and another queue begins behind them', () => {
    const tried = tell(undefined, start, { hold: { ...pace, phase: 'trial', dueMs: 1_500 }, want: 20 });
    expect(tried.facts).toMatchObject({ phase: 'trial', dueMs: 1_500, nextPlace: 20 });
    const free = tell(tried.record, start + 500, { hold: { ...pace, phase: 'free', dueMs: 10_000 } });
    expect(tell(free.record, start + 500, { want: 5 }).facts).toMatchObject({ granted: [], phase: 'free' });
    const next = tell(free.record, start + 600, { hold: pace, want: 1, withinMs: 0 });
    expect(next.facts.granted).toEqual([20]);
  });

  test('forgets places that are given back when all may go', () => {
    const tried = tell(undefined, start, { hold: { ...pace, phase: 'trial', dueMs: 1_500 }, want: 20 });
    const given = tell(tried.record, start, { back: [18] });
    expect(given.record.free).toEqual([18]);
    const free = tell(given.record, start, { hold: { ...pace, phase: 'free' }, back: [19] });
    expect(free.record.free).toEqual([]);
  });

  test('tells a window to all, and does not shorten it', () => {
    const told = tell(undefined, start, { hold: window });
    expect(told.news).toMatchObject({ forMs: 5_000, pacedMs: -5_000, turn: 1 });
    const shorter = tell(told.record, start + 1_000, { hold: { ...window, forMs: 1_000 } });
    expect(shorter.facts.forMs).toBe(4_000);
    const late = tell(told.record, start + 1_000, {
      turn: 0,
      hold: { ...window, forMs: 9_000, spacingMs: 1 },
    });
    expect(late.facts).toMatchObject({ forMs: 9_000, spacingMs: 50, turn: 2 });
    expect(
      tell(told.record, start, { turn: 0, hold: { ...window, forMs: 0, spacingMs: 1 } }).facts.turn,
    ).toBe(1);
  });

  test('gives each place once, at the pace of one process', () => {
    const hold = pace;
    const { record, news } = tell(undefined, start, { hold });
    expect(news).toBeUndefined();
    const one = tell(record, start, { want: 3 });
    expect(one.facts).toMatchObject({ granted: [0, 1, 2] });
    const other = tell(one.record, start, { want: 1_000, withinMs: 1_000 });
    expect(other.facts.granted[0]).toBe(3);
    // At 20 a second, and a little faster by then.
    expect(other.facts.granted.length).toBeGreaterThanOrEqual(17);
    expect(other.facts.granted.length).toBeLessThanOrEqual(19);
    const later = tell(other.record, start + 3_000, { want: 1 });
    expect(later.facts.granted[0]).toBeGreaterThan(55);
    expect(tell(undefined, start, { want: 5 }).facts.granted).toEqual([]);
  });
});

describe('places in the queue of a fleet', () => {
  const hold = pace;
  const { record } = mergeHold(undefined, { ...quietHold, hold, want: 10 }, start);
  const report = { ...quietHold, turn: record.turn };

  test('that are given back are given out first, once, and not after their time', () => {
    const back = mergeHold(record, { ...report, back: [7, 4] }, start).record;
    const again = mergeHold(back, { ...report, back: [7], want: 3 }, start);
    expect(again.facts.granted).toEqual([4, 7, 10]);
    expect(mergeHold(again.record, { ...report, want: 1 }, start).facts.granted).toEqual([11]);
    expect(mergeHold(back, { ...report, want: 1 }, start + 300).facts.granted).toEqual([7]);
    expect(mergeHold(back, { ...report, want: 1 }, start + 1_000).facts.granted[0]).toBeGreaterThan(10);
    expect(mergeHold(record, { ...report, back: [10, 99], want: 1 }, start).facts.granted).toEqual([10]);
  });

  test('that are given back are kept, the first hundred of them', () => {
    const places = Array.from({ length: 150 }, (_, place) => place + 10);
    const many = { ...report, withinMs: 60_000 };
    const taken = mergeHold(record, { ...many, want: 150 }, start);
    expect(taken.facts.granted).toEqual(places);
    const back = mergeHold(taken.record, { ...many, back: places.toReversed() }, start);
    expect(mergeHold(back.record, { ...many, want: 101 }, start).facts.granted).toEqual([
      ...places.slice(0, 100),
      160,
    ]);
  });
});

const quietBudget: BudgetReport = {
  limit: 'budget',
  slice: 0,
  capacity: 50_000,
  perSecond: 0.1,
  earned: 0,
  back: 0,
  succeeded: false,
  failed: false,
  want: 0,
};

describe('a shared budget', () => {
  function tell(record: BudgetRecord | undefined, now: number, more: Partial<BudgetReport>) {
    return mergeBudget(record, { ...quietBudget, ...more }, now);
  }

  test('each process brings a bucket, fifty of them at most', () => {
    const one = tell(undefined, start, {});
    expect(one.facts).toMatchObject({ tokens: 50_000, processes: 1 });
    const two = tell(one.record, start, {});
    expect(two.facts).toMatchObject({ tokens: 100_000, processes: 2 });
    const same = tell(two.record, start, { slice: two.facts.slice });
    expect(same.facts).toMatchObject({ tokens: 100_000, processes: 2 });
    let { record } = same;
    for (let more = 0; more < 100; more += 1) ({ record } = tell(record, start, {}));
    expect(record.tokens).toBe(2_500_000);
  });

  test('grants what there is, and takes what comes back, what is earned and the trickle', () => {
    const spent = tell(undefined, start, { want: 80_000 });
    expect(spent.facts).toMatchObject({ granted: 50_000, tokens: 0 });
    const { slice } = spent.facts;
    const filled = tell(spent.record, start + 1_000, { slice, earned: 300, back: 5_000 });
    expect(filled.facts.tokens).toBe(5_400);
    expect(tell(filled.record, start + 1_000, { slice, back: 1_000_000 }).facts.tokens).toBe(50_000);
  });

  test('is as deep as one bucket while nothing succeeds anywhere', () => {
    let { record } = tell(undefined, start, { succeeded: true });
    for (let more = 0; more < 9; more += 1) ({ record } = tell(record, start, {}));
    expect(record.tokens).toBe(500_000);
    const { slice } = record;
    ({ record } = tell(record, start, { slice, failed: true }));
    const barren = tell(record, start + 2_500, { slice, failed: true });
    expect(barren.facts).toMatchObject({ isBarren: true, tokens: 50_000 });
    expect(barren.news).toMatchObject({ isBarren: true, granted: 0 });
    const back = tell(barren.record, start + 2_600, { slice, succeeded: true });
    expect(back.news?.isBarren).toBe(false);
    expect(back.facts.tokens).toBeLessThan(50_200);
  });
});

// ---------------------------------------------------------------- whatever is reported

const ms = fc.integer({ min: 0, max: 20_000 });
const count = fc.integer({ min: 0, max: 40 });
const always = [
  'limit',
  'process',
  'slice',
  'epoch',
  'isShut',
  'lives',
  'aliveMs',
  'answersMs',
  'failures',
  'sinceMs',
  'lastMs',
] as const;
const anyGate: fc.Arbitrary<GateReport> = fc.record(
  {
    limit: fc.constant('gate' as const),
    process: fc.constantFrom('a', 'b', 'c'),
    slice: count,
    epoch: fc.integer({ min: 0, max: 5 }),
    isShut: fc.boolean(),
    lives: count,
    aliveMs: ms,
    answersMs: fc.integer({ min: -1, max: 5_000 }),
    failures: count,
    sinceMs: ms,
    lastMs: ms,
    shut: fc.record({ row: fc.integer({ min: 0, max: 5 }), probeInMs: ms }),
    wantMs: ms,
    over: fc.record({ lease: fc.integer({ min: 0, max: 5 }), probeInMs: ms }),
  },
  { requiredKeys: [...always] },
);
const anyBudget: fc.Arbitrary<BudgetReport> = fc.record({
  limit: fc.constant('budget' as const),
  slice: count,
  capacity: fc.constant(50_000),
  perSecond: fc.constant(0.1),
  earned: fc.integer({ min: 0, max: 10_000 }),
  back: fc.integer({ min: 0, max: 10_000 }),
  succeeded: fc.boolean(),
  failed: fc.boolean(),
  want: fc.integer({ min: 0, max: 20_000 }),
});

describe('whatever is reported', () => {
  function play(
    reports: readonly (readonly [number, Report])[],
    each: (record: FleetRecord, before: FleetRecord | undefined, report: Report, now: number) => void,
  ): void {
    let record: FleetRecord | undefined;
    let now = start;
    for (const [passed, report] of reports) {
      now += passed;
      const merged = merge(record, report, now);
      each(merged.record, record, report, now);
      // Plain data, and nothing that a message could not carry.
      expect(JSON.parse(JSON.stringify(merged))).toEqual(JSON.parse(JSON.stringify({ ...merged })));
      expect(JSON.stringify(merged)).not.toContain('null');
      record = merged.record;
    }
  }

  test('a gate never shuts on one witness, has one lease out at most, and its numbers only grow', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(ms, anyGate), { maxLength: 40 }), (reports) => {
        play(reports, (record, before, report, now) => {
          const gate = record as GateRecord;
          const last = before as GateRecord | undefined;
          if (last === undefined || report.limit !== 'gate') return;
          const restores = report.epoch > last.epoch;
          if (gate.isShut && !last.isShut && !restores) expect(gate.witnesses).toBe(2);
          expect(gate.epoch).toBeGreaterThanOrEqual(last.epoch);
          expect(gate.row).toBeGreaterThanOrEqual(last.row);
          if (gate.lease === last.lease || restores) return;
          const isFree = now >= last.leaseUntil || report.over?.lease === last.lease;
          expect(isFree).toBe(true);
        });
      }),
    );
  });

  test('a budget is never below 0 or above its capacity', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(ms, anyBudget), { maxLength: 40 }), (reports) => {
        play(reports, (record) => {
          const { tokens, isBarren } = record as BudgetRecord;
          expect(tokens).toBeGreaterThanOrEqual(0);
          expect(tokens).toBeLessThanOrEqual(isBarren ? 50_000 : 2_500_000);
        });
      }),
    );
  });
});
