/** The way of a request that is clear at every limit and succeeds at once: no limit is left out of it. */

import { describe, expect, test } from 'vitest';
import { type LimitName, limitNames, orderOfAdmission } from '../../../src/core/limits/all.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { isClear } from '../../../src/kernel/limits/clear.js';
import type { LiveSession } from '../../../src/kernel/live-session.js';
import type { Retrier } from '../../../src/kernel/retrier.js';
import { createRetrier } from '../../../src/parts/all.js';
import { answered, requestOf } from '../../kit.js';

const policies: Readonly<Record<LimitName, PolicyOptions>> = {
  budget: { gate: false, hold: false, budget: { capacity: 2, perSuccess: 1, perSecond: 0 } },
  gate: { budget: false, hold: false, gate: { failures: 2, deadForMs: 0, rampMs: 1_000 } },
  hold: { budget: false, gate: false, hold: { refusedShare: 0 } },
  concurrency: { budget: false, gate: false, hold: false, concurrency: 1 },
};

const failures: Readonly<Record<LimitName, ReturnType<typeof answered>>> = {
  budget: answered(503),
  gate: answered(503),
  hold: answered(429, { 'retry-after': '5' }),
  concurrency: answered(503),
};

class Stage {
  now = 1_000;
  readonly retrier: Retrier;

  constructor(name: LimitName) {
    const ports = { now: () => this.now, date: () => 0, random: () => 0.5 };
    this.retrier = createRetrier(policies[name], ports);
  }

  open(): LiveSession {
    return this.retrier.open(requestOf()) as LiveSession;
  }

  /** Two requests that are out at the same time fail. */
  fail(name: LimitName): void {
    const both = [this.open(), this.open()];
    for (const session of both) session.admit();
    for (const session of both) session.next(failures[name], { replayable: true });
  }

  get seen(): unknown {
    const { budget, gate, hold, concurrency } = this.open().limits;
    return [budget?.spendable(this.now), gate?.state, hold?.sample, concurrency?.snapshot()];
  }
}

describe('a limit that is asked before each attempt', () => {
  test.each(orderOfAdmission)('is in the way: %s', (name) => {
    const stage = new Stage(name);
    expect(isClear(stage.open().limits, stage.now)).toBe(true);
    stage.fail(name);
    expect(isClear(stage.open().limits, stage.now)).toBe(false);
    expect(stage.open().admit().kind).not.toBe('go');
  });
});

describe('a success at once', () => {
  test.each(limitNames)('is heard by the %s', (name) => {
    const stage = new Stage(name);
    const early = stage.open();
    early.admit();
    stage.fail(name);
    const before = stage.seen;
    expect(early.acceptAtOnce(200)).toBe(true);
    early.bodyEnded();
    expect(stage.seen).not.toEqual(before);
  });
});
