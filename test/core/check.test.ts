import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { checkOverride, checkPolicy } from '../../src/core/check.js';
import { PolicyError } from '../../src/core/errors.js';
import { policySchema } from '../../src/core/schema.js';
import { invalidPolicies, validPolicies } from './policies.js';

const satisfiesSchema = new Ajv2020({ strict: true }).compile(policySchema);

/** As a person reads it. */
function message(problem: ReturnType<typeof checkPolicy>[number]): string {
  return new PolicyError([problem]).message;
}

describe('valid policies', () => {
  test('are enough of them', () => expect(validPolicies.length).toBeGreaterThanOrEqual(25));

  test.each(validPolicies)('%s', (_, policy) => {
    expect(satisfiesSchema(policy), JSON.stringify(satisfiesSchema.errors)).toBe(true);
    expect(checkPolicy(policy)).toEqual([]);
  });
});

describe('invalid policies', () => {
  test('are enough of them', () => expect(invalidPolicies.length).toBeGreaterThanOrEqual(25));

  test.each(invalidPolicies)('%s', (_, { by, problems, policy }) => {
    const found = checkPolicy(policy);
    expect(found.map(({ path }) => path).sort()).toEqual(problems.map(({ path }) => path).sort());
    for (const { path, says } of problems) {
      const messages = found.filter((problem) => problem.path === path).map(message);
      expect(messages, path).toContainEqual(expect.stringContaining(says));
    }
    expect(satisfiesSchema(policy)).toBe(by === 'check');
  });
});
