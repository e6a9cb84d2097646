/** The schema of a policy for editors: with the doc comments of the options, and their defaults. */

import { fillSchedule } from '../src/core/decide/schedule.js';
import { policySchema } from '../src/core/policy/check/schema.js';
import { defaultOptions } from '../src/core/policy/defaults.js';
import type { JsonSchema } from '../src/internal.js';
import { defaults } from '../src/internal.js';
import { offeredIn } from './editor.js';

/** A part of the schema, and the source of its descriptions and defaults. */
interface Source {
  /** One of the types that the package exports. */
  readonly type: string;
  /** The defaults. */
  readonly defaults?: object;
}

const { firstMs, ...exponential } = defaults.schedule;

const root: Source = { type: 'PolicyOptions', defaults: defaultOptions };
const parts: Readonly<Record<string, Source>> = {
  // A rule inherits what it leaves out.
  rule: { type: 'RuleOptions' },
  matchObject: { type: 'MatchObject' },
  idempotencyKey: { type: 'IdempotencyKey', defaults: defaults.idempotencyKey },
  credentials: { type: 'Credentials', defaults: defaults.credentials },
  // The first wait is different in `throttledSchedule`.
  exponential: { type: 'ExponentialSchedule', defaults: exponential },
  table: { type: 'TableSchedule', defaults: fillSchedule({ kind: 'table', waitsMs: [] }) },
  fixed: { type: 'FixedSchedule', defaults: fillSchedule({ kind: 'fixed', waitMs: 0 }) },
  jitter: { type: 'PlainJitter' },
  bucket: { type: 'BucketBudget', defaults: defaults.budget },
  window: { type: 'WindowBudget', defaults: defaults.windowBudget },
  cost: { type: 'Cost' },
  gate: { type: 'Gate', defaults: defaults.gate },
  hold: { type: 'Hold', defaults: defaults.hold },
  concurrency: { type: 'Concurrency', defaults: defaults.concurrency },
  ownHints: { type: 'OwnHints' },
  ownHeaderHint: { type: 'OwnHeaderHint' },
  ownBodyHint: { type: 'OwnBodyHint', defaults: { evidence: 'unknown', evenWithData: false } },
  ownEventHint: { type: 'OwnEventHint', defaults: { evidence: 'unknown', evenWithData: false } },
  streamStart: { type: 'StreamStart', defaults: defaults.streamStart },
  hedge: { type: 'Hedge', defaults: defaults.hedge },
  learntTimeout: { type: 'LearntTimeout', defaults: defaults.learntTimeout },
};

/** The schema that ships as `schema.json`. */
export function describedSchema(): JsonSchema {
  const sources = [root, ...Object.values(parts)];
  const words = wordsOf(sources.map(({ type }) => type));
  const describe = (schema: JsonSchema, source: Source | undefined): JsonSchema =>
    source === undefined ? schema : described(schema, words.get(source.type), source.defaults);
  const { $defs = {}, ...policy } = policySchema();
  const definitions = Object.entries($defs).map(([name, schema]) => [name, describe(schema, parts[name])]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    description: 'A retry policy of undaunted.',
    ...describe(policy, root),
    $defs: Object.fromEntries(definitions),
  };
}

/** By the name of the property. */
export type Words = ReadonlyMap<string, string>;

/** The doc comments of exported types, as one line of markdown for each property. */
export function wordsOf(types: readonly string[]): ReadonlyMap<string, Words> {
  const programs = types.map(
    (type) => `import type { ${type} } from 'undaunted'; export const it: ${type} = { ¦ };`,
  );
  const lists = offeredIn(programs).map(
    (offers) => new Map(offers.map(({ name, words }) => [name, words.replace(/\s+/g, ' ')])),
  );
  return new Map(types.map((type, index) => [type, lists[index] ?? new Map()]));
}

/** Without the marks of code. */
function inJson(words: string): string {
  return words.replace(/`([^`]*)`/g, (_, code: string) => code.replaceAll("'", '"'));
}

function described(schema: JsonSchema, words: Words | undefined, defaultsThere: object = {}): JsonSchema {
  const { properties = {}, required = [] } = schema;
  const all = Object.entries(properties).map(([key, property]) => {
    const description = inJson(words?.get(key) ?? '');
    const value: unknown = required.includes(key) ? undefined : Reflect.get(defaultsThere, key);
    if (value === undefined) return [key, { ...property, description }];
    return [
      key,
      { ...property, description: `${description} Default: ${JSON.stringify(value)}.`, default: value },
    ];
  });
  return { ...schema, properties: Object.fromEntries(all) };
}
