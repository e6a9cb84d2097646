import { describe, expect, test } from 'vitest';
import type { BudgetReport } from '../../../src/core/limits/budget/record.js';
import type { Facts, Told } from '../../../src/core/limits/fleet/messages.js';
import type { GateReport } from '../../../src/core/limits/gate/record.js';
import type { Network } from '../../../src/fleet/memory/store.js';
import { MemoryStore } from '../../../src/fleet/memory/store.js';
import { factsIn } from '../../../src/fleet/reading.js';

const report: BudgetReport = {
  limit: 'budget',
  slice: 0,
  capacity: 10_000,
  perSecond: 0,
  earned: 0,
  back: 0,
  succeeded: false,
  failed: true,
  want: 1_000,
};
const quick: Network = { delayMs: 5 };

class Stage {
  now = 1_000;
  luck = 0.5;
  readonly store: MemoryStore;
  private readonly waiting: { readonly at: number; readonly happen: () => void }[] = [];

  constructor(network: Network = quick) {
    const later = (delayMs: number, happen: () => void): void => {
      this.waiting.push({ at: this.now + delayMs, happen });
    };
    this.store = new MemoryStore({ now: () => this.now, later, random: () => this.luck }, network);
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const next = this.waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.now = next.at;
      next.happen();
    }
    this.now = until;
  }
}

describe('a store in memory', () => {
  test('answers after a way there and a way back, in the order of the reports', () => {
    const stage = new Stage();
    const link = stage.store.link();
    const answers: (readonly Facts[] | undefined)[] = [];
    link.exchange(
      [
        { key: 'x', report },
        { key: 'y', report: { ...report, want: 2_000 } },
      ],
      (facts) => answers.push(facts),
    );
    stage.pass(9);
    expect(answers).toEqual([]);
    stage.pass(1);
    expect(answers[0]).toMatchObject([{ granted: 1_000 }, { granted: 2_000 }]);
  });

  test('tells news to all that listen, once', () => {
    const stage = new Stage();
    const heard: Told[] = [];
    const one = stage.store.link();
    const silence = stage.store.link().listen((news) => heard.push(news));
    one.exchange([{ key: 'x', report }], () => undefined);
    stage.pass(5_000);
    one.exchange([{ key: 'x', report }], () => undefined);
    stage.pass(10);
    expect(heard).toMatchObject([{ key: 'x', facts: { limit: 'budget', isBarren: true } }]);
    silence();
    one.exchange([{ key: 'x', report: { ...report, succeeded: true, failed: false } }], () => undefined);
    stage.pass(10);
    expect(heard).toHaveLength(1);
  });

  test.each<[string, (stage: Stage, link: ReturnType<MemoryStore['link']>) => void]>([
    ['is lost', (stage) => (stage.store.network = { delayMs: 5, lost: 1 })],
    ['is cut off', (_, link) => (link.isCut = true)],
    ['meets a store that is stopped', (stage) => (stage.store.isStopped = true)],
  ])('does not answer where a message %s', (_, break_) => {
    const stage = new Stage();
    const link = stage.store.link();
    break_(stage, link);
    let answered = 0;
    link.exchange([{ key: 'x', report }], () => (answered += 1));
    stage.pass(1_000);
    expect(answered).toBe(0);
  });

  test('takes a report twice that arrives twice, and answers once', () => {
    const stage = new Stage({ delayMs: 5, doubled: 1 });
    let answered = 0;
    stage.store.link().exchange([{ key: 'x', report }], () => (answered += 1));
    stage.pass(100);
    expect(answered).toBe(1);
    expect(stage.store.exchanges).toBe(2);
  });

  test('messages overtake each other where they take different times', () => {
    const stage = new Stage({ delayMs: 5, spreadMs: 100 });
    const link = stage.store.link();
    const order: number[] = [];
    link.exchange([], () => order.push(1));
    stage.luck = 0;
    link.exchange([], () => order.push(2));
    stage.pass(300);
    expect(order).toEqual([2, 1]);
  });
});

describe('facts that are read', () => {
  const gate: GateReport = {
    limit: 'gate',
    process: 'a',
    slice: 0,
    epoch: 0,
    isShut: false,
    lives: 1,
    aliveMs: 0,
    answersMs: -1,
    failures: 0,
    sinceMs: 0,
    lastMs: 0,
  };
  const hold = {
    limit: 'hold',
    firsts: 1,
    refusals: 0,
    successes: 1,
    sent: 0,
    turn: 0,
    want: 0,
    withinMs: 0,
    back: [],
  } as const;
  const facts = new Stage().store.take([
    { key: 'b', report },
    { key: 'g', report: gate },
    { key: 'h', report: hold },
  ]);

  test('are what a store tells', () => {
    for (const one of facts) expect(factsIn(JSON.parse(JSON.stringify(one)))).toEqual(one);
  });

  test.each<unknown>([
    null,
    undefined,
    7,
    'gate',
    [],
    {},
    { limit: 'gate' },
    { limit: 'toString' },
    { limit: {} },
  ])('%j is none', (value) => {
    expect(factsIn(value)).toBeUndefined();
  });

  test('nor are those with a part that is missing or wrong', () => {
    for (const one of facts) {
      for (const key of Object.keys(one)) {
        for (const wrong of [undefined, null, Number.NaN, 'x', {}]) {
          expect(factsIn({ ...one, [key]: wrong })).toBeUndefined();
        }
      }
    }
  });
});
