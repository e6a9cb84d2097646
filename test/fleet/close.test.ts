/** A process that ends gives back what it has leased, and goes on alone until then. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { fleetOver } from '../../src/fleet/fleet.js';
import type { MemoryLink } from '../../src/fleet/memory/store.js';
import { createRetrier } from '../../src/parts/all.js';
import { answered, requestOf } from '../kit.js';
import { Fleets } from './kit.js';

const policy: PolicyOptions = {
  gate: true,
  hold: { refusedShare: 0, spacingMs: 50 },
  budget: { capacity: 20, perSecond: 0, perSuccess: 0, cost: 1 },
};

function sharing(count = 1): Fleets {
  const fleets = new Fleets(policy, count);
  fleets.every(100 / count, 400, (process) => process.ask());
  fleets.pass(300);
  return fleets;
}

function tokensIn({ store }: Fleets): unknown {
  const record = store.recordOf(store.keys().find((key) => key.includes(' budget ')) ?? '');
  return record?.limit === 'budget' ? record.tokens : undefined;
}

function allTokensIn({ store }: Fleets): (number | undefined)[] {
  const records = store.keys().map((key) => store.recordOf(key));
  return records.flatMap((record) => (record?.limit === 'budget' ? [record.tokens] : []));
}

function takesOneAtATime(link: MemoryLink): void {
  const exchange = link.exchange.bind(link);
  let isTaken = false;
  link.canTake = () => !isTaken;
  link.exchange = (reports, told) => {
    isTaken = true;
    exchange(reports, (facts) => {
      isTaken = false;
      told(facts);
    });
  };
}

/** After how long it was closed. */
async function closed(fleets: Fleets, index = 0): Promise<number> {
  const since = fleets.now;
  let isClosed = false;
  const closing = fleets.at(index).fleet.close();
  closing.then(() => {
    isClosed = true;
  });
  for (;;) {
    await Promise.resolve();
    await Promise.resolve();
    if (isClosed) return fleets.now - since;
    fleets.pass(1);
  }
}

describe('a fleet that is closed', () => {
  test('gives back its tokens, and is closed when the store has them', async () => {
    const fleets = sharing();
    expect(tokensIn(fleets)).toBe(10_000);
    expect(await closed(fleets)).toBe(10);
    expect(tokensIn(fleets)).toBe(20_000);
  });

  test('gives back those of 600 scopes, also if the store takes one round trip at a time', async () => {
    const fleets = new Fleets(policy, 1);
    const { retrier, link } = fleets.at(0);
    for (let index = 0; index < 600; index += 1) {
      const session = retrier.open(requestOf({ origin: `https://${index}.test` }));
      session.admit();
      session.acceptAtOnce(200);
    }
    fleets.pass(9_000);
    takesOneAtATime(link);
    expect(await closed(fleets)).toBeLessThanOrEqual(60);
    expect(new Set(allTokensIn(fleets))).toEqual(new Set([20_000]));
  });

  test('says nothing more, hears nothing more, and leaves no timer', async () => {
    const fleets = sharing(2);
    await closed(fleets);
    fleets.at(0).ask();
    fleets.pass(30_000);
    const { exchanges } = fleets.store;
    fleets.at(0).ask();
    fleets.pass(1_000);
    expect(fleets.store.exchanges).toBe(exchanges);
    expect(fleets.at(0).isShared).toBe(false);
    fleets.at(1).ask(answered(429, { 'retry-after': '5' }));
    fleets.pass(50);
    expect(fleets.at(1).ask()).not.toBe('sent');
    expect(fleets.at(0).ask()).toBe('sent');
    fleets.pass(30_000);
    expect(fleets.pending).toBe(0);
    expect(fleets.events).toEqual([
      [0, true],
      [1, true],
      [0, false],
    ]);
  });

  test('has its own budget again', async () => {
    const fleets = sharing();
    fleets.at(0).ask(answered(503));
    const tokens = (): number | undefined => fleets.at(0).snapshot.scopes[0]?.budgets[0]?.tokens;
    expect(tokens()).toBeLessThanOrEqual(10);
    await closed(fleets);
    expect(tokens()).toBeGreaterThan(18);
  });

  test('waits for a silent store for a second at most', async () => {
    const fleets = sharing();
    fleets.store.isStopped = true;
    expect(await closed(fleets)).toBeLessThanOrEqual(1_000);
    fleets.store.isStopped = false;
    fleets.pass(30_000);
    expect(fleets.pending).toBe(0);
  });

  test('waits for nothing if it has leased nothing', async () => {
    const fleets = new Fleets(policy, 1);
    expect(await closed(fleets)).toBe(0);
    await fleetOver(fleets.store.link()).close();
  });

  test('before its first retrier is made shares nothing with it', async () => {
    const fleets = new Fleets(policy, 1);
    const link = fleets.store.link();
    let listeners = 0;
    link.listen = () => {
      listeners += 1;
      return () => undefined;
    };
    const fleet = fleetOver(link);
    await fleet.close();
    const ports = { now: () => fleets.now, sleep: () => () => undefined };
    const retrier = createRetrier(policy, ports, { fleet });
    const session = retrier.open(requestOf());
    session.admit();
    session.next(answered(503), { replayable: true });
    fleets.pass(1_000);
    expect({ listeners, exchanges: fleets.store.exchanges }).toEqual({ listeners: 0, exchanges: 0 });
    expect(retrier.snapshot().fleet?.isShared).toBe(false);
  });

  test('may be closed again, and serves retriers and scopes that come later, alone', async () => {
    const fleets = sharing();
    await closed(fleets);
    const { exchanges } = fleets.store;
    expect(await closed(fleets)).toBe(0);
    fleets.at(0).retrier.reset();
    expect(fleets.at(0).ask()).toBe('sent');
    fleets.pass(30_000);
    expect(fleets.store.exchanges).toBe(exchanges);
    expect(fleets.pending).toBe(0);
  });
});
