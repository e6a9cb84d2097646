import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { describedSchema } from '../../../../scripts/described-schema.js';
import { hintSetNames } from '../../../../src/core/hints/sets.js';
import type { JsonSchema } from '../../../../src/core/policy/check/json-schema.js';
import { functionKeys, overrideSchema, policySchema } from '../../../../src/core/policy/check/schema.js';
import { checkStructure } from '../../../../src/core/policy/check/structure.js';
import { defaults } from '../../../../src/core/policy/defaults.js';
import type {
  OverrideOptions,
  PolicyOptions,
  RuleOptions,
  SettingsOptions,
} from '../../../../src/core/policy/options.js';
import { definePolicy } from '../../../../src/parts/all.js';
import { validPolicies } from '../../policies.js';

type FunctionOnly = 'retryIf' | 'beforeRetry' | 'observe';

const settings: Record<Exclude<keyof SettingsOptions, FunctionOnly>, true> = {
  retry: true,
  maxRetries: true,
  deadlineMs: true,
  deadlineCovers: true,
  attemptTimeoutMs: true,
  wholeBodyBytes: true,
  wholeBodyMs: true,
  streamStart: true,
  statuses: true,
  methods: true,
  idempotent: true,
  unsafeMethods: true,
  idempotencyKey: true,
  credentials: true,
  schedule: true,
  throttledSchedule: true,
  hints: true,
  bodyHintBytes: true,
  maxHintMs: true,
  hintJitter: true,
  budget: true,
  gate: true,
  hold: true,
  concurrency: true,
  hedge: true,
  scope: true,
  bufferBodyBytes: true,
  resume: true,
  unref: true,
  attemptHeader: true,
};
const inPolicy: Record<Exclude<keyof PolicyOptions, keyof SettingsOptions>, true> = {
  $schema: true,
  rules: true,
  maxScopes: true,
  scopeIdleMs: true,
};
const inRule: Record<Exclude<keyof RuleOptions, keyof SettingsOptions>, true> = { match: true, name: true };
const inOverride: Record<Exclude<keyof OverrideOptions, FunctionOnly>, true> = settings;

const described = describedSchema();

function keysOf(schema: JsonSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {}).sort();
}

describe('the schema', () => {
  test.each([
    ['policy', policySchema()],
    ['override', overrideSchema()],
    ['described policy', described],
  ])('of a %s is one of 2020-12, in its strictest reading', (_, schema) => {
    const ajv = new Ajv2020({ strict: true, validateFormats: true });
    expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
    expect(() => ajv.compile(schema)).not.toThrow();
  });

  test('knows the keys that the types know, functions aside', () => {
    expect(keysOf(policySchema())).toEqual(Object.keys({ ...settings, ...inPolicy }).sort());
    expect(keysOf(policySchema().$defs?.['rule'])).toEqual(Object.keys({ ...settings, ...inRule }).sort());
    expect(keysOf(overrideSchema())).toEqual(Object.keys(inOverride).sort());
    for (const key of ['retryIf', 'beforeRetry', 'observe'] satisfies FunctionOnly[]) {
      expect(functionKeys.has(key), key).toBe(true);
    }
  });

  test('is frozen, however deep', () => {
    expect(Object.isFrozen(policySchema().$defs?.['exponential']?.properties?.['jitter']?.anyOf)).toBe(true);
    expect(Object.isFrozen(overrideSchema().properties?.['budget'])).toBe(true);
  });

  test('survives JSON', () => {
    expect(JSON.parse(JSON.stringify(policySchema()))).toEqual(policySchema());
  });

  test('uses only keywords that the check interprets', () => {
    const known = new Set([
      ...['$defs', '$ref', 'title', 'anyOf', 'const', 'enum', 'type', 'minimum', 'maximum', 'pattern'],
      ...[
        'items',
        'minItems',
        'properties',
        'required',
        'additionalProperties',
        'minProperties',
        'maxProperties',
      ],
    ]);
    const used = new Set<string>();
    visit(policySchema());
    visit(overrideSchema());
    expect([...used].filter((keyword) => !known.has(keyword))).toEqual([]);

    function visit(schema: JsonSchema): void {
      for (const keyword of Object.keys(schema)) used.add(keyword);
      for (const part of schema.anyOf ?? []) visit(part);
      for (const part of Object.values(schema.properties ?? {})) visit(part);
      for (const part of Object.values(schema.$defs ?? {})) visit(part);
      if (schema.items !== undefined) visit(schema.items);
    }
  });

  test('resolves each reference', () => {
    const text = JSON.stringify(policySchema());
    const references = [...text.matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((name) => policySchema().$defs?.[name ?? ''] === undefined)).toEqual([]);
  });
});

describe('described for editors', () => {
  test('it accepts the same policies', () => {
    const ajv = new Ajv2020({ strict: true });
    const accepts = ajv.compile(described);
    for (const [name, policy] of validPolicies) expect(accepts(policy), name).toBe(true);
    expect(accepts({ maxRetires: 1 })).toBe(false);
  });

  test('every key has a description', () => {
    const { $defs = {}, ...root } = described;
    const parts = Object.entries({ policy: root as JsonSchema, ...$defs });
    const silent = parts.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, property]) => !/^[A-Z].*\.$/.test(property.description ?? ''))
        .map(([key]) => `${name}.${key}`),
    );
    expect(silent).toEqual([]);
    expect(root.description).toBe('A retry policy of undaunted.');
  });

  test('nothing else is changed, except that it says which standard it follows', () => {
    const { $schema, ...rest } = described;
    expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
    const plain = JSON.stringify(rest, (key, value) =>
      (key === 'description' && typeof value === 'string') || key === 'default' ? undefined : value,
    );
    expect(JSON.parse(plain)).toEqual(policySchema());
  });
});

describe('the defaults in it', () => {
  const policy = { ...described.properties };
  const plainly = (options: PolicyOptions): unknown => {
    const { fallback, maxScopes, scopeIdleMs } = definePolicy(options);
    const { hints, givenBodyHintBytes, ...plain } = fallback.settings;
    // Sets that are compiled from the same names are equal.
    return { ...plain, readsHints: hints !== undefined, maxScopes, scopeIdleMs };
  };

  test('are there, except for keys without one', () => {
    const without = (name: string): string[] =>
      Object.entries(described.$defs?.[name]?.properties ?? {})
        .filter(([, schema]) => schema.default === undefined)
        .map(([key]) => key);
    expect(keysOf(described).filter((key) => policy[key]?.default === undefined)).toEqual([
      '$schema',
      'attemptTimeoutMs',
      'deadlineMs',
      'retry',
      'rules',
    ]);
    expect(['idempotencyKey', 'bucket', 'gate'].map(without)).toEqual([[], [], []]);
    expect(without('hold')).toEqual(['maxQueueMs']);
    expect(without('concurrency')).toEqual(['limit', 'maxQueueMs']);
    expect(without('window')).toEqual(['kind']);
    expect(without('cost')).toEqual(['transient', 'throttled', 'timeout']);
    // The default of the first wait depends on the schedule.
    expect(without('exponential')).toEqual(['kind', 'firstMs', 'slotMs']);
    expect(without('table')).toEqual(['kind', 'waitsMs', 'slotMs']);
    expect(without('fixed')).toEqual(['kind', 'waitMs', 'slotMs']);
    // A rule inherits, so its keys have no default in the schema.
    expect(without('rule')).toEqual(Object.keys(described.$defs?.['rule']?.properties ?? {}));
  });

  test.each(keysOf(described).filter((key) => policy[key]?.default !== undefined))(
    '%s: what a policy without it is filled with',
    (key) => {
      expect(plainly({ [key]: policy[key]?.default })).toEqual(plainly({}));
    },
  );

  test('of hints: the names', () => {
    expect(policy['hints']?.default).toEqual(defaults.hints);
    expect(policy['bodyHintBytes']?.default).toBe(definePolicy().fallback.settings.bodyHintBytes);
  });

  test.each<[string, (part: object) => PolicyOptions]>([
    ['idempotencyKey', (part) => ({ idempotencyKey: part })],
    ['gate', (part) => ({ gate: part })],
    ['hold', (part) => ({ hold: part })],
    ['concurrency', (part) => ({ concurrency: { limit: 1, ...part } })],
    ['bucket', (part) => ({ budget: part })],
    ['window', (part) => ({ budget: { kind: 'window', ...part } })],
    ['exponential', (part) => ({ schedule: { kind: 'exponential', ...part } })],
    ['exponential', (part) => ({ throttledSchedule: { kind: 'exponential', ...part } })],
    ['table', (part) => ({ schedule: { kind: 'table', waitsMs: [1], ...part } })],
    ['fixed', (part) => ({ schedule: { kind: 'fixed', waitMs: 1, ...part } })],
  ])('in %s: what it is filled with', (name, policyWith) => {
    const properties = Object.entries(described.$defs?.[name]?.properties ?? {});
    const said = properties.filter(([, schema]) => schema.default !== undefined);
    expect(said.length).toBeGreaterThan(0);
    for (const [key, schema] of said) {
      expect(plainly(policyWith({ [key]: schema.default })), key).toEqual(plainly(policyWith({})));
    }
  });

  test('are in the descriptions, too', () => {
    expect(policy['hintJitter']?.description).toMatch(/ Default: 0\.1\.$/);
    expect(policy['unsafeMethods']?.description).toMatch(/ Default: "refused"\.$/);
    expect(policy['deadlineMs']?.description).not.toContain('Default');
    expect(described.$defs?.['rule']?.properties?.['hintJitter']?.description).not.toContain('Default');
  });
});

test('the description of the gate contains "circuit breaker"', () => {
  expect(described.properties?.['gate']?.description).toMatch(/\bcircuit breaker\b/);
});

describe('defaults', () => {
  const { windowBudget, learntTimeout, idempotencyKey, deadlineMs, budget, concurrency, ...others } =
    defaults;
  const plain = {
    ...others,
    attemptTimeoutMs: { ...learntTimeout, maxMs: 1_000 },
    concurrency: { limit: 1, ...concurrency },
  };
  const { attemptTimeoutMs } = others;
  const { generate, ...key } = idempotencyKey;

  test.each([
    ['with a bucket', { ...plain, idempotencyKey: key, budget }],
    ['with a window', { ...plain, idempotencyKey: key, budget: windowBudget }],
  ])('are what the schema allows: %s', (_, policy) => {
    expect(checkStructure(policySchema(), policy).problems).toEqual([]);
    const ajv = new Ajv2020({ strict: true });
    expect(ajv.validate(policySchema(), policy), JSON.stringify(ajv.errors)).toBe(true);
  });

  test('are all of them', () => {
    expect([deadlineMs, attemptTimeoutMs, generate]).toEqual([undefined, undefined, undefined]);
  });
});

describe('every name of a hint set', () => {
  test.each(hintSetNames)('%s', (name) => {
    expect(checkStructure(policySchema(), { hints: name }).problems).toEqual([]);
    expect(checkStructure(policySchema(), { hints: [name] }).problems).toEqual([]);
  });
});
