import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { presets } from '../../../src/core/policy/presets.js';
import type { KnownNames, LabState } from '../../../src/tools/pages/link.js';
import { largestSeed, mostCharacters, readLink, writeLink } from '../../../src/tools/pages/link.js';

import { policyNames, scenarios } from '../../../src/tools/sim/internal.js';

const known: KnownNames = { scenarios: scenarios.map(({ name }) => name), policies: policyNames };

const state: LabState = {
  policy: presets.policies.service,
  scenario: 'rate-limit',
  against: 'axios-retry',
  seed: 7,
};

function faultOf(fragment: string): string | undefined {
  const read = readLink(fragment, known);
  return read.kind === 'broken' ? read.fault : undefined;
}

describe('a link that the lab wrote', () => {
  test('is read as what was written, with or without its #', () => {
    const link = writeLink(state);
    expect(readLink(`#${link}`, known)).toEqual({ kind: 'state', state });
    expect(readLink(link ?? '', known)).toEqual({ kind: 'state', state });
  });

  test('keeps every character of a policy', () => {
    const match = '/päth/&=#%?+ "<script>"\u2028';
    const policy = { rules: [{ name: match, match: '/a', maxRetries: 1 }] };
    const link = writeLink({ ...state, policy }) ?? '';
    expect(readLink(link, known)).toMatchObject({ state: { policy } });
    // Nothing that a chat program would take for the end of the address.
    expect(link).toMatch(/^[\w%&=.*+-]+$/);
  });

  test('is not written for a policy that is too long', () => {
    const rules = Array.from({ length: 200 }, (_, index) => ({ match: `/route-${index}`, maxRetries: 1 }));
    expect(writeLink({ ...state, policy: { rules } })).toBeUndefined();
    expect(writeLink(state)?.length).toBeLessThan(1_000);
  });

  test('is never longer than what is read', () => {
    const lengths = [2_500, 2_600, 2_700].map((length) => 'x'.repeat(length * 3));
    for (const name of lengths) {
      const link = writeLink({ ...state, policy: { rules: [{ name, match: '/a' }] } });
      if (link !== undefined) expect(readLink(link, known).kind).toBe('state');
    }
  });
});

describe('a link that was written by hand', () => {
  test.each(['', '#', '#lab', 'lab'])('%j asks for nothing', (fragment) => {
    expect(readLink(fragment, known)).toEqual({ kind: 'none' });
  });

  test('may leave parts out', () => {
    expect(readLink('#lab=1&scenario=surge', known)).toEqual({
      kind: 'state',
      state: { scenario: 'surge' },
    });
    expect(readLink('#lab=1', known)).toEqual({ kind: 'state', state: {} });
  });
});

describe('a broken link is not used, and its fault is named', () => {
  test.each([
    ['it does not begin with "lab="', '#lab%3D1%26seed%3D2'],
    ['it does not begin with "lab="', '#chart'],
    ['it has the version "2", and this page reads version "1"', '#lab=2&seed=1'],
    ['it has an unknown part, "sceanrio"', '#lab=1&sceanrio=surge'],
    ['it has "seed" twice', '#lab=1&seed=1&seed=2'],
    ['it names the scenario "constructor", which this page does not have', '#lab=1&scenario=constructor'],
    ['it names the policy "__proto__", which this page does not have', '#lab=1&against=__proto__'],
    [`its seed is "-1", not a whole number from 0 to ${largestSeed}`, '#lab=1&seed=-1'],
    [`its seed is "1e3", not a whole number from 0 to ${largestSeed}`, '#lab=1&seed=1e3'],
    [`its seed is "99999999999", not a whole number from 0 to ${largestSeed}`, '#lab=1&seed=99999999999'],
    ['its policy is not JSON, as if the end of the link were missing', '#lab=1&policy=%7B%22maxRetries'],
    ['its policy has a problem at the top: found an empty list; allowed: an object', '#lab=1&policy=[]'],
    ['its policy has a problem at the top: found null; allowed: an object', '#lab=1&policy=null'],
    ['its policy has a problem at maxRetries', `#lab=1&policy=${encodeURIComponent('{"maxRetries":-1}')}`],
    ['its policy has a problem at __proto__', `#lab=1&policy=${encodeURIComponent('{"__proto__":{"a":1}}')}`],
    ['its policy is not JSON', `#lab=1&policy=${'['.repeat(mostCharacters - 14)}`],
    ['it has 1,000,013 characters; at most 8,000 are read', `#lab=1&policy=${'9'.repeat(1_000_000)}`],
    ['it has an unknown part, "\\u0000<b>"', '#lab=1&%00<b>=1'],
    ['it does not begin with "lab="', '#%%%E0%A4%A'],
  ])('%s', (fault, fragment) => {
    expect(faultOf(fragment)).toContain(fault);
  });

  test('a name from a stranger is quoted, and cut off', () => {
    expect(faultOf(`#lab=1&scenario=${'x'.repeat(4_000)}`)?.length).toBeLessThan(120);
  });

  test('whatever it is, reading it does not throw, and gives only what is known', () => {
    const part = fc.oneof(
      fc.constantFrom('lab=1', 'lab=', 'seed=1', 'scenario=surge', 'against=none', 'policy={}', 'policy=%7B'),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (written) => {
        const read = readLink(`#${written.join('&')}`, known);
        if (read.kind !== 'state') return;
        const { scenario = 'surge', against = 'none', seed = 0 } = read.state;
        expect(known.scenarios).toContain(scenario);
        expect(known.policies).toContain(against);
        expect(Number.isInteger(seed)).toBe(true);
      }),
    );
  });
});
