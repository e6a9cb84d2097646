/** Exceptions name what there is, each once; whether one is still needed, only the runtime itself can tell. */

import { describe, expect, test } from 'vitest';
import { themes } from '../conformance/themes.js';
import { exceptions } from './exceptions.js';
import { faults } from './faults.js';
import { designed, differences } from './verdicts.js';

const scenarios = new Set(themes.flatMap((theme) => theme.scenarios.map(({ name }) => name)));

describe('an exception', () => {
  test.each(exceptions.map((exception) => [exception.reason, exception] as const))(
    '%s',
    (reason, exception) => {
      expect(reason.trim()).not.toBe('');
      expect(exception.scenarios.filter((name) => !scenarios.has(name))).toEqual([]);
    },
  );

  test('stands once', () => {
    const all = exceptions.flatMap(({ runtimes, clients, scenarios }) =>
      runtimes.flatMap((runtime) =>
        clients.flatMap((client) => scenarios.map((scenario) => `${runtime}, ${client}: ${scenario}`)),
      ),
    );
    expect(all.filter((each, index) => all.indexOf(each) !== index)).toEqual([]);
  });
});

test('every fault that has a verdict is made', () => {
  expect(faults.map(({ name }) => name)).toEqual(Object.keys(designed));
});

describe('a difference', () => {
  test.each(differences.map((difference) => [difference.reason, difference] as const))(
    '%s',
    (_reason, difference) => {
      for (const name of difference.faults) {
        expect(designed[name]).not.toEqual(difference.verdict);
      }
    },
  );

  test('stands once', () => {
    const all = differences.flatMap(({ runtimes, clients, faults: names }) =>
      runtimes.flatMap((runtime) =>
        clients.flatMap((client) => names.map((name) => [runtime, client, name].join())),
      ),
    );
    expect(all.filter((each, index) => all.indexOf(each) !== index)).toEqual([]);
  });
});
