/**
 * The scenarios through the light entries: each with the parts that it needs, and without them it is refused. Those that
 * need none are played with the essentials alone.
 */

import { describe, expect, test, vi } from 'vitest';
import { PolicyError, type PolicyOptions, type Ports, type Retrier } from '../../src/index.js';
import { attachRetry } from '../../src/light/axios.js';
import { withRetry } from '../../src/light/fetch.js';
import { createRetrier, definePolicy } from '../../src/light/index.js';
import * as hints from '../../src/parts/hints.js';
import * as parts from '../../src/parts/index.js';
import { axiosPlay } from './axios-play.js';
import { conforms } from './conform.js';
import { fetchPlay } from './fetch-play.js';
import { policyOf } from './functions.js';
import type { Scenario } from './scenario.js';
import { themes } from './themes.js';

type List = readonly parts.Part[];

const values: Readonly<Record<string, parts.Part>> = { ...parts, ...hints };

/** The parts that the error of a policy names. */
function lackingIn(options: PolicyOptions): string[] {
  try {
    definePolicy(options as object, [] as List);
    return [];
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return error.problems.map(({ advice = '' }) => {
      const [, name = advice] =
        /^(\w+) needs import \{ \1 \} from 'undaunted\/parts(?:\/hints)?'/.exec(advice) ?? [];
      return name;
    });
  }
}

/** Without the part for evidence, what comes of undici's fetch proves nothing: a page's own fetch is known by its source. */
const provenByHops = new Set([
  'POST after a refused connection',
  'unsafeMethods: unsent',
  'POST after a 401',
  "hints of one's own: a POST, and a row that proves that nothing was done",
  'POST after a 429, and then a 303 and a 429',
  'POST after 429, 408 and 425',
  'a POST whose stream says that it was not taken',
]);

/** Without the part for failures, what Node says of a body that was cut off is not known. */
const toldByNode = new Set([
  'a body that breaks off',
  'a body that breaks off twice',
  'a POST whose answer breaks off',
]);

/** What the scenario asks for, in its policy or in the override of a request. */
function neededBy(scenario: Scenario): readonly string[] {
  const overrides = scenario.requests.flatMap(({ retry }) => (typeof retry === 'object' ? [retry] : []));
  const overriding = overrides.length > 0 ? ['overrides'] : [];
  // Without the part, a stream is sent once.
  const streams = scenario.requests.some(({ stream }) => stream !== undefined) ? ['streams'] : [];
  const evidence = provenByHops.has(scenario.name) ? ['evidence'] : [];
  const failures = toldByNode.has(scenario.name) ? ['failures'] : [];
  return [
    ...new Set([
      ...[policyOf(scenario), ...overrides].flatMap(lackingIn),
      ...overriding,
      ...streams,
      ...evidence,
      ...failures,
    ]),
  ].sort();
}

function open(scenario: Scenario, ports: Ports, more: List = []): Retrier {
  const list: List = [...neededBy(scenario).flatMap((name) => values[name] ?? []), ...more];
  return createRetrier(definePolicy(policyOf(scenario) as object, list), ports);
}

const openInNode = (scenario: Scenario, ports: Ports): Retrier => open(scenario, ports, [parts.node]);

describe('fetch', () => conforms('fetch', fetchPlay(open, withRetry)));
describe('fetch, with the part for Node', () => conforms('fetch', fetchPlay(openInNode, withRetry)));
describe('axios, with the part for Node', () => conforms('axios', axiosPlay(openInNode, attachRetry)));
describe('axios, as in production, where policies are not checked', () =>
  conforms(
    'axios',
    axiosPlay((scenario, ports) => {
      vi.stubEnv('NODE_ENV', 'production');
      const retrier = open(scenario, ports);
      vi.unstubAllEnvs();
      return retrier;
    }, attachRetry),
  ));

test('these scenarios are refused without their parts; all others need none', () => {
  const all = themes.flatMap(({ scenarios }) => scenarios);
  const needs = all.map((scenario) => [scenario.name, neededBy(scenario).join(', ')] as const);
  expect(Object.fromEntries(needs.filter(([, names]) => names !== ''))).toEqual(refused);
  expect(needs.filter(([, names]) => names === '').length).toBeGreaterThan(60);
});

const refused: Readonly<Record<string, string>> = {
  'a body that breaks off': 'failures, wholeAnswers',
  'a body that breaks off twice': 'failures, wholeAnswers',
  'a POST whose answer breaks off': 'failures, wholeAnswers',
  'a stream that begins with an error': 'anthropic, streamStart',
  'a stream that ends before its content': 'anthropic, streamStart',
  'a stream that fails behind its content': 'anthropic, streamStart',
  'a stream whose error stays': 'anthropic, streamStart',
  'a POST whose stream begins with an error': 'anthropic, streamStart',
  'a POST whose stream says that it was not taken': 'evidence, ownHints, streamStart',
  'lines of JSON that begin with an error': 'streamStart',
  'a stream that begins with an error, and nothing waits for its beginning': 'anthropic',
  'a scope by name': 'rules',
  'the others wait until an attempt is over': 'concurrency',
  'as many as there may be are in flight': 'concurrency',
  'no request waits for more than half of the time that it has left': 'concurrency',
  'no request waits for longer than it may': 'concurrency',
  'no more wait than may': 'concurrency',
  'a retry that waits takes no room, and stands in line again': 'concurrency',
  'there is no retry if as many wait as may': 'concurrency',
  'there is no retry if the first in line has waited for longer than any may': 'concurrency, overrides',
  'a rule with a limit of its own counts for itself': 'concurrency, rules',
  'a 200 that says that it is an error': 'hooks',
  'an answer whose header says that it is stale': 'hooks',
  'an answer whose header forbids a retry': 'hooks',
  'a 404 of something new': 'hooks',
  'retryIf by a header of the request': 'hooks',
  'a payment that a function knows by its path': 'rules',
  'a rule for a header of the request': 'rules',
  'a rule for a query': 'rules',
  'a scope for each tenant, by the path': 'hooks',
  'a scope for each tenant, by a header': 'hooks',
  'a scope by the origin, in any spelling': 'hooks',
  'what a function is told before a retry': 'hooks',
  "what a rule's function is told": 'rules',
  'a token that has expired is renewed': 'credentials',
  'POST after a 401': 'credentials, evidence',
  'shut, probed and open again': 'gate',
  'a ramp, not a stampede': 'gate',
  'no longer than 0.35 seconds': 'gate',
  'a wave of failures': 'gate',
  'an application that fails': 'gate',
  'what is no sign of death': 'gate',
  'no retry to a server that is taken for dead': 'gate',
  "a retry's failure is the same request's": 'gate',
  'shut while a request waits for its retry': 'gate',
  'waiting at the gate': 'gate',
  'no room at the gate': 'gate',
  'too little time to wait at the gate': 'gate',
  'each origin has its own gate': 'gate',
  "hints of one's own: a header": 'ownHints',
  "hints of one's own: a body that means rate limited, and how long": 'ownHints',
  "hints of one's own: a failure in a 200": 'ownHints',
  "hints of one's own: a POST, and a row that proves that nothing was done": 'evidence, ownHints',
  "hints of one's own: a body that means never": 'ownHints',
  "GitHub's 403 that means 429": 'github, rules',
  'grown jitter is no longer than a hint may be, and leaves half of the time for the answer': 'rules',
  "one request's hint holds the others": 'hold',
  'a short hint does not hold other requests': 'hold',
  'a hold that is longer than the deadline': 'hold, overrides',
  'a hint that is too long to wait for does not hold other requests': 'hold',
  'each origin has its own hold': 'hold, rules',
  'one that is refused speaks for itself': 'hold',
  'no request queues for long': 'hold',
  'a retry that would queue for too long': 'hold',
  'POST after a 429, and then a 303 and a 429': 'evidence',
  'the first rule that matches': 'rules',
  'a rule inherits, and replaces a schedule whole': 'rules',
  'segments by name': 'rules',
  'a path in disguise': 'rules',
  'a request that turns on what its rule turned off': 'overrides',
  'so many within a sliding window': 'slidingWindow',
  'a request that speaks for itself': 'overrides, rules',
  'POST after a refused connection': 'evidence',
  'POST after 429, 408 and 425': 'evidence',
  'unsafeMethods: unsent': 'evidence',
  'a key for every POST of a rule': 'rules',
  'a POST that a rule calls idempotent': 'rules',
  'a stream that was read': 'streams',
  'a stream that was kept': 'streams',
  'a hedge that is answered first': 'hedge',
  'a hedge, and the first attempt is answered first': 'hedge',
  'two requests that are hedged one after the other': 'hedge',
  'an answer before the hedge is due': 'hedge',
  'no hedge before a request has succeeded': 'hedge',
  'two attempts that both fail': 'hedge',
  'the number of a hedge, and of the retry after it': 'hedge',
  'two attempts that both fail, and no retry is left': 'hedge',
  'two attempts that fail with hints': 'hedge',
  'two attempts that fail, and the server forbids a retry': 'hedge',
  'a hedge that fails': 'hedge',
  'a hedge and an attempt timeout': 'hedge',
  'a hedge and a deadline': 'hedge',
  'a POST is not hedged': 'hedge',
  'methods that are hedged': 'hedge',
  'a request without retries is not hedged': 'hedge, overrides',
  'no hedge after a 429': 'hedge',
  'no hedge while a hold is on': 'hedge, hold',
  'hedges are paid for by requests that succeed': 'hedge',
  'an adaptive attempt timeout': 'adaptiveTimeout',
};
