import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PolicyError } from '../../src/core/errors.js';
import { overrideSchema, policySchema } from '../../src/core/policy/check/schema.js';
import { checkStructure } from '../../src/core/policy/check/structure.js';
import { checkOverride, checkPolicy } from '../../src/parts/all.js';
import { invalidPolicies, validPolicies } from '../core/policies.js';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const ajv = new Ajv2020({ strict: true });
const accepts = ajv.compile(policySchema());
const acceptsOverride = ajv.compile(overrideSchema());

const policies = [
  ...validPolicies.map(([, policy]) => policy),
  ...invalidPolicies.map(([, { policy }]) => policy),
];

const keys = [...new Set(policies.flatMap(keysIn))];

/** Values near a boundary, values from other places of a policy, and values that are allowed nowhere. */
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...new Set(policies.flatMap(scalarsIn))),
  fc.constantFrom(
    0,
    -0,
    0.001,
    0.0005,
    1,
    1.5,
    -1,
    99,
    100,
    599,
    600,
    1e6,
    1e6 + 1,
    315_360_000_000,
    315_360_000_001,
  ),
  fc.constantFrom<Json>(
    '',
    ' ',
    '5xx',
    '!503',
    '!',
    null,
    [],
    {},
    [1],
    { kind: 'window' },
    { kind: 'fixed' },
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

interface Mutation {
  readonly place: number;
  readonly kind: 'replace' | 'remove' | 'add';
  readonly key: string;
  readonly value: Json;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom('replace', 'remove', 'add'),
  key: fc.oneof(fc.constantFrom(...keys), fc.string()),
  value,
});

const mutant = fc
  .tuple(fc.constantFrom(...policies), fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([policy, mutations]) => mutations.reduce<Json>(mutate, structuredClone(policy) as Json));

function mutate(policy: Json, { place, kind, key, value }: Mutation): Json {
  // A copy, because one value in two places could make a cycle.
  const other = structuredClone(value);
  const places = placesIn(policy);
  const chosen = places[place % Math.max(1, places.length)];
  if (chosen === undefined) return other;
  const [holder, name] = chosen;
  if (kind === 'remove' && !Array.isArray(holder)) delete holder[name];
  else if (kind === 'add' && Array.isArray(holder)) holder.push(other);
  else
    Object.defineProperty(holder, kind === 'add' ? key : name, {
      value: other,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return policy;
}

function placesIn(part: Json): [{ [key: string]: Json }, string][] {
  if (typeof part !== 'object' || part === null) return [];
  const holder = part as { [key: string]: Json };
  return Object.entries(holder).flatMap(([key, inner]) => [[holder, key], ...placesIn(inner)]);
}

function keysIn(part: unknown): string[] {
  return typeof part === 'object' && part !== null
    ? Object.entries(part).flatMap(([key, inner]) => [key, ...keysIn(inner)])
    : [];
}

function scalarsIn(part: unknown): Json[] {
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(scalarsIn) : [part as Json];
}

describe('schema and check agree', () => {
  test('on the structure of a policy', () => {
    let refused = 0;
    fc.assert(
      fc.property(mutant, (policy) => {
        const sound = checkStructure(policySchema(), policy).problems.length === 0;
        expect(sound).toBe(accepts(policy));
        if (!sound) refused++;
      }),
      { numRuns: 2_000 },
    );
    // There must be both valid and invalid mutants; otherwise the test shows nothing.
    expect(refused).toBeGreaterThan(200);
    expect(refused).toBeLessThan(1_950);
  });

  test('on the structure of an override', () => {
    fc.assert(
      fc.property(mutant, (options) => {
        expect(checkStructure(overrideSchema(), options).problems.length === 0).toBe(
          acceptsOverride(options),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('so that the check refuses whatever the schema refuses', () => {
    fc.assert(
      fc.property(mutant, (policy) => {
        const problems = checkPolicy(policy);
        const { problems: structural } = checkStructure(policySchema(), policy);
        // The check has other problems that no schema can find. A policy that is not an object also gets advice.
        const told = structural.map((problem) => expect.objectContaining(problem));
        expect(problems).toEqual(expect.arrayContaining(told));
        if (!accepts(policy)) expect(problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the check', () => {
  test('survives any value, and says of each problem where it is, what was found and what is allowed', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
      key: fc.oneof(fc.constantFrom(...keys), fc.string()),
      maxDepth: 4,
    } as fc.ObjectConstraints);
    fc.assert(
      fc.property(anything, (options) => {
        for (const problem of [...checkPolicy(options), ...checkOverride(options)]) {
          expect(problem.found).not.toBe('');
          expect(problem.found.length).toBeLessThan(500);
          expect(problem.allowed).not.toBe('');
          expect(new PolicyError([problem]).message).toContain(problem.path);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('changes nothing', () => {
    fc.assert(
      fc.property(mutant, (policy) => {
        const before = JSON.stringify(policy);
        checkPolicy(policy);
        expect(JSON.stringify(policy)).toBe(before);
      }),
    );
  });

  test('copies valid policies unchanged', () => {
    for (const [name, policy] of validPolicies) {
      expect(checkStructure(policySchema(), policy).sound, name).toEqual(policy);
    }
  });
});
