/**
 * The form of a policy as JSON Schema 2020-12: the one source of the check in `check.ts` and of the `schema.json` that
 * editors read. It uses only the keywords of `JsonSchema`, because the check knows no others. Rules that a schema
 * cannot express (contradictions, patterns) are in `check/`.
 */

import { atFirstUse, freezeDeep } from '../../freeze.js';
import { hintSetNames, hintUnits } from '../../hints/sets.js';
import { byLimit } from '../../limits/all.js';
import { limitDefinitions, limitSchemas } from '../../limits/checks.js';
import type { OverrideOptions, PolicyOptions, RuleOptions, SettingsOptions } from '../options.js';
import type { Hook } from '../settings.js';
import {
  boolean,
  count,
  either,
  type JsonSchema,
  listOf,
  ms,
  object,
  oneOf,
  ref,
  share,
  someOf,
  someTokens,
  statusFrom,
} from './json-schema.js';
import { takenHeaders } from './taken-headers.js';

/** Where functions are allowed: in the policy, and under `rules[n].`. Everything else is data. */
export const functionKeys: ReadonlySet<string> = new Set([
  'retryIf' satisfies Hook,
  'beforeRetry' satisfies Hook,
  'observe' satisfies Hook,
  'schedule',
  'throttledSchedule',
  'scope',
  'idempotencyKey.generate',
  'credentials.headers',
  'credentials.renew',
  'match.test',
]);

const gibibyte = 1_073_741_824;

// So many answers are needed that a few lie beyond the quantile: 2,500 for this one.
const quantile: JsonSchema = {
  title: 'a number from 0.01 to 0.999: 0.95 for the 95th percentile',
  type: 'number',
  minimum: 0.01,
  maximum: 0.999,
};
const times: JsonSchema = { type: 'number', minimum: 1, maximum: 1_000 };
const bytes: JsonSchema = { type: 'integer', minimum: 0, maximum: gibibyte };
const label: JsonSchema = { type: 'string', pattern: '\\S', title: 'a name that is not blank' };
// RFC 9110 5.6.2: methods (9.1) and field names (5.1) are tokens.
const tokenToEnd = "[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
const token: JsonSchema = /* @__PURE__ */ (() => ({ type: 'string', pattern: `^${tokenToEnd}` }))();
const method: JsonSchema = /* @__PURE__ */ (() => ({ ...token, title: 'a method, such as "GET"' }))();
const header: JsonSchema = /* @__PURE__ */ (() => ({
  type: 'string',
  pattern: `^(?!(${takenHeaders})$)${tokenToEnd}`,
  title: 'a header name of your own, such as "idempotency-key"',
}))();
const status: JsonSchema = /* @__PURE__ */ (() => ({
  title: 'a status from 100 to 599, a class such as "5xx", or "!501" to take one away',
  ...either(statusFrom(100, 599), { type: 'string', pattern: '^!?[1-5](xx|[0-9][0-9])$' }),
}))();

/** Slots may be finer than any timer: Ethernet's take 51.2 µs. */
const shortestMs = 0.001;

const hintSet = /* @__PURE__ */ (() => oneOf(...hintSetNames))();

const ownHints: JsonSchema = { $ref: '#/$defs/ownHints' };
const unit = /* @__PURE__ */ (() => oneOf(...hintUnits))();

const meanings = ['throttled', 'transient', 'final', 'never'];
const inBody = /* @__PURE__ */ (() => ({
  at: {
    type: 'string',
    pattern: '^/([^~]|~[01]){0,255}$',
    title: 'a JSON pointer such as "/errors/*/code"',
  } as const,
  is: someOf(either({ type: 'string' }, { type: 'number', title: 'a number' }, boolean)),
  unit,
  evidence: oneOf('unknown', 'refused'),
  evenWithData: boolean,
}))();

const settings = /* @__PURE__ */ (() =>
  ({
    retry: { const: false, title: 'false (maxRetries sets the number of retries, retryIf the condition)' },
    maxRetries: count(0),
    deadlineMs: ms(1),
    deadlineCovers: oneOf('head', 'body'),
    attemptTimeoutMs: {
      title: `${ms(1).title}, or an object such as { maxMs: 5000 } for an adaptive timeout`,
      ...either(ms(1), ref('learntTimeout')),
    },
    wholeBodyBytes: bytes,
    wholeBodyMs: ms(1),
    streamStart: {
      title: 'false, or an object such as { maxMs: 5000, maxBytes: 65536 }',
      ...either({ const: false }, ref('streamStart')),
    },
    hedge: {
      title: 'true, false or an object such as { afterMs: 80 }',
      ...either(boolean, ref('hedge')),
    },
    statuses: listOf(status),
    methods: listOf(method),
    idempotent: boolean,
    unsafeMethods: oneOf('never', 'unsent', 'refused'),
    idempotencyKey: either(boolean, ref('idempotencyKey')),
    credentials: {
      title: 'false, or an object with the functions "headers" and "renew"',
      ...either({ const: false }, ref('credentials')),
    },
    schedule: ref('schedule'),
    throttledSchedule: ref('schedule'),
    hints: either(hintSet, ownHints, listOf(either(hintSet, ownHints)), { const: false }),
    bodyHintBytes: bytes,
    maxHintMs: ms(0),
    hintJitter: share,
    ...limitSchemas,
    scope: { ...label, title: '"origin" or a name that is not blank' },
    bufferBodyBytes: bytes,
    resume: boolean,
    unref: boolean,
    attemptHeader: either(boolean, {
      ...header,
      title: 'a header name of your own, such as "retry-attempt"',
    }),
  }) satisfies Record<Exclude<keyof SettingsOptions, Hook>, JsonSchema>)();

const inRules = /* @__PURE__ */ (() =>
  ({ match: ref('match'), name: label }) satisfies Record<
    Exclude<keyof RuleOptions, keyof SettingsOptions>,
    JsonSchema
  >)();

const inPolicy = /* @__PURE__ */ (() =>
  ({
    $schema: { type: 'string' },
    rules: listOf(ref('rule')),
    maxScopes: count(1),
    scopeIdleMs: ms(1),
  }) satisfies Record<Exclude<keyof PolicyOptions, keyof SettingsOptions>, JsonSchema>)();

const onlyOff: JsonSchema = {
  const: false,
  title: 'false (only a rule or the policy can set what requests share)',
};

const inOverride = /* @__PURE__ */ (() =>
  ({
    ...settings,
    attemptTimeoutMs: ms(1),
    ...byLimit(() => onlyOff),
    hedge: onlyOff,
  }) satisfies Record<Exclude<keyof OverrideOptions, Hook>, JsonSchema>)();

// Jitter of a single wait. `decorrelated` is not one: it is a random walk, and belongs to exponential schedules.
const plainJitter = /* @__PURE__ */ (() => either(oneOf('none', 'full', 'equal'), ref('jitter')))();

const $defs: Readonly<Record<string, JsonSchema>> = /* @__PURE__ */ (() => ({
  rule: object({ ...inRules, ...settings }, ['match']),
  match: {
    title: 'a pattern such as "GET api.example.com/search/*", or an object of methods, host and path',
    anyOf: [{ type: 'string' }, ref('matchObject')],
  },
  matchObject: object({
    methods: either(method, someOf(method)),
    host: { type: 'string' },
    path: { type: 'string' },
  }),
  idempotencyKey: object({ header, quoted: boolean }),
  credentials: object({
    statuses: {
      title: 'a list of statuses from 400 to 499',
      ...someOf(statusFrom(400, 499)),
    },
    timeoutMs: ms(1),
  }),
  streamStart: object({ maxMs: ms(1), maxBytes: { ...bytes, minimum: 1 } }),
  schedule: either(ref('exponential'), ref('table'), ref('fixed')),
  exponential: object(
    {
      kind: { const: 'exponential' },
      firstMs: ms(shortestMs),
      factor: { type: 'number', minimum: 1, maximum: 1_000 },
      maxMs: ms(shortestMs),
      jitter: either(oneOf('none', 'full', 'equal', 'decorrelated'), ref('jitter')),
      slotMs: ms(shortestMs),
    },
    ['kind'],
  ),
  table: object(
    {
      kind: { const: 'table' },
      waitsMs: someOf(ms(0)),
      jitter: plainJitter,
      slotMs: ms(shortestMs),
    },
    ['kind', 'waitsMs'],
  ),
  fixed: object(
    {
      kind: { const: 'fixed' },
      waitMs: ms(0),
      jitter: plainJitter,
      slotMs: ms(shortestMs),
    },
    ['kind', 'waitMs'],
  ),
  jitter: {
    ...object({ spread: share, addMs: ms(0), normal: share }),
    minProperties: 1,
    maxProperties: 1,
  },
  ...limitDefinitions,
  ownHints: {
    title: 'an object with hints of your own',
    ...object(
      {
        name: {
          type: 'string',
          pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
          title: 'a name of letters, digits, ".", "_" and "-", such as "acme"',
        },
        statuses: someOf({
          title: 'a status from 200 to 299 or from 400 to 599',
          ...either(statusFrom(200, 299), statusFrom(400, 599)),
        }),
        headers: someOf(ref('ownHeaderHint')),
        body: someOf(ref('ownBodyHint')),
        events: someOf(ref('ownEventHint')),
      },
      ['name'],
    ),
  },
  ownHeaderHint: object({ name: { ...token, title: 'the name of a header' }, unit }, ['name', 'unit']),
  ownBodyHint: object({ ...inBody, means: oneOf(...meanings) }, ['at']),
  ownEventHint: object({
    event: { ...label, title: 'the name of an event, such as "error"' },
    ...inBody,
    means: oneOf(...meanings, 'pending'),
  }),
  learntTimeout: object({ quantile, factor: times, minMs: ms(1), maxMs: ms(1) }, ['maxMs']),
  hedge: object({
    quantile,
    factor: times,
    afterMs: ms(1),
    methods: someOf(method),
    share: { ...share, minimum: 0.001 },
    // With less than one, there would never be a hedge.
    capacity: { ...someTokens, minimum: 1 },
  }),
}))();

/** A policy. */
export const policySchema: () => JsonSchema = /* @__PURE__ */ atFirstUse(() =>
  freezeDeep({ ...object({ ...inPolicy, ...settings }), $defs }),
);

/** The override of a single request. */
export const overrideSchema: () => JsonSchema = /* @__PURE__ */ atFirstUse(() =>
  freezeDeep({ ...object(inOverride), $defs }),
);
