import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../../src/core/policy/settings.js';
import type { Io } from '../../../../src/tools/cli/io.js';
import { policyOf, readStrategy, strategyNames } from '../../../../src/tools/cli/outage/strategies.js';
import { Printer } from '../../../../src/tools/cli/printer.js';
import { dataPolicyNames, policyNamed } from '../../../../src/tools/sim/policies.js';

function ioWith(stdin: string): Io {
  const printer = new Printer({ write: () => {} }, {});
  return {
    stdin: Readable.from([stdin]),
    stdout: printer,
    stderr: printer,
    interruption: () => new AbortController().signal,
  };
}

async function settingsOf(name: string, stdin = ''): Promise<Settings> {
  return policyOf(await readStrategy(name, ioWith(stdin)), 2_000, () => {}).fallback.settings;
}

describe('an attempt takes', () => {
  test.each<[string, object, number]>([
    ['no longer than the clients wait', {}, 2_000],
    ['what the policy says', { attemptTimeoutMs: 700 }, 700],
    ['no longer than the request', { deadlineMs: 500 }, 500],
    ['no longer than the request of any rule', { rules: [{ match: '/a', deadlineMs: 900 }] }, 900],
  ])('%s', async (_, policy, ms) => {
    expect((await settingsOf('-', JSON.stringify(policy))).attemptTimeoutMs).toBe(ms);
  });
});

test.each(dataPolicyNames.filter((name) => name !== 'article'))(
  '`%s` is what it is for `simulate`',
  async (name) => {
    expect(await readStrategy(name, ioWith(''))).toEqual({ options: policyNamed(name) });
  },
);

test('every name is known', async () => {
  expect(strategyNames).toEqual([...new Set(strategyNames)]);
  for (const name of strategyNames) expect((await settingsOf(name)).attemptTimeoutMs).toBeGreaterThan(0);
});

test('`fixed` tries again every 100 ms, forever, at any cost', async () => {
  const { schedule, maxRetries, budget } = await settingsOf('fixed');
  expect([schedule, budget]).toEqual([{ kind: 'fixed', waitMs: 100, jitter: 'none' }, false]);
  expect(maxRetries).toBeGreaterThanOrEqual(1_000_000);
});

test('`article` multiplies the wait before, at first the thought, up to five minutes', async () => {
  const { override } = await readStrategy('article', ioWith(''));
  const { schedule } = override?.(1_000) ?? {};
  const wait = schedule as (retry: number, previousMs?: number) => number;
  // A tenth of a second is the deviation: ten of them are not an accident.
  expect(Math.abs(wait(1) - 2_718)).toBeLessThan(1_000);
  expect(Math.abs(wait(2, 10_000) - 27_183)).toBeLessThan(1_000);
  expect(Math.abs(wait(3, 290_000) - 300_000)).toBeLessThan(1_000);
  expect(wait(4, 0)).toBeGreaterThanOrEqual(0);
});
