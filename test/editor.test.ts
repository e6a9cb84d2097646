/** What editors show to people who write a policy: completions and hovers, as the compiler gives them. */

import { describe, expect, test } from 'vitest';
import { type Offer, offeredIn, problemsOf } from '../scripts/editor.js';
import type { JsonSchema } from '../src/core/policy/check/json-schema.js';
import { functionKeys, policySchema } from '../src/core/policy/check/schema.js';
import { defaults } from '../src/core/policy/defaults.js';

const functions = ['retryIf', 'beforeRetry', 'observe'];
const onlyInPolicy = ['$schema', 'rules', 'maxScopes', 'scopeIdleMs'];
const inPolicy = [...keysOf(policySchema()), ...functions];
const inOverride = inPolicy.filter((key) => !onlyInPolicy.includes(key));

interface Place {
  readonly program: string;
  readonly keys: readonly string[];
  /** The default of a key; undefined if it has none. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const off = {
  idempotencyKey: false,
  credentials: false,
  streamStart: false,
  gate: false,
  hold: false,
  concurrency: false,
  hedge: false,
  attemptHeader: false,
};
const unset = Object.fromEntries(['$schema', 'retry', 'rules', ...functions].map((key) => [key, undefined]));
const { windowBudget, learntTimeout, ...usual } = defaults;
const ofPolicy = { ...unset, ...usual, ...off };
const ofCost = { transient: undefined, throttled: undefined, timeout: undefined };

const define = "import { definePolicy } from 'undaunted';";

function within(name: string, program: string, defaultsThere: object): [string, Place] {
  const keys = [...keysOf(policySchema().$defs?.[name]), ...[...functionKeys].flatMap(keyIn(name))];
  const kind = /kind: '/.test(program) ? ['kind'] : [];
  return [
    name,
    {
      program: `${define} definePolicy({ ${program} });`,
      keys: keys.filter((key) => !kind.includes(key)),
      defaults: { ...defaultsThere },
    },
  ];
}

function keyIn(name: string): (path: string) => string[] {
  return (path) => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []);
}

const places = new Map<string, Place>([
  [
    'retry({',
    {
      program: "import { retry } from 'undaunted/undici'; retry({ ¦ });",
      keys: inPolicy,
      defaults: ofPolicy,
    },
  ],
  [
    'attachRetry(api, {',
    {
      program:
        "import axios from 'axios'; import { attachRetry } from 'undaunted/axios'; attachRetry(axios.create(), { ¦ });",
      keys: inPolicy,
      defaults: ofPolicy,
    },
  ],
  ['definePolicy({', { program: `${define} definePolicy({ ¦ });`, keys: inPolicy, defaults: ofPolicy }],
  [
    'createRetrier({',
    {
      program: "import { createRetrier } from 'undaunted'; createRetrier({ ¦ });",
      keys: inPolicy,
      defaults: ofPolicy,
    },
  ],
  [
    'request(url, { retry: {',
    {
      program: "import { request } from 'undici'; import 'undaunted/undici'; request('', { retry: { ¦ } });",
      keys: inOverride,
      defaults: ofPolicy,
    },
  ],
  [
    'api.get(url, { retry: {',
    {
      program: "import axios from 'axios'; import 'undaunted/axios'; axios.get('', { retry: { ¦ } });",
      keys: inOverride,
      defaults: ofPolicy,
    },
  ],
  [
    'a rule',
    {
      program: `${define} definePolicy({ rules: [{ ¦ }] });`,
      keys: [...inOverride, 'match', 'name'],
      defaults: { ...ofPolicy, match: undefined, name: undefined },
    },
  ],
  [
    'a match',
    {
      program: `${define} definePolicy({ rules: [{ match: { ¦ } }] });`,
      keys: ['methods', 'host', 'path', 'test'],
      defaults: { methods: undefined, host: undefined, path: undefined, test: undefined },
    },
  ],
  within('idempotencyKey', 'idempotencyKey: { ¦ }', defaults.idempotencyKey),
  within('credentials', 'credentials: { ¦ }', {
    ...defaults.credentials,
    headers: undefined,
    renew: undefined,
  }),
  within('gate', 'gate: { ¦ }', defaults.gate),
  within('hold', 'hold: { ¦ }', defaults.hold),
  within('concurrency', 'concurrency: { ¦ }', { limit: undefined, ...defaults.concurrency }),
  within('hedge', 'hedge: { ¦ }', defaults.hedge),
  within('streamStart', 'streamStart: { ¦ }', defaults.streamStart),
  within('learntTimeout', 'attemptTimeoutMs: { ¦ }', { ...defaults.learntTimeout, maxMs: undefined }),
  within('bucket', "budget: { kind: 'bucket', ¦ }", defaults.budget),
  within('window', "budget: { kind: 'window', ¦ }", windowBudget),
  within('cost', 'budget: { cost: { ¦ } }', ofCost),
  within('exponential', "schedule: { kind: 'exponential', ¦ }", { ...defaults.schedule, slotMs: undefined }),
  within('table', "schedule: { kind: 'table', ¦ }", {
    waitsMs: undefined,
    jitter: 'none',
    slotMs: undefined,
  }),
  within('fixed', "schedule: { kind: 'fixed', ¦ }", { waitMs: undefined, jitter: 'none', slotMs: undefined }),
  within('jitter', "schedule: { kind: 'exponential', jitter: { ¦ } }", {
    spread: undefined,
    addMs: undefined,
    normal: undefined,
  }),
]);

/** Within quotes. */
const values: Readonly<Record<string, readonly string[]>> = {
  "statuses: ['¦']": ['1xx', '5xx', '!4xx'],
  "methods: ['¦']": ['GET', 'POST', 'QUERY'],
  "rules: [{ match: { methods: '¦' } }]": ['GET', 'POST', 'QUERY'],
  "hints: '¦'": ['common', 'github'],
  "unsafeMethods: '¦'": ['never', 'unsent', 'refused'],
};

const programs = [
  ...[...places.values()].map(({ program }) => program),
  ...Object.keys(values).map((program) => `${define} definePolicy({ ${program} });`),
];

const offered: ReadonlyMap<string, readonly Offer[]> = new Map(
  offeredIn(programs).map((offers, index) => [
    [...places.keys(), ...Object.keys(values)][index] ?? '',
    offers,
  ]),
);

describe.each([...places])('after %s', (place, { keys, defaults: expected }) => {
  const offers = offered.get(place) ?? [];

  test('only options are offered', () => {
    expect(offers.map(({ name }) => name).sort()).toEqual([...keys].sort());
  });

  test.each(keys)('%s shows its meaning, unit and default', (key) => {
    const { words = '', defaults: written = [] } = offers.find(({ name }) => name === key) ?? {};
    expect(words).toMatch(/^[A-Z].*[.:;]/s);
    const unit = unitOf(key);
    if (unit !== undefined) expect(words).toMatch(unit);
    expect(written).toHaveLength(1);
    expect(saidBy(written[0] ?? '')).toEqual(expected[key]);
  });
});

test.each(Object.entries(values))('%s offers values', (place, expected) => {
  expect(offered.get(place)?.map(({ name }) => name)).toEqual(expect.arrayContaining([...expected]));
});

test('the hover of the gate contains "circuit breaker"', () => {
  const gate = offered.get('retry({')?.find(({ name }) => name === 'gate');
  expect(gate?.words).toMatch(/\bcircuit breaker\b/);
});

// ---------------------------------------------------------------- errors

const elsewhere = `
  import axios from 'axios';
  import { createRetrier, definePolicy, type Policy } from 'undaunted';
  import { attachRetry } from 'undaunted/axios';
  import { retry } from 'undaunted/undici';
  import * as elsewhere from 'undaunted-again';
  const policy = elsewhere.definePolicy();
  const retrier = elsewhere.createRetrier();
`;

const uses = `
  retry(policy);
  retry(retrier);
  attachRetry(axios.create(), policy);
  attachRetry(axios.create(), retrier);
  createRetrier(policy);
  export const own: Policy = definePolicy(policy);
  export const same: Policy = policy;
`;

const withoutMatch = [
  "import { definePolicy } from 'undaunted'; definePolicy({ rules: [{ maxRetries: 1 }] });",
  "import { createRetrier } from 'undaunted'; createRetrier({ rules: [{ maxRetries: 1 }] });",
  "import { retry } from 'undaunted/undici'; retry({ rules: [{ match: '/x' }, { maxRetries: 1 }] });",
  "import axios from 'axios'; import { attachRetry } from 'undaunted/axios'; attachRetry(axios, { rules: [{ maxRetries: 1 }] });",
  "import { withRetry } from 'undaunted/fetch'; withRetry(fetch, { rules: [{ maxRetries: 1 }] });",
];

/** Of calls of `withRetry` of undaunted/fetch: the error is about what is wrong in them. */
const wrongCalls: readonly (readonly [call: string, problem: RegExp])[] = [
  ['withRetry(undefined, { maxRetrys: 1 })', /'maxRetrys' does not exist in type .*PolicyOptions/],
  ["withRetry(undefined, { maxRetries: 'a' })", /Type 'string' is not assignable to type 'number'/],
  ["withRetry(fetch, { maxRetries: 'a' })", /Type 'string' is not assignable to type 'number'/],
  ["withRetry(fetch('/'))", /Argument of type 'Promise<Response>' is not assignable to .* 'AnyFetch'/],
  ['withRetry({ maxRetries: 1 })', /'maxRetries' does not exist in type 'AnyFetch'/],
  ['withRetry(null)', /Argument of type 'null' is not assignable to .* 'AnyFetch \| undefined'/],
];

/** Of functions of a program's own, whose fetch has a type that is known only where they are called. */
const generic = ['undaunted/fetch', 'undaunted/light/fetch'].map(
  (from) => `import { type AnyFetch, withRetry } from '${from}';
    export function same<F extends AnyFetch>(own: F): F { return withRetry(own, { maxRetries: 1 }); }
    export async function statusOf<F extends typeof fetch>(own: F): Promise<number> {
      return (await withRetry(own)('/')).status;
    }
    export const untyped = withRetry((url, init) => fetch(url, init));
    export const always: typeof fetch = withRetry(undefined as typeof fetch | undefined);
    export const explicit: typeof fetch = withRetry<typeof fetch>(fetch);`,
);

// The compiler opens them together: one after the other takes seconds.
const [ofUses, ofExchange, ofStatus, ...others] = problemsOf([
  elsewhere + uses,
  `${elsewhere} createRetrier(retrier);`,
  `${define} definePolicy({ statuses: ['6xx'] });`,
  ...withoutMatch,
  ...wrongCalls.map(([call]) => `import { withRetry } from 'undaunted/fetch'; ${call};`),
  ...generic,
]);
const ofRules = others.slice(0, withoutMatch.length);
const ofCalls = others.slice(withoutMatch.length);
const ofGeneric = ofCalls.splice(wrongCalls.length);

test('a generic function may return the fetch that it wraps, and an arrow function may leave its types to it', () => {
  expect(ofGeneric).toEqual(generic.map(() => []));
});

test.each(wrongCalls.map(([call, problem], index) => ({ call, problem, problems: ofCalls[index] })))(
  'the compiler says what is wrong with $call',
  ({ problem, problems }) => {
    expect(problems).toEqual([expect.stringMatching(problem)]);
  },
);

describe('a policy and a retrier with types of another copy of the package', () => {
  test('are accepted', () => {
    expect(ofUses).toEqual([]);
  });

  test('are not interchangeable', () => {
    expect(ofExchange).toContainEqual(expect.stringMatching(/'Retrier' is not assignable/));
  });
});

test('the compiler refuses a class of statuses that does not exist', () => {
  expect(ofStatus).toEqual([expect.stringContaining('"6xx"')]);
});

test.each(withoutMatch.map((program, index) => ({ program, problems: ofRules[index] })))(
  'the compiler says that match is missing in a rule without a pattern: $program',
  ({ problems }) => {
    expect(problems).toEqual([expect.stringContaining("Property 'match' is missing")]);
  },
);

// ---------------------------------------------------------------- units

/** The unit of every number. The description names the unit even if the key does. */
const units: Readonly<Record<string, RegExp>> = {
  schedule: /\bmilliseconds\b/i,
  throttledSchedule: /\bmilliseconds\b/i,
  maxRetries: /\bretries\b/i,
  maxScopes: /\bscopes\b/i,
  hintJitter: /\bshare\b/i,
  refusedShare: /\bshare\b/i,
  spread: /\bshare\b/i,
  normal: /\bshare\b/i,
  factor: /\btimes\b/i,
  failures: /\bfirst attempts\b/i,
  concurrency: /\battempts\b/i,
  limit: /\battempts\b/i,
  maxWaiting: /\brequests\b/i,
  capacity: /\b(tokens|hedges)\b/i,
  quantile: /\bquantile\b/i,
  share: /\bhedges\b/i,
  perSuccess: /\b(tokens|retries)\b/i,
  perSecond: /\btokens\b/i,
  floor: /\btokens\b/i,
  reserve: /\bretries\b/i,
  cost: /\b(tokens|retries)\b/i,
  transient: /\b(tokens|retries)\b/i,
  throttled: /\b(tokens|retries)\b/i,
  timeout: /\b(tokens|retries)\b/i,
  statuses: /\bstatuses\b/i,
  // Values that are compared.
  is: /\bvalues\b/i,
};

function unitOf(key: string): RegExp | undefined {
  if (key.endsWith('Ms')) return /\bmilliseconds\b/i;
  return key.endsWith('Bytes') ? /\bbytes\b/i : units[key];
}

test('every number has a unit', () => {
  const objects = [policySchema(), ...Object.values(policySchema().$defs ?? {})];
  const numbers = objects.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([key, schema]) => (isNumeric(schema) ? [key] : [])),
  );
  expect(numbers.length).toBeGreaterThan(30);
  expect(numbers.filter((key) => unitOf(key) === undefined)).toEqual([]);
});

function isNumeric({ type, anyOf = [], items }: JsonSchema): boolean {
  const isNumber = type === 'number' || type === 'integer';
  return isNumber || [...anyOf, ...(items === undefined ? [] : [items])].some(isNumeric);
}

/** The value of a default: undefined for `none`, otherwise the expression's value. */
function saidBy(written: string): unknown {
  return written === 'none' ? undefined : (new Function(`return (${written});`)() as unknown);
}

function keysOf(schema: JsonSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {});
}
