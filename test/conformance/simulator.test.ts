/** The scenarios through the simulator's traffic, stations and scripted servers, on its clock. */

import { createRetrier } from '../../src/index.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import type { Session } from '../../src/kernel/session.js';
import { Agenda } from '../../src/tools/sim/agenda.js';
import { asking } from '../../src/tools/sim/asking.js';
import type { Caller, Exchange } from '../../src/tools/sim/exchange.js';
import type { Strategy } from '../../src/tools/sim/pursuit.js';
import type { Route } from '../../src/tools/sim/routes.js';
import { Scripted } from '../../src/tools/sim/servers/scripted.js';
import { Station, type StationParts } from '../../src/tools/sim/station.js';
import { Tally } from '../../src/tools/sim/tally.js';
import type { Step } from '../../src/tools/sim/trace.js';
import { Traffic } from '../../src/tools/sim/traffic.js';
import { Visits } from '../../src/tools/sim/visits.js';
import type { ScriptedAnswer } from '../../src/tools/sim/world.js';
import { conforms } from './conform.js';
import { policyOf } from './functions.js';
import { observed, type RequestRecord, type Sent } from './record.js';
import {
  defaultUrl,
  diceOf,
  type End,
  epochMs,
  type Scenario,
  type ScenarioAttempt,
  type ScenarioRequest,
} from './scenario.js';

/** Longer than any scenario takes. */
const seconds = 3_600;

/** The caller of one request, which has its server to itself. */
class Customer implements Caller {
  readonly route: Route;
  readonly override = undefined;
  readonly strategies: readonly Strategy[];
  readonly forbiddenUntil = new Float64Array(1);
  readonly timeoutMs = undefined;
  readonly station: Station;
  readonly #request: ScenarioRequest;
  readonly #sent: Sent[] = [];
  #session: Session | undefined;
  #got: End['with'] = 'nothing';
  #ends: End | undefined;

  constructor(request: ScenarioRequest, retrier: Retrier, parts: Omit<StationParts, 'serverOf'>) {
    this.#request = request;
    this.route = { facts: factsOf(request), guilty: false, tally: new Tally(seconds, 1) };
    const override = request.retry === false ? ({ retry: false } as const) : request.retry;
    const open: Strategy['open'] = (facts) => {
      this.#session = retrier.open(facts, override);
      return asking(this.#session);
    };
    this.strategies = [{ open }];
    const [first = unexpected, ...others] = request.attempts.map(scripted);
    const serverOf: StationParts['serverOf'] = (host) =>
      new Scripted({ kind: 'scripted', answers: [first, ...others] }, host);
    this.station = new Station({ ...parts, serverOf });
  }

  routeFor(): Route {
    return this.route;
  }

  patienceFor(): number {
    return Infinity;
  }

  get record(): RequestRecord {
    if (this.#ends === undefined) throw new Error('the request waits for what nothing brings about');
    return observed(this.#request, this.#sent, this.#session?.history, this.#ends);
  }

  heed(atMs: number, step: Step): void {
    if (step === 'sent' || step === 'hedged') this.#sent.push({ atMs, headers: {} });
    else if (typeof step === 'object') this.#got = codeOf(step);
    else if (step in refusals) this.#got = refusals[step] ?? step;
    else this.#ends = { with: this.#decided ?? this.#got, atMs };
  }

  /** Of two attempts, the one that ended first may have decided. */
  get #decided(): End['with'] | undefined {
    const { action, finding } = this.#session?.history.at(-1)?.decision ?? {};
    if (action !== 'stop' || finding === undefined) return undefined;
    return finding.kind === 'response' ? finding.status : finding.code;
  }

  ended(): void {
    // The trace records it, with the time.
  }
}

/** The errors of adapters when an attempt is not admitted. */
const refusals: Readonly<Record<string, string>> = {
  'gate-shut': 'ERR_UNDAUNTED_GATE_SHUT',
  'gate-full': 'ERR_UNDAUNTED_GATE_SHUT',
  held: 'ERR_UNDAUNTED_HELD',
  crowded: 'ERR_UNDAUNTED_CONCURRENCY',
};

function codeOf(outcome: Exclude<Step, string>): End['with'] {
  return outcome.kind === 'response' ? outcome.status : (outcome.error as { readonly code: string }).code;
}

function factsOf({ method = 'GET', url = defaultUrl, headers = {} }: ScenarioRequest): Route['facts'] {
  const { origin, pathname, search } = new URL(url);
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const header = (name: string): string | undefined => values.get(name);
  return { method, origin, path: pathname + search, keyed: values.has('idempotency-key'), header };
}

/** The answer to an attempt that the scenario does not expect. */
const unexpected: ScriptedAnswer = { answer: { status: 200 } };

function scripted({ answer, headers, body, afterMs = 0 }: ScenarioAttempt): ScriptedAnswer {
  if (answer === 'cut') return { afterMs, answer: { status: 200 } };
  if (typeof answer === 'string') return { afterMs, answer };
  return {
    afterMs,
    answer: {
      status: answer,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
    },
  };
}

function play(scenario: Scenario): RequestRecord[] {
  const agenda = new Agenda();
  const heed = (atMs: number, { caller }: Exchange, step: Step): void =>
    (caller as Customer).heed(atMs, step);
  const traffic = new Traffic(agenda, heed);
  const retrier = createRetrier(policyOf(scenario), {
    now: () => agenda.now,
    date: () => epochMs + agenda.now,
    random: diceOf(scenario),
  });
  const parts = { agenda, traffic, visits: new Visits(), backlog: 0, seconds };
  const customers = scenario.requests.map((request) => new Customer(request, retrier, parts));
  const start = (index: number): void => traffic.start(customers[index] as Customer, 0, 0, 0);
  for (const [index, { atMs = 0 }] of scenario.requests.entries()) agenda.at(atMs, start, index, 0);
  agenda.run(seconds * 1_000);
  return customers.map(({ record }) => record);
}

/** No records: a function of the scenario waits, which nothing does here. */
function playUnlessLater(scenario: Scenario): RequestRecord[] {
  try {
    return play(scenario);
  } catch (error) {
    if (/in a simulation, retryIf cannot be async/.test(String(error))) return [];
    throw error;
  }
}

conforms('simulator', async (scenario) => playUnlessLater(scenario));
