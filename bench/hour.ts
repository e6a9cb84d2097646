/**
 * An hour of traffic in virtual time, through the undici adapter with all features on: five million requests to ten
 * thousand origins, with one 503 in a hundred answers. Heap, scopes and timers must not grow, and the last requests must
 * cost as much as the first ones. Needs `--expose-gc`.
 */

import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import type { Retrier } from '../src/index.js';
import { createRetrier, presets } from '../src/index.js';
import { type Dice, diceOf } from '../src/tools/sim/internal.js';
import { held } from './held.js';
import { amountOf, cpuSince, median, ratioTo, roundsOf } from './measure.js';
import { answerOf, CountingHandler, memoryDispatcher } from './memory-dispatcher.js';
import type { Row } from './row.js';
import { VirtualPorts } from './virtual-ports.js';

const hourMs = 3_600_000;
const requests = amountOf(5_000_000);
const requestsPerRound = amountOf(100_000);
/** The first rounds fill the bounded caches and warm up the compiler. */
const warmUpRounds = roundsOf(10);
const shareOfFailures = 0.01;
const origins = Array.from({ length: 10_000 }, (_, index) => `https://service-${index}.example`);
const defaultScopes = 1_000;

interface Moment {
  readonly bytes: number;
  readonly scopes: number;
  readonly timers: number;
  readonly ns: number;
}

export function benchHour(): Row[] {
  return [...rowsFor(defaultScopes), ...rowsFor(origins.length)];
}

function rowsFor(maxScopes: number): Row[] {
  const hour = new Hour(maxScopes);
  const rounds = roundsOf(requests / requestsPerRound - warmUpRounds);
  for (let round = 0; round < warmUpRounds; round += 1) hour.pass();
  const moments = Array.from({ length: rounds }, () => hour.pass());
  const quarter = Math.ceil(rounds / 4);
  const [early, late] = [moments.slice(0, quarter), moments.slice(-quarter)];
  const of = (some: readonly Moment[], key: keyof Moment) => some.map((moment) => moment[key]);
  const most = (key: keyof Moment): number => Math.max(...of(moments, key));
  const title = `maxScopes ${maxScopes.toLocaleString('en')}`;
  const spent = ratioTo('that in the first quarter', of(late, 'ns'), of(early, 'ns'));
  const grown = ratioTo('that in the first quarter', of(late, 'bytes'), of(early, 'bytes'));
  return [
    {
      name: `${title}: heap`,
      value: median(of(late, 'bytes')) / 2 ** 20,
      unit: 'MiB',
      ratio: grown,
      atMost: 1.02,
    },
    { name: `${title}: a request`, value: median(of(late, 'ns')), unit: 'ns of CPU', ratio: spent },
    { name: `${title}: most scopes`, value: most('scopes'), unit: '', atMost: maxScopes },
    {
      name: `${title}: most timers after a round`,
      value: most('timers'),
      unit: '',
      note: `first: ${moments[0]?.timers}`,
    },
    { name: `${title}: timers when all is done`, value: hour.end().timers, unit: '', atMost: 0 },
    { name: `${title}: scopes ten minutes later`, value: hour.end().scopes, unit: '', atMost: 0 },
  ];
}

class Hour {
  private readonly ports: VirtualPorts = new VirtualPorts();
  private readonly dice: Dice = diceOf(2, 2);
  private readonly retrier: Retrier;
  private readonly dispatcher: Dispatcher;

  constructor(maxScopes: number) {
    const [fine, busy] = [answerOf(200, 1), answerOf(503, 1)];
    const server = memoryDispatcher(() => (this.dice() < shareOfFailures ? busy : fine));
    this.retrier = createRetrier({ ...presets.policies.service, maxScopes }, this.ports);
    this.dispatcher = server.compose(retry(this.retrier));
  }

  /** Plays one round. */
  pass(): Moment {
    const { ports, dice, dispatcher } = this;
    const started = process.cpuUsage();
    for (let sent = 0; sent < requestsPerRound; sent += 1) {
      ports.pass(ports.now() + hourMs / requests);
      const origin = origins[Math.floor(dice() * origins.length)] ?? '';
      dispatcher.dispatch({ origin, path: '/things/1', method: 'GET' }, new CountingHandler() as never);
    }
    const ns = cpuSince(started) / requestsPerRound;
    return { ...this.moment(), ns };
  }

  /** Plays the time long after the last request. */
  end(): Moment {
    this.ports.pass(this.ports.now() + this.retrier.policy.scopeIdleMs * 1.5);
    return { ...this.moment(), ns: 0 };
  }

  private moment(): Omit<Moment, 'ns'> {
    const { scopes } = this.retrier.snapshot();
    return { bytes: held(), scopes: scopes.length, timers: this.ports.timers };
  }
}
