/** What Redis answers is read record by record, here with a client that answers what the test says. */

import { expect, test } from 'vitest';
import type { BudgetReport } from '../../../src/core/limits/budget/record.js';
import { mergeBudget } from '../../../src/core/limits/budget/record.js';
import type { Facts } from '../../../src/core/limits/fleet/messages.js';
import type { Answer } from '../../../src/fleet/port.js';
import type { RedisClient } from '../../../src/fleet/redis/client.js';
import { RedisStore } from '../../../src/fleet/redis/store.js';

const report: BudgetReport = {
  limit: 'budget',
  slice: 0,
  capacity: 50_000,
  perSecond: 100,
  earned: 0,
  back: 0,
  succeeded: true,
  failed: false,
  want: 1_000,
};
const facts: Facts = mergeBudget(undefined, report, 1_000).facts;

function storeThatSays(reply: string): RedisStore {
  const client: RedisClient = {
    isOpen: true,
    isReady: true,
    connect: async () => undefined,
    duplicate: () => client,
    sendCommand: async () => reply,
    subscribe: async () => undefined,
    on: () => undefined,
    unref: () => undefined,
  };
  return new RedisStore(client, 'test:{1}:');
}

function asked(store: RedisStore, keys: readonly string[]): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    store.exchange(
      keys.map((key) => ({ key, report })),
      resolve,
    );
  });
}

test('facts that cannot be read are left out and counted; the others are used', async () => {
  const store = storeThatSays(
    JSON.stringify({ facts: [facts, { limit: 'budget', tokens: -1 }], garbled: 0 }),
  );
  expect(await asked(store, ['one', 'two'])).toEqual([facts, undefined]);
  expect(store.garbled).toBe(1);
});

test.each([
  ['no JSON', 'fine'],
  ['something else', '{"facts":7}'],
  ['too few facts', JSON.stringify({ facts: [facts], garbled: 0 })],
  ['nothing that can be read', JSON.stringify({ facts: [{}, 7], garbled: 0 })],
])('an answer with %s is none', async (_, reply) => {
  const store = storeThatSays(reply);
  expect(await asked(store, ['one', 'two'])).toBeUndefined();
  expect(store.garbled).toBeGreaterThan(0);
});
