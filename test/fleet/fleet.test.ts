/** What processes that share their scopes do, and what they do where the store does not answer. */

import { describe, expect, test } from 'vitest';
import { protocolVersion } from '../../src/core/limits/fleet/messages.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { presets } from '../../src/index.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import type { Session } from '../../src/kernel/session.js';
import { createRetrier } from '../../src/parts/all.js';
import { answered, errorWith, failed, requestOf } from '../kit.js';
import { Fleets, type Process } from './kit.js';

const reset = failed(errorWith({ code: 'ECONNRESET' }));
const gate: PolicyOptions = {
  retry: false,
  budget: false,
  attemptTimeoutMs: 1_000,
  gate: { failures: 10, deadForMs: 1_000, probeMs: 1_000, rampMs: 2_000 },
};

interface Sizes {
  readonly byKey: { readonly size: number; keys(): Iterable<string> };
  readonly marked: { readonly size: number };
}

function recordsOf(retrier: Retrier): Sizes {
  return (retrier as unknown as { member: { courier: { records: Sizes } } }).member.courier.records;
}

/** Both have seen it well, and then failing. */
function shutFleet(count = 2, policy: PolicyOptions = gate): Fleets {
  const fleets = new Fleets(policy, count);
  fleets.every(20, 1_000, (process) => process.ask());
  fleets.every(20, 1_400, (process) => process.ask(reset));
  return fleets;
}

function gates({ processes }: Fleets): string[] {
  return processes.map((process) => process.gate);
}

describe('a gate of two processes', () => {
  test('shuts for both by what they have seen together, and says so at once', () => {
    const fleets = shutFleet();
    expect(gates(fleets)).toEqual(['shut', 'shut']);
    // Neither of the rows alone was long enough for its own process.
    expect(fleets.at(0).snapshot.scopes[0]?.refused['gate-shut']).toBeGreaterThan(0);
  });

  test('of which one fails shuts for that one alone', () => {
    const fleets = new Fleets(gate, 2);
    fleets.every(20, 1_000, (process) => process.ask());
    fleets.every(20, 3_000, (process, index) => process.ask(index === 0 ? reset : answered(200)));
    expect(gates(fleets)).toEqual(['shut', 'open']);
    expect(fleets.at(1).snapshot.scopes[0]?.refused['gate-shut']).toBe(0);
  });

  test('does not shut on one witness, while the other has nothing to say', () => {
    const fleets = new Fleets(gate, 2);
    fleets.every(20, 1_000, (process) => process.ask());
    fleets.every(20, 3_000, (process, index) => (index === 0 ? process.ask(reset) : undefined));
    expect(gates(fleets)).toEqual(['shut', 'open']);
  });

  /** What a request that may wait a little gets. */
  function insist(fleets: Fleets, process: Process): 'sent' | 'refuse' {
    const session = process.open();
    for (;;) {
      const admission = session.admit();
      if (admission.kind !== 'wait') {
        if (admission.kind === 'refuse') session.abandon();
        else session.next(reset, { replayable: true });
        return admission.kind === 'go' ? 'sent' : 'refuse';
      }
      fleets.pass(admission.delayMs);
    }
  }

  test('lets one probe go for both, after a wait of a few milliseconds', () => {
    const fleets = shutFleet();
    fleets.pass(1_500);
    const before = fleets.now;
    expect(insist(fleets, fleets.at(0))).toBe('sent');
    expect(fleets.now - before).toBeLessThanOrEqual(50);
    expect(insist(fleets, fleets.at(1))).toBe('refuse');
    // It failed: the next probe is a second later, by the first process that asks.
    fleets.pass(1_600);
    expect(insist(fleets, fleets.at(1))).toBe('sent');
    expect(insist(fleets, fleets.at(0))).toBe('refuse');
  });

  /** A request that is sent as the probe. */
  function probing(fleets: Fleets, process: Process): Session {
    const probe = process.open();
    let admission = probe.admit();
    while (admission.kind === 'wait') {
      fleets.pass(admission.delayMs);
      admission = probe.admit();
    }
    expect(admission.kind).toBe('go');
    return probe;
  }

  test.each([
    [1_000, 500],
    [18_000, 1_500],
    [undefined, 5_000],
  ])(
    'with an attempt timeout of %s ms, an unanswered probe holds back the next for %i ms',
    (timeoutMs, ms) => {
      const { attemptTimeoutMs: _, ...untimed } = gate;
      const policy = timeoutMs === undefined ? untimed : { ...gate, attemptTimeoutMs: timeoutMs };
      const fleets = shutFleet(2, policy);
      fleets.pass(1_500);
      probing(fleets, fleets.at(0));
      fleets.pass(ms - 400);
      expect(insist(fleets, fleets.at(1))).toBe('refuse');
      fleets.pass(400);
      expect(insist(fleets, fleets.at(1))).toBe('sent');
    },
  );

  test('in a long outage, an unanswered probe holds back the next for a part of it', () => {
    const fleets = shutFleet();
    fleets.pass(64_000);
    probing(fleets, fleets.at(0));
    fleets.pass(1_400);
    expect(insist(fleets, fleets.at(1))).toBe('refuse');
    fleets.pass(800);
    expect(insist(fleets, fleets.at(1))).toBe('sent');
  });

  test('reopens by the answer of any probe, and the late failure of an earlier one says nothing', () => {
    const timeout = failed(errorWith({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' }));
    const fleets = shutFleet(3);
    fleets.pass(1_500);
    const lost = probing(fleets, fleets.at(0));
    fleets.pass(1_300);
    const late = probing(fleets, fleets.at(1));
    fleets.pass(1_300);
    probing(fleets, fleets.at(2));
    lost.next(timeout, { replayable: true });
    fleets.pass(20);
    // It did not end the lease of the last one.
    expect(insist(fleets, fleets.at(0))).toBe('refuse');
    late.acceptAtOnce(200);
    fleets.pass(20);
    expect(gates(fleets)).toEqual(['ramping', 'ramping', 'ramping']);
  });

  test('once reopened, is not shut again by what was sent before', () => {
    const fleets = new Fleets(gate, 2);
    fleets.every(20, 1_000, (process) => process.ask());
    const late = Array.from({ length: 40 }, (_, index) => fleets.at(index % 2).open());
    for (const session of late) session.admit();
    fleets.every(20, 1_400, (process) => process.ask(reset));
    expect(gates(fleets)).toEqual(['shut', 'shut']);
    fleets.pass(1_500);
    probing(fleets, fleets.at(0)).acceptAtOnce(200);
    fleets.pass(20);
    for (const session of late) session.next(reset, { replayable: true });
    fleets.pass(300);
    expect(gates(fleets)).toEqual(['ramping', 'ramping']);
  });

  test('lets a request that meets a probe of the other wait for its answer', () => {
    const fleets = shutFleet();
    fleets.pass(1_500);
    const probe = probing(fleets, fleets.at(0));
    const other = fleets.at(1).open();
    expect(other.admit().kind).toBe('wait');
    fleets.pass(20);
    expect(other.admit().kind).toBe('wait');
    probe.acceptAtOnce(200);
    fleets.pass(20);
    expect(other.admit().kind).toBe('go');
    expect(gates(fleets)).toEqual(['ramping', 'ramping']);
  });

  test('an unused lease does not keep other processes from probing for long', () => {
    const fleets = shutFleet();
    fleets.pass(1_500);
    const leaving = fleets.at(0).open();
    expect(leaving.admit().kind).toBe('wait');
    leaving.abandon();
    fleets.pass(400);
    expect(insist(fleets, fleets.at(1))).toBe('sent');
  });

  test('a process that is killed with the lease keeps it no longer than it takes', () => {
    const fleets = shutFleet();
    fleets.pass(1_500);
    const lost = fleets.at(0).open();
    lost.admit();
    fleets.pass(20);
    expect(lost.admit().kind).toBe('go');
    fleets.at(0).link.isCut = true;
    fleets.pass(100);
    expect(insist(fleets, fleets.at(1))).toBe('refuse');
    fleets.pass(500);
    expect(insist(fleets, fleets.at(1))).toBe('sent');
  });

  test('a process that comes later knows that it is shut before its second request', () => {
    const fleets = new Fleets(gate, 3);
    const [one, two, late] = [fleets.at(0), fleets.at(1), fleets.at(2)];
    for (let turn = 0; turn < 120; turn += 1) {
      const process = turn % 2 === 0 ? one : two;
      process.ask(turn < 50 ? answered(200) : reset);
      fleets.pass(20);
    }
    late.ask(reset);
    fleets.pass(300);
    expect(late.gate).toBe('shut');
  });
});

describe('a hold of fifty processes', () => {
  const hold: PolicyOptions = {
    retry: false,
    budget: false,
    hintJitter: 0,
    deadlineMs: 60_000,
    hold: { refusedShare: 0, spacingMs: 50, maxQueueMs: 20_000 },
  };
  const told = answered(429, { 'retry-after': '5' });

  test('a window that one is told holds for all, at once', () => {
    const fleets = new Fleets(hold, 50);
    fleets.every(1, 500, (process) => process.ask());
    fleets.at(0).ask(told);
    fleets.pass(10);
    expect(fleets.processes.filter((process) => process.ask() === 'sent')).toHaveLength(0);
    fleets.pass(4_900);
    expect(fleets.processes.filter((process) => process.ask() === 'sent')).toHaveLength(0);
  });

  test('behind it, all of them together are as fast as one', () => {
    const fleets = new Fleets(hold, 50);
    // Twenty a second, in all.
    fleets.every(50, 5_000, (process) => process.ask());
    fleets.at(0).ask(told);
    fleets.pass(4_990);
    const sessions = fleets.processes.flatMap((process) => [process.open(), process.open()]);
    const sentAt: number[] = [];
    const endsAt = fleets.now + 3_000;
    const waiting = new Set(sessions);
    while (fleets.now < endsAt) {
      for (const session of waiting) {
        if (session.admit().kind !== 'go') continue;
        waiting.delete(session);
        sentAt.push(fleets.now);
        session.acceptAtOnce(200);
      }
      fleets.pass(10);
    }
    const perSecond = sentAt.length / 3;
    expect(perSecond).toBeGreaterThan(10);
    // Four fifths of what succeeded before, and 10 % more each second.
    expect(perSecond).toBeLessThan(25);
  });
});

test('ten processes hedge, although each has leased only a part of their budget', () => {
  const fleets = new Fleets({ hedge: { afterMs: 50, share: 1 } }, 10);
  fleets.every(20, 2_000, (process) => process.ask());
  // From now on, they share a budget.
  fleets.every(20, 200, (process) => process.ask(answered(503)));
  fleets.every(20, 2_000, (process) => process.ask());
  const hedges = fleets.processes.map((process) => {
    const { tail } = process.open();
    tail?.sent(1);
    fleets.pass(50);
    return tail?.hedge();
  });
  expect(hedges).toEqual(new Array(10).fill(2));
});

describe('a budget of ten processes', () => {
  const budget: PolicyOptions = {
    maxRetries: 1,
    schedule: { kind: 'fixed', waitMs: 0, jitter: 'none' },
    budget: { capacity: 20, perSecond: 0, perSuccess: 0, cost: 1 },
  };

  function retried(process: Process): boolean {
    const session = process.open();
    return session.next(reset, { replayable: true }).action === 'retry';
  }

  test('is one bucket, once nothing succeeds any more', () => {
    const fleets = new Fleets(budget, 10);
    fleets.every(10, 1_000, (process) => process.ask());
    let retries = 0;
    fleets.every(10, 3_000, (process) => retried(process));
    fleets.every(10, 10_000, (process) => {
      if (retried(process)) retries += 1;
    });
    expect(retries).toBeLessThanOrEqual(20);
    const alone = new Fleets(budget, 10);
    for (const { link } of alone.processes) link.isCut = true;
    let own = 0;
    alone.every(10, 14_000, (process) => {
      if (retried(process)) own += 1;
    });
    expect(own).toBe(200);
  });

  test('pays again and again for retries that help, and only once for those that do not', () => {
    const fleets = new Fleets(budget, 10);
    fleets.every(10, 1_000, (process) => process.ask());
    let refused = 0;
    // A hundred retries a second of each process, which has twenty tokens.
    fleets.every(10, 5_000, (process) => {
      const session = process.open();
      if (session.next(reset, { replayable: true }).action !== 'retry') refused += 1;
      else session.next(answered(200), { replayable: true });
    });
    expect(refused).toBe(0);
    const useless = fleets.processes.map((process) => {
      let spent = 0;
      for (; retried(process); spent += 1);
      return spent;
    });
    // What each has at hand; not what it has got back in all that time.
    expect(Math.max(...useless)).toBeLessThanOrEqual(20);
  });

  test('what is leased goes back when nothing happens', () => {
    const fleets = new Fleets(budget, 2);
    fleets.every(10, 1_000, (process) => process.ask());
    expect(fleets.at(0).snapshot.scopes[0]?.budgets).toEqual([]);
    retried(fleets.at(0));
    fleets.pass(300);
    expect(fleets.at(0).snapshot.scopes[0]?.budgets[0]?.tokens).toBe(10);
    fleets.pass(20_000);
    expect(fleets.at(0).snapshot.scopes[0]?.budgets[0]?.tokens).toBe(2);
    expect(fleets.pending).toBe(0);
  });
});

describe('a store that does not answer', () => {
  test('is noticed within a second, and each process goes on alone', () => {
    const fleets = shutFleet();
    fleets.store.isStopped = true;
    // A probe that was out is over by then, also for processes that were not told.
    fleets.pass(3_000);
    expect(fleets.at(0).ask()).toBe('wait');
    fleets.pass(1_000);
    expect(fleets.at(0).isShared).toBe(false);
    expect(fleets.events).toContainEqual([0, false]);
    // Its own probe, without a lease.
    fleets.pass(1_500);
    expect(fleets.at(0).ask()).toBe('sent');
    expect(fleets.at(0).gate).toBe('ramping');
  });

  test('is asked from time to time, and is one again when it answers', () => {
    const fleets = new Fleets(gate, 2);
    fleets.store.isStopped = true;
    fleets.every(20, 60_000, (process) => process.ask());
    expect(fleets.processes.map(({ isShared }) => isShared)).toEqual([false, false]);
    expect(fleets.pending).toBeLessThan(20);
    fleets.store.isStopped = false;
    fleets.every(20, 6_000, (process) => process.ask());
    expect(fleets.processes.map(({ isShared }) => isShared)).toEqual([true, true]);
    expect(fleets.events).toEqual([
      [0, false],
      [1, false],
      [expect.any(Number), true],
      [expect.any(Number), true],
    ]);
  });

  test('that was emptied gets back from the processes that it is shut', () => {
    const fleets = shutFleet();
    fleets.store.forget();
    fleets.pass(3_000);
    fleets.at(0).ask();
    fleets.pass(20);
    fleets.at(1).ask();
    fleets.pass(20);
    expect(gates(fleets)).toEqual(['shut', 'shut']);
  });

  test('loses one message of five, and still shares', () => {
    const fleets = new Fleets(gate, 2);
    let dice = 1;
    Object.defineProperty(fleets, 'luck', {
      get: () => {
        dice = (dice * 48_271) % 2_147_483_647;
        return dice / 2_147_483_647;
      },
    });
    fleets.store.network = { delayMs: 5, lost: 0.2 };
    fleets.every(20, 60_000, (process) => process.ask());
    const silent = fleets.events.filter(([, isShared]) => !isShared);
    expect(silent.length).toBeLessThanOrEqual(1);
  });

  test('and thousands of scopes that come and go leave nothing behind', () => {
    const fleets = new Fleets({ ...gate, budget: {}, hold: true, maxScopes: 3 }, 1);
    const { retrier } = fleets.at(0);
    const visit = (index: number): void => {
      retrier.open(requestOf({ origin: `https://${index}.example` })).next(reset, { replayable: true });
      fleets.pass(1);
    };
    for (let index = 0; index < 2_000; index += 1) {
      if (index === 1_000) fleets.store.isStopped = true;
      visit(index);
    }
    fleets.pass(2_000);
    expect(fleets.at(0).isShared).toBe(false);
    for (let index = 0; index < 2_000; index += 1) visit(index);
    const records = recordsOf(retrier);
    // Of each of three scopes a gate and a budget: nothing was answered that a hold would count.
    expect(records.byKey.size).toBe(6);
    expect(records.marked.size).toBeLessThanOrEqual(6);
    expect(fleets.pending).toBeLessThan(20);
  });

  test('a request of a scope that was forgotten goes on without the fleet', () => {
    const fleets = new Fleets({ ...gate, maxScopes: 1 }, 2);
    fleets.every(20, 1_000, (process) => process.ask());
    const session = fleets.at(0).open();
    expect(session.admit().kind).toBe('go');
    fleets
      .at(0)
      .retrier.open(requestOf({ origin: 'https://other.example' }))
      .acceptAtOnce(200);
    session.next(reset, { replayable: true });
    fleets.pass(1_000);
    expect(session.admit().kind).toBe('go');
  });

  test('makes one round trip in a tenth of a second, however much there is to do', () => {
    const few = new Fleets(gate, 1);
    few.every(50, 10_000, (process) => process.ask());
    const many = new Fleets(gate, 1);
    many.every(1, 10_000, (process) => process.ask());
    expect(few.store.exchanges).toBeGreaterThan(80);
    expect(many.store.exchanges).toBeLessThanOrEqual(101);
  });
});

test('a retrier without a fleet says nothing of one', () => {
  const retrier = createRetrier(gate);
  retrier.open(requestOf());
  expect(retrier.snapshot()).not.toHaveProperty('fleet');
});

test.each([
  ['a bucket', presets.budgets.grpc, '1fljjp9sxdtt7'],
  ['a window', presets.budgets.finagle, '1dgufha1mu4xv8'],
])(
  'the name of a record of %s follows from what is set: an older version finds the same one',
  (_, budget, hash) => {
    const fleets = new Fleets({ budget }, 1);
    fleets.at(0).ask();
    expect([...recordsOf(fleets.at(0).retrier).byKey.keys()]).toEqual([
      `v${protocolVersion} budget default ${hash} https://api.example.com`,
    ]);
  },
);
