import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { presets } from '../../../src/core/policy/presets.js';
import { schemes } from '../../../src/core/policy/schemes.js';
import type { Settings } from '../../../src/core/policy/settings.js';
import { checkPolicy, defaultSettings, fillIn } from '../../../src/parts/all.js';
import type { Choice, Slider } from '../../../src/tools/pages/browser/lab/control.js';
import { controlGroups } from '../../../src/tools/pages/browser/lab/controls.js';

const settingsOf = (policy: PolicyOptions): Settings => fillIn(policy, defaultSettings());
const controls = controlGroups.flatMap((group) => group.controls);

function slider(label: string): Slider {
  const found = controls.find(
    (control): control is Slider => control.kind === 'slider' && control.label === label,
  );
  if (found === undefined) throw new Error(`There is no slider "${label}"`);
  return found;
}

function choice(label: string): Choice {
  const found = controls.find(
    (control): control is Choice => control.kind === 'choice' && control.label === label,
  );
  if (found === undefined) throw new Error(`There is no choice "${label}"`);
  return found;
}

/** In each of them, every control has something to say. */
const policies: readonly (readonly [string, PolicyOptions])[] = [
  ['default', { deadlineMs: 10_000, attemptTimeoutMs: 100, gate: true, hold: true }],
  ['service', presets.policies.service],
  ['fixed', { schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' } }],
  ['hedge', { hedge: { methods: ['GET'] }, attemptTimeoutMs: { quantile: 0.9, maxMs: 1_000 } }],
  ['table', { schedule: schemes.schedules.statelessTable }],
];

/** A first wait above its cap, say, is written and then reported; anything else would be a bug of the lab. */
const contradiction = /firstMs|maxMs|deadlineMs|attemptTimeoutMs|^hedge /;

describe.each(policies)('from %s', (_, policy) => {
  test.each(controls.filter(({ kind }) => kind === 'slider') as Slider[])(
    '$label stands where it was put',
    (one) => {
      if (one.value(settingsOf(policy)) === undefined) return;
      for (const stop of one.stops) {
        const moved = one.move(policy, stop);
        expect(one.value(settingsOf(moved))).toBe(stop);
        const problems = checkPolicy(moved).map(({ path, allowed }) => `${path} ${allowed}`);
        expect(problems.filter((problem) => !contradiction.test(problem))).toEqual([]);
      }
    },
  );

  test.each(controls.filter(({ kind }) => kind === 'choice') as Choice[])(
    '$label is what was chosen',
    (one) => {
      for (const [json] of one.offers) {
        const chosen = one.choose(policy, json);
        expect(one.value(settingsOf(chosen))).toBe(json);
      }
    },
  );

  test.each(controlGroups.filter((group) => group.switch !== undefined))(
    '$title goes on and off',
    (group) => {
      const off = group.switch?.turn(policy, false) ?? policy;
      expect(group.switch?.isOn(settingsOf(off))).toBe(false);
      const on = group.switch?.turn(off, true) ?? off;
      expect(group.switch?.isOn(settingsOf(on))).toBe(true);
      expect(group.controls.every((control) => control.value(settingsOf(on)) !== undefined)).toBe(true);
    },
  );
});

test('what no slider says stays as it is', () => {
  const written: PolicyOptions = {
    statuses: [503],
    schedule: { kind: 'exponential', firstMs: 137, slotMs: 1 },
    budget: { capacity: 10, cost: 2 },
    rules: [{ match: '/health', retry: false }],
  };
  const moved = slider('Capacity').move(slider('Factor').move(written, 3), 20);
  expect(moved).toEqual({
    ...written,
    schedule: { kind: 'exponential', firstMs: 137, slotMs: 1, factor: 3 },
    budget: { capacity: 20, cost: 2 },
  });
});

test('a policy with `retry: false` gets its retries back', () => {
  const moved = slider('Retries').move({ retry: false }, 2);
  expect(moved).toEqual({ maxRetries: 2 });
});

test('there is no factor where waits do not grow', () => {
  const fixed = settingsOf(choice('Schedule').choose({}, '"fixed"'));
  expect([slider('Factor'), slider('Longest wait')].map((one) => one.value(fixed))).toEqual([
    undefined,
    undefined,
  ]);
  expect(slider('First wait').value(fixed)).toBe(1_000);
});
