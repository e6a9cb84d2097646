/** A store that can be reached late, as a client of Redis that connects while the app starts. */

import { describe, expect, test } from 'vitest';
import type { Facts, Reported } from '../../src/core/limits/fleet/messages.js';
import { fleetOver } from '../../src/fleet/index.js';
import type { Store } from '../../src/fleet/port.js';
import { createRetrier, type Retrier } from '../../src/index.js';

/** Answers only while it is ready, and says when it becomes so. */
class LateStore implements Store {
  isReady = false;
  readonly asked: number[] = [];
  private readonly stage: Stage;
  private ready: () => void = () => undefined;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  canTake(): boolean {
    return true;
  }

  exchange(reports: readonly Reported[], answered: (facts: readonly Facts[] | undefined) => void): void {
    this.asked.push(this.stage.now);
    const facts = this.isReady ? reports.map(() => budgetFacts) : undefined;
    this.stage.sleep(1, () => answered(facts));
  }

  listen(_told: unknown, ready: () => void): () => void {
    this.ready = ready;
    return () => undefined;
  }

  becomeReady(): void {
    this.isReady = true;
    this.ready();
  }
}

const budgetFacts: Facts = {
  limit: 'budget',
  slice: 1,
  processes: 1,
  isBarren: false,
  granted: 0,
  tokens: 0,
};

class Stage {
  now = 0;
  luck = 0.5;
  private timers: { readonly at: number; readonly wake: () => void }[] = [];

  readonly sleep = (delayMs: number, wake: () => void): (() => void) => {
    const timer = { at: this.now + delayMs, wake };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };

  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const [next] = this.timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = next.at;
      next.wake();
    }
    this.now = until;
  }

  retrierOver(store: Store): Retrier {
    const ports = { now: () => this.now, date: () => this.now, random: () => this.luck, sleep: this.sleep };
    const retrier = createRetrier({}, ports, { fleet: fleetOver(store) });
    const session = retrier.open({
      method: 'GET',
      origin: 'http://a.example',
      path: '/',
      keyed: false,
    } as never);
    session.admit();
    session.next({ kind: 'response', status: 200, headers: {} }, { replayable: true });
    return retrier;
  }
}

function isShared(retrier: Retrier): boolean {
  return retrier.snapshot().fleet?.isShared === true;
}

describe('a store that can only be reached later', () => {
  test.each([100, 850, 1_300, 60_000])('is one with the process at once: after %i ms', (afterMs) => {
    const stage = new Stage();
    const store = new LateStore(stage);
    const retrier = stage.retrierOver(store);
    stage.pass(afterMs);
    store.becomeReady();
    // A store that has never answered is asked at once; after an outage, each process has its own delay, of half a second at most.
    stage.pass(502);
    expect(isShared(retrier)).toBe(true);
  });

  test('is one with a process that has just started within a few milliseconds', () => {
    const stage = new Stage();
    const store = new LateStore(stage);
    const retrier = stage.retrierOver(store);
    stage.pass(300);
    store.becomeReady();
    stage.pass(22);
    expect(isShared(retrier)).toBe(true);
  });

  test('is not asked by all processes at the same moment when it comes back', () => {
    const asked = [0, 0.25, 0.5, 0.75, 0.99].map((luck) => {
      const stage = new Stage();
      stage.luck = luck;
      const store = new LateStore(stage);
      stage.retrierOver(store);
      stage.pass(60_000);
      const before = store.asked.length;
      store.becomeReady();
      stage.pass(600);
      return Math.round((store.asked[before] ?? Number.NaN) - 60_000);
    });
    expect(asked).toEqual([0, 125, 250, 375, 495]);
  });

  test('that answers anyway is not asked once more', () => {
    const stage = new Stage();
    const store = new LateStore(stage);
    store.isReady = true;
    const retrier = stage.retrierOver(store);
    stage.pass(300);
    expect(isShared(retrier)).toBe(true);
    const before = store.asked.length;
    store.becomeReady();
    stage.pass(1_000);
    expect(store.asked.length).toBe(before);
  });
});
