/** What an editor shows beside a key. Only the build reads it: nothing that runs needs these words. */

import type { BucketBudget, Cost, Gate, Hold, WindowBudget } from '../limits.js';
import type { MatchObject, PolicyOptions, RuleOptions, SettingsOptions } from '../options.js';
import type { ExponentialSchedule, FixedSchedule, TableSchedule } from '../schedules.js';
import type { IdempotencyKey } from '../settings.js';
import type { JsonSchema } from './schema.js';
import { policySchema } from './schema.js';

/** Functions cannot stand in JSON. */
type InJson<T, Functions extends keyof T = never> = Readonly<Record<Exclude<keyof T, Functions>, string>>;

const settings: InJson<SettingsOptions, 'retryIf' | 'beforeRetry' | 'observe'> = {
  retry: 'Shorthand for "maxRetries": 0.',
  maxRetries: 'Attempts after the first; 0 is off.',
  deadlineMs: 'The time for the whole request, waits included.',
  deadlineCovers: 'Whether the deadline runs to the response head or to the end of the body.',
  attemptTimeoutMs: 'The time for one attempt.',
  statuses: 'Worth another attempt: statuses, classes such as "5xx", and negations such as "!501".',
  methods: 'Methods that are safe to repeat.',
  idempotent: 'Every request here is safe to repeat.',
  unsafeMethods:
    'When other methods are sent again: after proof that the request never left, or was not taken.',
  idempotencyKey: 'Adds one stable key to each request, which makes it safe to repeat.',
  schedule: 'The waits of our own, where the server gives no hint.',
  throttledSchedule: 'The same for answers that say "too much".',
  hints: 'Which headers are read for a wait: a set, several, or false for none.',
  bodyHintBytes:
    'How much of a body is read to find a hint in it; 0: nothing. Left out: 16384 where a named set reads bodies, else 0.',
  maxHintMs: 'Longer hints end the request: the caller gets the answer at once.',
  hintJitter: 'Share of a hint that is added at random, never taken off.',
  budget: 'What retries may cost a whole scope.',
  gate: 'Stops first attempts too while the server is dead.',
  hold: "Lets one request's hint keep the others of its scope from being sent.",
  scope: 'Who shares budget, gate and hold: each origin, or all that name the same scope.',
  bufferBodyBytes: 'Streamed bodies of up to so many bytes are kept for another attempt.',
  resume: 'Resumes a broken download where it stopped.',
  unref: 'Lets the process end while a retry waits.',
  attemptHeader: "Header that carries the retry's number.",
};

const jitter = 'How waits are scattered, so that clients do not come back in step; without it, "full".';
const plainJitter = 'How waits are scattered; without it, not at all: they are what they say.';
const slotMs = 'Waits are rounded down to whole slots of this length.';
const kind = 'Which form it has.';
const cost = 'What a retry costs.';

const rule: InJson<RuleOptions, 'retryIf' | 'beforeRetry' | 'observe'> = {
  ...settings,
  match: 'The requests that it applies to; the first rule that matches wins.',
  name: 'Label for events.',
};
const exponential: InJson<ExponentialSchedule> = {
  kind,
  firstMs: 'The first wait.',
  factor: 'How much longer each wait is than the one before.',
  maxMs: 'The longest wait, before jitter.',
  jitter,
  slotMs,
};
const table: InJson<TableSchedule> = {
  kind,
  waitsMs: 'One wait per retry; the last one is repeated.',
  jitter: plainJitter,
  slotMs,
};
const fixed: InJson<FixedSchedule> = {
  kind,
  waitMs: 'Every wait.',
  jitter: plainJitter,
  slotMs,
};
const bucket: InJson<BucketBudget> = {
  kind,
  capacity: 'How many tokens it holds; it starts full.',
  perSuccess: 'Tokens for each request that succeeds.',
  perSecond: 'Tokens that come by themselves.',
  cost,
  refund: 'A success after retries gives back the cost of the last one instead.',
  charge: 'Whether a retry costs, or every failure.',
  floor: 'Tokens that a retry must leave.',
};
const window: InJson<WindowBudget> = {
  kind,
  windowMs: 'The time that is looked back on.',
  reserve: 'Retries that are possible without any success.',
  perSuccess: 'Retries for each request that succeeds.',
  cost,
};
const gate: InJson<Gate> = {
  failures: 'How many first attempts have to fail in a row, without a sign of life between them, to shut it.',
  deadForMs: 'How long that row of failures has to last.',
  probeMs: 'Between one probe and the next.',
  rampMs: 'The time over which requests come back after a probe succeeded.',
  whenShut: 'Whether requests fail at once or wait.',
  maxWaiting: 'How many may wait.',
  enforce: 'False: it only counts and tells what it would refuse.',
};

const descriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rule,
  matchObject: {
    methods: 'A method or several; absent: any.',
    host: 'A host such as "api.example.com" or "*.example.com"; absent: any.',
    path: 'A path such as "/payments/:id" or "/search/*"; absent: any.',
  } satisfies InJson<MatchObject, 'test'>,
  idempotencyKey: {
    header: 'The header that carries the key.',
    quoted: 'In quotes, as the draft of the standard has it.',
  } satisfies InJson<IdempotencyKey, 'generate'>,
  exponential,
  table,
  fixed,
  jitter: {
    spread: 'The wait times a factor from 1 - spread to 1 + spread.',
    addMs: 'Up to so much on top of the wait.',
    normal: 'Normally distributed around the wait, with this share of it as the standard deviation.',
  },
  bucket,
  window,
  cost: {
    transient: 'After a failure.',
    throttled: 'After an answer that says "too much".',
    timeout: 'After no answer in time; without it, as after a failure.',
  } satisfies InJson<Cost>,
  gate,
  hold: {
    refusedShare:
      'The share of recent first answers that have to be refusals before other requests are held; 0: one is enough.',
    minMs: 'Shorter hints delay only the request that got them.',
    spacingMs: 'The distance of requests after the hold, where no rate was seen before it.',
    maxQueueMs: 'The longest time in the queue; absent: half of what is left until the deadline.',
    enforce: 'False: it only counts and tells what it would refuse.',
  } satisfies InJson<Hold>,
};

const policy: InJson<PolicyOptions, 'retryIf' | 'beforeRetry' | 'observe'> = {
  ...settings,
  $schema: 'Where editors find this schema.',
  rules: 'Patterns with settings; the first that matches a request applies.',
  maxScopes: 'Scopes that are remembered; the least recently used go first.',
  scopeIdleMs: 'Scopes without a request for so long are forgotten.',
};

/** What ships as `schema.json`. */
export function describedSchema(): JsonSchema {
  const { $schema, $defs = {}, ...root } = policySchema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    description: 'A retry policy of undaunted.',
    ...described(root, policy),
    $defs: Object.fromEntries(
      Object.entries($defs).map(([name, schema]) => [name, described(schema, descriptions[name] ?? {})]),
    ),
  };
}

function described(schema: JsonSchema, texts: Readonly<Record<string, string>>): JsonSchema {
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties).map(([key, property]) => {
    const description = texts[key];
    return [key, description === undefined ? property : { ...property, description }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
