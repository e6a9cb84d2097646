/** What a scenario file may look like. Only keywords that the policy check knows, too: it reads both. */

import type { JsonSchema } from '../core/check/schema.js';
import type { Fault, ServerModel } from '../sim/index.js';

/** An hour of virtual time is minutes of real time, with many clients. */
const longestMs = 3_600_000;
const most = 100_000;

const ms: JsonSchema = { type: 'number', minimum: 0, maximum: longestMs };
const someMs: JsonSchema = { type: 'number', minimum: 1, maximum: longestMs };
const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
const rate: JsonSchema = { type: 'number', minimum: 0.001, maximum: most };
const text: JsonSchema = { type: 'string', pattern: '\\S', title: 'a text that is not blank' };
const status: JsonSchema = { type: 'integer', minimum: 100, maximum: 599 };

/** Has a check of its own, to which it has gone by now: only the name is left to be known. */
const apart: JsonSchema = {};

type Properties = Readonly<Record<string, JsonSchema>>;

function count(minimum: number): JsonSchema {
  return { type: 'integer', minimum, maximum: most };
}

function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items, minItems: 1 };
}

function object(properties: Properties, optional: Properties = {}): JsonSchema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function kinds(all: Readonly<Record<string, Properties>>): JsonSchema {
  return {
    anyOf: Object.entries(all).map(([kind, properties]) => object({ kind: { const: kind }, ...properties })),
  };
}

const answer: JsonSchema = {
  title: '"silence", "reset" or { "status": … }',
  anyOf: [{ enum: ['silence', 'reset'] }, object({ status }, { headers: apart })],
};

const server = kinds({
  crowded: {
    baseMs: ms,
    limit: count(0),
    factor: { type: 'number', minimum: 1, maximum: 100 },
    step: count(1),
    checkMs: someMs,
  },
  queue: { workers: count(1), places: count(0), serviceMs: ms },
  slowing: { baseMs: ms, eachMs: ms },
  limited: {
    latencyMs: ms,
    // Two of the four: which, the check of the file says.
    limit: object({}, { perSecond: rate, burst: count(1), permits: count(1), windowMs: someMs }),
    retryAfter: {
      anyOf: [{ const: 'exact' }, { const: false }, { type: 'integer', minimum: 0, maximum: 3_600 }],
    },
  },
  flaky: { latencyMs: ms, share, status },
  scripted: { answers: listOf(object({ answer }, { afterMs: ms })) },
} satisfies Record<ServerModel['kind'], Properties>);

const lasting = { fromMs: ms, forMs: someMs };

const fault = kinds({
  stop: lasting,
  crash: lasting,
  slow: { ...lasting, times: { type: 'number', minimum: 1, maximum: most } },
  flap: { ...lasting, downMs: someMs, upMs: someMs },
  lose: { ...lasting, share },
} satisfies Record<Fault['kind'], Properties>);

const crowd: Properties = {
  processes: count(1),
  timeoutMs: someMs,
  method: text,
  keyed: { type: 'boolean' },
};

const clients: JsonSchema = {
  anyOf: [
    object({ kind: { const: 'closed' }, count: count(1), thinkMs: someMs }, crowd),
    object(
      {
        kind: { const: 'open' },
        count: count(1),
        perSecond: {
          title: 'a number from 0.001 to 100000, or a list of { "fromMs", "perSecond" }',
          anyOf: [rate, listOf(object({ fromMs: ms, perSecond: rate }))],
        },
      },
      crowd,
    ),
  ],
};

const service = object(
  { server },
  { faults: { ...listOf(fault), minItems: 0 }, backlog: count(0), timeoutMs: someMs, policy: apart },
);

const scenario = object(
  {
    world: object({ durationMs: { ...someMs, minimum: 2_000 }, services: listOf(service) }),
    clients,
  },
  { name: text, title: text, policies: listOf({ anyOf: [text, object({ name: text }, { policy: apart })] }) },
);

/** Inside of an object, so that no place in it is one where a policy may have a function. */
export const scenarioSchema: JsonSchema = object({ scenario });
