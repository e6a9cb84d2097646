/** Counts how often the interesting cases occurred: a fuzz that never reaches them proves nothing. */

import { freshAttemptsIn, hasFailedRenewal } from '../fuzz/credentials.js';
import type { Played } from './fuzz-run.js';
import type { Trial } from './fuzz-trial.js';

const events = {
  'whole with fresh credentials': ({ got, events }) => got.isWhole && freshAttemptsIn(events) > 0,
  'renewal failed': hasFailedRenewal,
  'whole at once': ({ witness, got }) => got.isWhole && witness.attempts === 1,
  'whole after a retry': ({ witness, got }) => got.isWhole && witness.attempts > 1,
  resumed: (trial) => trial.got.isWhole && asksForRest(trial),
  'resumed more than once': (trial) =>
    trial.got.isWhole && trial.arrivals.filter(({ request }) => 'if-range' in request.headers).length > 1,
  'broken for good': ({ witness }) => witness.end === 'error' && witness.bytes.length > 0,
  'failed without a head': ({ witness }) => witness.end === 'error' && witness.head === undefined,
  'aborted before an attempt': ({ attemptsAtAbort }) => attemptsAtAbort === 0,
  'aborted after a retry': ({ attemptsAtAbort }) => (attemptsAtAbort ?? 0) > 1,
  'body replayed': ({ call, arrivals }) => call.body.bytes > 0 && arrivals.filter(isComplete).length > 1,
  'stream replayed': ({ call, arrivals }) =>
    /generator|readable/.test(call.body.form) &&
    call.body.bytes > 0 &&
    arrivals.filter(isComplete).length > 1,
  'write sent once': ({ call, arrivals, got }) =>
    call.method === 'POST' && arrivals.length === 1 && !got.isWhole,
  'write retried': ({ call, arrivals }) => call.method === 'POST' && arrivals.length > 1,
  'write sent away': ({ call, arrivals, asked }) => call.method === 'POST' && arrivals.length > asked.length,
  'body cut on its way': ({ call, arrivals }) =>
    call.body.bytes > 0 && arrivals.some((each) => !isComplete(each)),
} satisfies Readonly<Record<string, (trial: Trial) => boolean>>;

type EventName = keyof typeof events;

function asksForRest({ arrivals }: Trial): boolean {
  return arrivals.some(({ request }) => 'if-range' in request.headers);
}

function isComplete({ request }: Trial['arrivals'][number]): boolean {
  return request.complete;
}

export class Tally {
  #calls = 0;
  readonly #counts = new Map<EventName, number>();

  readonly #hedged = { won: 0, lost: 0 };

  add({ trials, hedged }: Played): void {
    this.#hedged.won += hedged.won;
    this.#hedged.lost += hedged.lost;
    for (const trial of trials) {
      this.#calls += 1;
      for (const [name, happened] of Object.entries(events)) {
        const event = name as EventName;
        if (happened(trial)) this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
      }
    }
  }

  get missing(): string[] {
    const { won, lost } = this.#hedged;
    return [
      ...Object.keys(events).filter((name) => !this.#counts.has(name as EventName)),
      ...(won === 0 ? ['hedge won'] : []),
      ...(lost === 0 ? ['hedge lost'] : []),
    ];
  }

  toString(): string {
    const counts = [...this.#counts].map(([name, count]) => `${name} ${count}`);
    const { won, lost } = this.#hedged;
    return [`${this.#calls} calls`, ...counts, `hedge won ${won}`, `hedge lost ${lost}`].join(', ');
  }
}
