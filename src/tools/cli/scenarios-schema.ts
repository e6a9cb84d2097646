/** What a scenario file may look like. Only keywords that the policy check knows, too: it reads both. */

import type { JsonSchema } from '../../internal.js';
import type { Clients, Fault, ServerModel } from '../sim/index.js';

/** An hour of virtual time is minutes of real time, with many clients. */
const longestMs = 3_600_000;
const most = 100_000;

const ms: JsonSchema = { type: 'number', minimum: 0, maximum: longestMs };
const someMs: JsonSchema = { type: 'number', minimum: 1, maximum: longestMs };
const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
const rate: JsonSchema = { type: 'number', minimum: 0.001, maximum: most };
const rateOrNone: JsonSchema = { ...rate, minimum: 0 };
const text: JsonSchema = { type: 'string', pattern: '\\S', title: 'a text that is not blank' };
const path: JsonSchema = { type: 'string', pattern: '^/', title: 'a path, like "/search"' };
const origin: JsonSchema = {
  type: 'string',
  pattern: '^https?://[^/?#@]+$',
  title: 'an origin, like "https://api.github.com"',
};
const status: JsonSchema = { type: 'integer', minimum: 100, maximum: 599 };

/** Has a check of its own, to which it has gone by now: only the name is left to be known. */
const apart: JsonSchema = {};

type Properties = Readonly<Record<string, JsonSchema>>;

/** Objects that are known by their `kind`. */
type Kinds = Readonly<Record<string, Kind>>;

interface Kind {
  readonly needs: Properties;
  readonly may?: Properties;
}

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

function kinds(all: Kinds): JsonSchema {
  return {
    anyOf: Object.entries(all).map(([kind, { needs, may }]) =>
      object({ kind: { const: kind }, ...needs }, may),
    ),
  };
}

const answer: JsonSchema = {
  title: '"silence", "reset" or { "status": … }',
  anyOf: [{ enum: ['silence', 'reset'] }, object({ status }, { headers: apart, body: { type: 'string' } })],
};

const times: JsonSchema = { type: 'number', minimum: 1, maximum: most };

const latency: JsonSchema = {
  title: 'ms, or { "medianMs", "spread" }',
  anyOf: [
    ms,
    object(
      { medianMs: ms, spread: { type: 'number', minimum: 0, maximum: 5 } },
      { tail: object({ share, times }, { of: { enum: ['attempt', 'request'] } }) },
    ),
  ],
};

const hintSeconds: JsonSchema = { type: 'integer', minimum: 0, maximum: 3_600 };
const weight: JsonSchema = { type: 'number', minimum: 0, maximum: most };

const plainServers = {
  crowded: {
    needs: {
      baseMs: ms,
      limit: count(0),
      factor: { type: 'number', minimum: 1, maximum: 100 },
      step: count(1),
      checkMs: someMs,
    },
  },
  queue: {
    needs: { workers: count(1), places: count(0), serviceMs: latency },
    may: { waits: { type: 'boolean' }, retryAfter: { anyOf: [{ const: false }, hintSeconds] } },
  },
  slowing: { needs: { baseMs: ms, eachMs: ms } },
  limited: {
    needs: {
      latencyMs: ms,
      // Two of the four: which, the check of the file says.
      limit: object({}, { perSecond: rate, burst: count(1), permits: count(1), windowMs: someMs }),
      retryAfter: { anyOf: [{ const: 'exact' }, { const: false }, hintSeconds] },
    },
    may: { refusalMs: ms, status },
  },
  flaky: {
    needs: { latencyMs: latency, share, status },
    may: { retryAfter: { anyOf: [{ const: false }, hintSeconds] } },
  },
  scripted: { needs: { answers: listOf(object({ answer }, { afterMs: ms })) } },
} satisfies Partial<Record<ServerModel['kind'], Kind>>;

const phase = object({ fromMs: ms, server: kinds(plainServers) });
const changingServer = { changing: { needs: { phases: listOf(phase) }, may: { everyMs: someMs } } };

const backend = object({ server: kinds({ ...plainServers, ...changingServer }) }, { weight });
const balancedServer = { balanced: { needs: { backends: listOf(backend) } } };

const pathServer = kinds({ ...plainServers, ...changingServer, ...balancedServer });
const routedServer = {
  routed: { needs: { routes: listOf(object({ path, server: pathServer })), otherwise: pathServer } },
};

const server = kinds({
  ...plainServers,
  ...changingServer,
  ...balancedServer,
  ...routedServer,
} satisfies Record<ServerModel['kind'], Kind>);

const lasting = { fromMs: ms, forMs: someMs };

const fault = kinds({
  stop: { needs: lasting, may: { pauses: object({ everyMs: someMs, pauseMs: someMs }) } },
  crash: { needs: lasting },
  reset: { needs: lasting, may: { everyMs: someMs } },
  slow: { needs: { ...lasting, times } },
  flap: { needs: { ...lasting, downMs: someMs, upMs: someMs } },
  lose: { needs: { ...lasting, share } },
} satisfies Record<Fault['kind'], Kind>);

const crowd: Properties = {
  processes: count(1),
  timeoutMs: someMs,
  method: text,
  keyed: { type: 'boolean' },
  routes: listOf(object({ path, weight }, { origin, guilty: { type: 'boolean' } })),
  deadlineMs: someMs,
  leaving: object({ afterMs: ms }, { share }),
};

const crowds = kinds({
  closed: { needs: { count: count(1), thinkMs: someMs }, may: { ...crowd, requests: count(1) } },
  open: {
    needs: {
      count: count(1),
      perSecond: {
        title: 'a number from 0.001 to 100000, or a list of { "fromMs", "perSecond" }',
        anyOf: [rate, listOf(object({ fromMs: ms, perSecond: rateOrNone }))],
      },
    },
    may: crowd,
  },
  burst: { needs: { count: count(1), atMs: ms }, may: { ...crowd, everyMs: someMs } },
} satisfies Record<Clients['kind'], Kind>);

const clients: JsonSchema = { anyOf: [crowds, listOf(crowds)] };

const service = object(
  { server },
  {
    faults: { ...listOf(fault), minItems: 0 },
    backlog: count(0),
    timeoutMs: someMs,
    policy: apart,
    onward: path,
  },
);

const scenario = object(
  {
    world: object({ durationMs: { ...someMs, minimum: 2_000 }, services: listOf(service) }, { warmUpMs: ms }),
    clients,
  },
  { name: text, title: text, policies: listOf({ anyOf: [text, object({ name: text }, { policy: apart })] }) },
);

/** Inside of an object, so that no place in it is one where a policy may have a function. */
export const scenarioSchema: JsonSchema = object({ scenario });
