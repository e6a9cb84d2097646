/** The days of the slow tail, and what is compared on them. */

import type { PolicyOptions } from '../../src/index.js';
import { presets } from '../../src/index.js';
import type { Contender, Day } from '../../src/tools/sim/index.js';
import { tailDays as days, hedgingAtP99, peers, tcpTimeouts } from '../../src/tools/sim/index.js';

const { service } = presets.policies;
const hedge: PolicyOptions['hedge'] = { quantile: 0.5, factor: 4 };
const attemptTimeoutMs: PolicyOptions['attemptTimeoutMs'] = { quantile: 0.95, factor: 2, maxMs: 2_000 };

export const tailContenders = {
  'no retry': peers.noRetry,
  'undaunted: defaults': {},
  'defaults, hedge': { hedge },
  'undaunted: `service`': service,
  '`service`, hedge': { ...service, hedge },
  '`service`, hedge, share 0.15': { ...service, hedge: { ...hedge, share: 0.15 } },
  '`service`, timeouts that learn': { ...service, attemptTimeoutMs },
  '`service`, both': { ...service, hedge, attemptTimeoutMs },
  'a second attempt at the 99th percentile': hedgingAtP99,
  'TCP’s timeouts': tcpTimeouts,
} as const satisfies Readonly<Record<string, Contender>>;

export type TailContender = keyof typeof tailContenders;

export interface TailRow {
  /** For the command line. */
  readonly name: string;
  readonly about: string;
  readonly day: Day;
}

const twenty = { share: 0.05, times: 20 } as const;
const { oneInAHundred } = days;
const rates = [10, 100, 1_000] as const;

function row(name: string, about: string, day: Day): TailRow {
  return { name, about, day };
}

export const tailRows: readonly TailRow[] = [
  row(
    'slow-1',
    '1 % of the answers take 100 times as long, 100 requests a second',
    days.slowTail(oneInAHundred, 100),
  ),
  row('slow-5', '5 % of the answers take 20 times as long, 100 a second', days.slowTail(twenty, 100)),
  row('backend', 'One of ten backends is 50 times as slow, 100 a second', days.slowBackend(10, 50, 100)),
  row('pauses', 'Nothing runs for 200 ms, every 5 s, 100 a second', days.pauses(5_000, 200, 100)),
  ...rates.map((rate) =>
    row(
      `nature-${rate}`,
      `1 % of the requests take 100 times as long on every server, ${rate} a second`,
      days.slowByNature(oneInAHundred, rate),
    ),
  ),
  ...rates.flatMap((rate) => [
    row(
      `minute-${rate}`,
      `Everything takes 3 times as long for a minute, ${rate} a second`,
      days.slowMinute(3, rate),
    ),
    row(
      `minute-tail-${rate}`,
      `The same, and 1 % of the answers take 100 times as long`,
      days.slowMinute(3, rate, oneInAHundred),
    ),
  ]),
  ...[16, 64].flatMap((workers) =>
    [0.5, 0.8, 0.95].map((share) =>
      row(
        `busy-${workers}-${100 * share}`,
        `${workers} workers, ${100 * share} % busy; 1 % of the answers take 100 times as long`,
        days.busy(workers, share),
      ),
    ),
  ),
];
