/** The scenarios themselves: nothing is misspelt, and together they cover everything that JSON can express. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { Reason } from '../../src/core/types.js';
import { definePolicy } from '../../src/index.js';
import { complaintOf } from './conform.js';
import { functions, policyOf } from './functions.js';
import { expected } from './record.js';
import type { DecisionInWords, Scenario } from './scenario.js';
import { themes } from './themes.js';

const schema = JSON.parse(
  readFileSync(new URL('../../fixtures/scenarios.schema.json', import.meta.url), 'utf8'),
) as object;
const accepts = new Ajv2020({ strict: true, allErrors: true }).compile(schema);

const scenarios = themes.flatMap((theme) => theme.scenarios);

const sound: Scenario = {
  name: 'one',
  why: 'It has to be.',
  policy: {},
  requests: [
    {
      attempts: [{ atMs: 0, answer: 200, decision: { stop: 'success' } }],
      ends: { with: 200, atMs: 0 },
    },
  ],
};

describe('a scenario', () => {
  test.each(themes.map((theme) => [theme.name, theme.json] as const))('is well-formed: %s', (_name, json) => {
    accepts(json);
    expect(accepts.errors).toBeNull();
  });

  const [request] = sound.requests;
  const [attempt] = request.attempts;
  test.each<[string, object]>([
    ['a key of the scenario', { ...sound, drawz: [0] }],
    ['no why', { ...sound, why: '' }],
    ['a runner', { ...sound, skip: { sumulator: 'It cannot.' } }],
    ['a skip without a reason', { ...sound, skip: { simulator: ' ' } }],
    ['a key of a request', { ...sound, requests: [{ ...request, metod: 'PUT' }] }],
    ['a series without its distance', { ...sound, requests: [{ ...request, times: 5 }] }],
    ['two bodies', { ...sound, requests: [{ ...request, body: 'a', stream: 'b' }] }],
    ['a key of an attempt', { ...sound, requests: [{ ...request, attempts: [{ ...attempt, after: 5 }] }] }],
    [
      'a reason',
      { ...sound, requests: [{ ...request, attempts: [{ ...attempt, decision: { stop: 'sucess' } }] }] },
    ],
    ['an end', { ...sound, requests: [{ ...request, ends: { with: 200 } }] }],
  ])('with something wrong is found out: %s', (_what, scenario) => {
    expect(accepts({ scenarios: [sound] })).toBe(true);
    expect(accepts({ scenarios: [scenario] })).toBe(false);
  });

  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'has a policy that can be used: %s',
    (_name, scenario) => {
      expect(() => definePolicy(policyOf(scenario))).not.toThrow();
    },
  );

  test('of functions names some that there are, and all of them', () => {
    const named = scenarios.flatMap(({ functions: name }) => (name === undefined ? [] : [name]));
    expect([...new Set(named)].sort()).toEqual(Object.keys(functions).sort());
  });

  test('has a name of its own', () => {
    const names = scenarios.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

/** True if a scenario reaches the reason; otherwise, why none can. */
const reach: Readonly<Record<Reason, true | string>> = {
  'transient-status': true,
  throttled: true,
  'transport-error': true,
  'attempt-timeout': true,
  'server-asks': true,
  'caller-asks': true,
  'fresh-credentials': true,
  success: true,
  'final-status': true,
  'final-error': true,
  aborted: 'a signal is an object',
  'server-forbids': true,
  'caller-forbids': true,
  'unsafe-method': true,
  'body-spent': true,
  'not-resumable': 'whether a body that broke off can go on is a matter of its bytes',
  'retries-off': true,
  'retries-suppressed': 'what a request is sent within is not part of a policy',
  'retries-spent': true,
  'hint-too-long': true,
  'hint-past-deadline': true,
  'wait-past-deadline': true,
  'budget-spent': true,
  'gate-shut': true,
  held: true,
  crowded: true,
  cut: true,
  'other-pending': true,
};

describe('together they have', () => {
  const decisions = scenarios.flatMap(({ requests }) =>
    requests.flatMap(({ attempts }) => attempts.map(({ decision }) => decision)),
  );

  test('every reason that a scenario can reach', () => {
    const reached = new Set(decisions.map(reasonOf));
    const reachable = Object.entries(reach).flatMap(([reason, why]) => (why === true ? [reason] : []));
    expect([...reached].sort()).toEqual(reachable.sort());
  });

  test('every source of a wait', () => {
    const choosers = new Set(
      decisions.flatMap((decision) => ('retry' in decision ? [decision.waitFrom] : [])),
    );
    expect([...choosers].sort()).toEqual(['hint', 'none', 'schedule', 'throttledSchedule']);
  });
});

function reasonOf(decision: DecisionInWords): Reason {
  return 'retry' in decision ? decision.retry : decision.stop;
}

describe('a skip', () => {
  const records = sound.requests.map(expected);
  const others = records.map((record) => ({ ...record, ends: { with: 503, atMs: 0 } }));
  const skipped = (reason: string): Scenario => ({ ...sound, skip: { simulator: reason } });

  test('has a reason', () => {
    expect(complaintOf('simulator', skipped('It has no headers.'), others)).toBeUndefined();
    expect(complaintOf('simulator', skipped(' '), others)).toBe('skipped without a reason');
  });

  test('is for runners that cannot run it', () => {
    expect(complaintOf('simulator', skipped('It has no headers.'), records)).toBe('skipped, and would pass');
  });

  test('is not for other runners', () => {
    expect(complaintOf('axios', skipped('It has no headers.'), others)).toBe('differs');
    expect(complaintOf('axios', skipped('It has no headers.'), records)).toBeUndefined();
  });
});
