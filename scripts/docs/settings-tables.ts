/** The tables of settings: words from the doc comments that editors show, defaults from `defaults.ts`. */

import { policySchema } from '../../src/core/policy/check/schema.js';
import { defaultOptions } from '../../src/core/policy/defaults.js';
import { presets } from '../../src/index.js';
import { defaults } from '../../src/internal.js';
import { schemes } from '../../src/schemes.js';
import { type Words, wordsOf } from '../described-schema.js';
import { offeredIn } from '../editor.js';

/** What a nested object is, and the settings that it stands in. */
interface Nested {
  readonly heading: string;
  readonly type: string;
  /** Its name in the schema. */
  readonly schema: string;
  readonly defaults?: object;
  /** What JSON cannot hold, so that the schema does not name it. */
  readonly functions?: readonly string[];
}

const nested: readonly Nested[] = [
  {
    heading: "`schedule` and `throttledSchedule`, `kind: 'exponential'`",
    type: 'ExponentialSchedule',
    schema: 'exponential',
    defaults: defaults.schedule,
  },
  { heading: "`schedule`, `kind: 'table'`", type: 'TableSchedule', schema: 'table', defaults: jitterless() },
  { heading: "`schedule`, `kind: 'fixed'`", type: 'FixedSchedule', schema: 'fixed', defaults: jitterless() },
  {
    heading: "`budget`, `kind: 'bucket'` (the default)",
    type: 'BucketBudget',
    schema: 'bucket',
    defaults: defaults.budget,
  },
  {
    heading: "`budget`, `kind: 'window'`",
    type: 'WindowBudget',
    schema: 'window',
    defaults: defaults.windowBudget,
  },
  { heading: '`cost` of a budget', type: 'Cost', schema: 'cost' },
  { heading: '`gate`', type: 'Gate', schema: 'gate', defaults: defaults.gate },
  { heading: '`hold`', type: 'Hold', schema: 'hold', defaults: defaults.hold },
  {
    heading: '`concurrency`',
    type: 'Concurrency',
    schema: 'concurrency',
    defaults: defaults.concurrency,
  },
  { heading: '`hedge`', type: 'Hedge', schema: 'hedge', defaults: defaults.hedge },
  {
    heading: '`attemptTimeoutMs`, as an object',
    type: 'LearntTimeout',
    schema: 'learntTimeout',
    defaults: defaults.learntTimeout,
  },
  { heading: '`hints`, as an object', type: 'OwnHints', schema: 'ownHints' },
  { heading: '`headers` of such hints', type: 'OwnHeaderHint', schema: 'ownHeaderHint' },
  {
    heading: '`body` of such hints',
    type: 'OwnBodyHint',
    schema: 'ownBodyHint',
    defaults: { evidence: 'unknown', evenWithData: false },
  },
  {
    heading: '`events` of such hints',
    type: 'OwnEventHint',
    schema: 'ownEventHint',
    defaults: { evidence: 'unknown', evenWithData: false },
  },
  { heading: '`streamStart`', type: 'StreamStart', schema: 'streamStart', defaults: defaults.streamStart },
  {
    heading: '`idempotencyKey`',
    type: 'IdempotencyKey',
    schema: 'idempotencyKey',
    defaults: defaults.idempotencyKey,
    functions: ['generate'],
  },
  {
    heading: '`credentials`',
    type: 'Credentials',
    schema: 'credentials',
    defaults: defaults.credentials,
    functions: ['headers', 'renew'],
  },
  {
    heading: '`match` of a rule, as an object',
    type: 'MatchObject',
    schema: 'matchObject',
    functions: ['test'],
  },
];

const onlyInPolicy = ['$schema', 'rules', 'maxScopes', 'scopeIdleMs'];
const onlyInRules = ['match', 'name'];
const hooks = ['retryIf', 'beforeRetry', 'observe'];

/** Every key of a rule and of the policy's top level. */
export function settingsTable(): string {
  const words = wordsOf(['PolicyOptions', 'RuleOptions']);
  const keys = [...Object.keys(policySchema().properties ?? {}).filter(isForBoth), ...hooks];
  const row = (type: string) => (key: string) =>
    `| \`${key}\` | ${defaultOf(key)} | ${say(words.get(type), key)} |`;
  return [
    '| key | default | what it is |',
    '| --- | --- | --- |',
    ...keys.map(row('PolicyOptions')),
    ...onlyInRules.map((key) => row('RuleOptions')(key).replace(/ \|$/, ' Only in a rule. |')),
    ...onlyInPolicy.map((key) => row('PolicyOptions')(key).replace(/ \|$/, ' Only at the top level. |')),
  ].join('\n');
}

/** One small table for each object that a setting can be. */
export function nestedTables(): string {
  const words = wordsOf(nested.map(({ type }) => type));
  return nested.map((some) => nestedTable(some, words.get(some.type))).join('\n\n');
}

/** What the doc comments say of each preset of a group: its numbers, and where they come from. */
export function presetsTable(): string {
  return shelfTable('presets', 'undaunted', presets);
}

/** The same of the famous schemes. */
export function schemesTable(): string {
  return shelfTable('schemes', 'undaunted/schemes', schemes);
}

function shelfTable(name: string, entry: string, shelf: Readonly<Record<string, object>>): string {
  const groups = Object.keys(shelf);
  const programs = groups.map((group) => `import { ${name} } from '${entry}'; ${name}.${group}.¦`);
  const offers = offeredIn(programs);
  return groups
    .map((group, index) => {
      const words = new Map(offers[index]?.map((offer) => [offer.name, offer.words.replace(/\s+/g, ' ')]));
      const rows = Object.keys(shelf[group] ?? {}).map((key) => `| \`${key}\` | ${say(words, key)} |`);
      return [`| \`${name}.${group}\` | what it is, and its origin |`, '| --- | --- |', ...rows].join('\n');
    })
    .join('\n\n');
}

function nestedTable({ heading, schema, defaults: own = {}, functions = [] }: Nested, words?: Words): string {
  const keys = [...Object.keys(policySchema().$defs?.[schema]?.properties ?? {}), ...functions];
  const rows = keys.map((key) => {
    const value: unknown = key === 'kind' ? undefined : Reflect.get(own, key);
    return `| \`${key}\` | ${value === undefined ? '' : code(value)} | ${say(words, key)} |`;
  });
  return [`**${heading}**`, '', '| key | default | what it is |', '| --- | --- | --- |', ...rows].join('\n');
}

function isForBoth(key: string): boolean {
  return !onlyInPolicy.includes(key);
}

function defaultOf(key: string): string {
  const value: unknown = Reflect.get(defaultOptions, key);
  const on: unknown = Reflect.get(defaults, key);
  if (value === false && typeof on !== 'boolean') return `off; on: ${code(on)}`;
  return value === undefined ? 'none' : code(value);
}

function say(words: Words | undefined, key: string): string {
  return (words?.get(key) ?? '').replaceAll('|', '\\|');
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

function jitterless(): object {
  return { jitter: 'none' };
}
