/** What the check of a policy knows of the gate. */

import type { Remark } from '../../errors.js';
import { found, quote } from '../../found.js';
import {
  boolean,
  count,
  either,
  type JsonSchema,
  ms,
  object,
  oneOf,
  ref,
} from '../../policy/check/json-schema.js';
import type { Contradiction } from '../../policy/check/level.js';
import { type ForeignName, hour, type PlausibleTimes, pathTo, problem } from '../../policy/check/wording.js';
import type { PolicyOptions, RuleOptions } from '../../policy/options.js';

export const gateSchema: JsonSchema = /* @__PURE__ */ (() => either(boolean, ref('gate')))();

export const gateDefinition: JsonSchema = /* @__PURE__ */ (() =>
  object({
    failures: count(1),
    deadForMs: ms(0),
    probeMs: ms(1),
    rampMs: ms(0),
    whenShut: oneOf('fail', 'wait'),
    maxWaiting: count(1),
    enforce: boolean,
  }))();

export const gateContradictions: readonly Contradiction[] = [
  {
    written: ['gate'],
    with: ['deadlineMs'],
    find: ({ settings: { gate, deadlineMs } }) =>
      gate &&
      gate.whenShut === 'wait' &&
      deadlineMs === undefined &&
      problem('gate.whenShut', found(gate.whenShut), '"fail"; "wait" needs a deadlineMs'),
  },
];

export const gateTimes: PlausibleTimes = {
  'gate.deadForMs': [61, hour],
  'gate.probeMs': [61, hour],
  'gate.rampMs': [61, hour],
};

export const gateElsewhere: readonly ForeignName[] = [
  ['gate', 'breaker circuit circuitBreaker'],
  [
    'gate.failures',
    'threshold volumeThreshold failureThreshold errorThresholdPercentage failureRatio minimumThroughput',
  ],
  ['gate.probeMs', 'halfOpenAfter resetTimeout breakDuration'],
];

// ---------------------------------------------------------------- a remark: long polls at an origin that has a gate

// The time limit of each poll is a failure for the gate.

/** A segment by which APIs with long polls name them: Telegram, CouchDB, Matrix, Dropbox, Kubernetes and others. */
const polls = /(^|[/_-])(long-?poll(ing)?|poll(ing)?|getupdates|_changes|sync|watch|subscribe)([/_-]|$)/i;

export function longPolls({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return rules.flatMap(({ match, ...rule }, index) => {
    const { gate, attemptTimeoutMs } = { ...top, ...rule };
    const path = pathOf(match);
    const isTimed = attemptTimeoutMs !== undefined || (rule.deadlineMs ?? top.deadlineMs) !== undefined;
    if (!isOn(gate) || !isTimed || path === undefined || !polls.test(path)) return [];
    // It has a gate of its own.
    if (rule.scope !== undefined && rule.scope !== top.scope) return [];
    return [
      {
        path: pathTo(pathTo('rules', index), 'match'),
        says: `${quote(path)} looks like a long poll: each one that waits until its time limit is a failure for the gate`,
        advice: 'If it is one, set "gate": false in this rule, so that its failures do not count.',
      },
    ];
  });
}

function isOn(gate: PolicyOptions['gate']): boolean {
  return gate !== undefined && gate !== false;
}

function pathOf(match: RuleOptions['match']): string | undefined {
  if (typeof match === 'string') return match;
  return match.path;
}
