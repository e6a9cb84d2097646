/** A part of the bench that fails because the machine stood still is measured again, and any other is not. */

import { expect, test } from 'vitest';
import { againAfterFreeze, Freezes, lookMs } from '../bench/freezes.js';

/** Fails so often, each time after so long, in which it looks as often as it should or not at all. */
function played(failures: number, tookMs: number, looks: boolean) {
  let now = 0;
  let tries = 0;
  const freezes = new Freezes(() => now);
  const work = async (): Promise<string> => {
    tries += 1;
    for (let ms = 0; ms < tookMs; ms += lookMs) {
      now += lookMs;
      if (looks) freezes.look();
    }
    if (tries <= failures) throw new Error(`try ${tries}`);
    return 'measured';
  };
  const result = againAfterFreeze(freezes, work).catch(({ message }: Error) => message);
  return result.then((found) => [found, tries]);
}

test.each([
  ['fails after a freeze', 1, 12_000, false, ['measured', 2]],
  ['fails after each freeze', 9, 12_000, false, ['try 3', 3]],
  ['fails although the machine has run on', 1, 12_000, true, ['try 1', 1]],
  ['fails at once', 1, 0, false, ['try 1', 1]],
  ['succeeds in spite of a freeze', 0, 12_000, false, ['measured', 1]],
])('work that %s', async (_name, failures, tookMs, looks, expected) => {
  expect(await played(failures, tookMs, looks)).toEqual(expected);
});

test('an idle time before the work is no freeze', async () => {
  let now = 0;
  const freezes = new Freezes(() => now);
  now += 60_000;
  let tries = 0;
  const work = async (): Promise<void> => {
    tries += 1;
    throw new Error('broken');
  };
  await expect(againAfterFreeze(freezes, work)).rejects.toThrow('broken');
  expect(tries).toBe(1);
});
