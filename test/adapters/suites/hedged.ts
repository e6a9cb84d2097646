/** For suites about hedges: a client that knows how long answers take and has hedges saved up, in the test's own time. */

import type { PolicyOptions, RequestEvent, Retrier } from '../../../src/index.js';
import { createRetrier } from '../../../src/index.js';
import type { Scope } from '../../../src/kernel/scope.js';
import type { Answer, AnswerStep, HeaderFields, Lab, Play } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import type { Asked, Reply, Way } from './subject.js';

/** After so long without an answer, a hedge is sent. Different from every other time that a test waits for. */
export const hedgeMs = 80;

/** The wait before a retry. */
export const retryMs = 7;

export interface Warmed {
  readonly time: HandTime;
  readonly retrier: Retrier;
  /** What listeners were told, in short. */
  readonly told: readonly string[];
}

export interface Hedging extends Warmed {
  /** Never rejects. */
  readonly ask: (url: string, asked?: Asked) => Promise<{ readonly value?: Reply; readonly error?: unknown }>;
}

export function hedging(way: Pick<Way, 'client'>, policy: PolicyOptions = {}): Hedging {
  const warmed = warmedUp(policy);
  const send = way.client(warmed.retrier);
  return { ...warmed, ask: (url, asked) => settled(send(url, asked)) };
}

/** A retrier that may send hedges at once. */
export function warmedUp(policy: PolicyOptions = {}): Warmed {
  const time = new HandTime();
  const told: string[] = [];
  const schedule = { kind: 'fixed', waitMs: retryMs, jitter: 'none' } as const;
  const options: PolicyOptions = {
    ...{ hedge: { afterMs: hedgeMs }, scope: 'hedged', attemptHeader: true },
    ...{ schedule, throttledSchedule: schedule, hintJitter: 0 },
    ...policy,
    observe: (event) => told.push(brief(event)),
  };
  const retrier = createRetrier(options, time.ports);
  warm(retrier, time);
  told.length = 0;
  return { time, retrier, told };
}

/** Lets the retrier's scope learn that answers take 20 ms, and saves up as many hedges as there can be. */
export function warm(retrier: Retrier, time: HandTime, count = 200): void {
  for (let request = 0; request < count; request += 1) {
    const session = retrier.open({ method: 'GET', path: '/', origin: 'http://127.0.0.1', keyed: false });
    session.tail?.sent(session.attempt);
    time.now += 20;
    if (session.acceptAtOnce(200)) continue;
    session.next({ kind: 'response', status: 200, headers: {} }, { replayable: true });
  }
}

function brief(event: RequestEvent): string {
  if (event.type === 'hedge') return `hedge ${event.attempt} after ${event.afterMs}`;
  if (event.type === 'decision') return `${event.decision.attempt} ${event.decision.reason}`;
  if (event.type === 'renewal') return `renewal ${event.ok ? 'succeeded' : 'failed'}`;
  const won = event.hedgeWon === undefined ? '' : `, hedge ${event.hedgeWon ? 'won' : 'lost'}`;
  return `settled ${event.outcome} after ${event.attempts}${won}`;
}

/** A request whose two attempts have reached the server. */
export async function bothOut(
  way: Way,
  plays: readonly [Play, Play, ...Play[]],
  policy: PolicyOptions = {},
  asked: Asked = {},
): Promise<Hedging & { readonly lab: Lab; readonly answered: ReturnType<Hedging['ask']> }> {
  const lab = await openLab(plays);
  const stage = hedging(way, policy);
  const answered = stage.ask(lab.origin, asked);
  await lab.until(({ requests }) => requests.length === 1);
  await stage.time.fire(hedgeMs);
  await lab.until(({ requests }) => requests.length === 2);
  return { ...stage, lab, answered };
}

/** Answers once the test calls `lab.cue(name)`. */
export function onCue(name: string, { steps, ...play }: Answer): Answer {
  const wait: AnswerStep = { do: 'cue', name };
  return { ...play, steps: [wait, ...steps] };
}

/** The numbers that attempts had in their headers, in order of arrival; 0 for the first one, which has none. */
export function numbersIn(requests: readonly { readonly headers: HeaderFields }[]): number[] {
  return requests.map(({ headers }) => Number(headers['retry-attempt'] ?? 0));
}

/** How many attempts the estimate knows. */
export function learntFrom(retrier: Retrier): number {
  const { rule, scope } = retrier.open({ method: 'GET', path: '/', origin: undefined, keyed: false });
  const state = (scope as Scope).latencies?.of(rule).state;
  if (state === undefined) return 0;
  const { inBatch, learnt } = state;
  const { whole, cut } = learnt.all;
  return [...whole, ...cut].reduce((sum, count) => sum + count, inBatch);
}
