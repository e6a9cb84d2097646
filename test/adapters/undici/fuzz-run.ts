/** Plays one script to its end, and reports what was wrong. */

import { setImmediate } from 'node:timers/promises';
import type { RequestEvent } from '../../../src/core/events.js';
import type { Retrier } from '../../../src/kernel/retrier.js';
import { createRetrier } from '../../../src/parts/all.js';
import { complaintsAboutLogin, Login, openAbroad } from '../fuzz/credentials.js';
import { FastTime } from '../fuzz/fast-time.js';
import { comesTrue } from '../kit.js';
import { counted, leftInFlight, miscounted, toldEnds } from '../told-ends.js';
import { mustSucceed } from './fuzz-expected.js';
import { hooksOf } from './fuzz-hooks.js';
import { complaintsAbout } from './fuzz-oracle.js';
import type { AbortMoment, FuzzScript } from './fuzz-script.js';
import { Client, type Stage } from './fuzz-stage.js';
import { Trial } from './fuzz-trial.js';

export interface Played {
  readonly complaints: readonly string[];
  readonly trials: readonly Trial[];
  /** How many requests were hedged, by who won. */
  readonly hedged: { readonly won: number; readonly lost: number };
}

/** How much faster the policy's time runs than the clock. */
const speed = 50;
/** A hang: nothing else takes nearly as long. */
const foreverMs = 60_000;

export async function run(script: FuzzScript, stage: Stage): Promise<Played> {
  const { tokens } = script;
  const login = tokens && new Login(tokens, speed);
  await using abroad = tokens && (await openAbroad(tokens));
  const arrivals = stage.set(script, login, abroad?.origin);
  const trials = script.calls.map(
    (call, number) => new Trial(call, number, stage.lab.origin, arrivals[number] ?? []),
  );
  const everyCall = new Moments(trials);
  // Waits keep the process alive; timers that only watch do not.
  const time = new FastTime(speed, (options) => options?.unref !== true);
  time.onWait = () => everyCall.hear('wait');
  const hedged = { won: 0, lost: 0 };
  const observe = (event: RequestEvent): void => {
    trials[Number(new URL(event.request.url).pathname.slice(1))]?.events.push(event);
    if (event.type === 'decision') everyCall.hear('decision');
    if (event.type === 'settled' && event.hedgeWon !== undefined)
      hedged[event.hedgeWon ? 'won' : 'lost'] += 1;
  };
  const hooks = hooksOf(script);
  // Hedges are saved up before the script begins, in which no call may notice it.
  const retrier = createRetrier(
    {
      ...counted,
      ...script.policy,
      ...(login !== undefined && { credentials: login.credentials }),
      ...hooks,
      observe: (event) => heard(event),
    },
    time.ports,
  );
  let heard = (_event: RequestEvent): void => undefined;
  if (script.policy.hedge !== undefined) saveHedges(retrier, stage.lab.origin);
  heard = observe;
  const ends = toldEnds(retrier);
  const complaints = await play(script, stage, trials, retrier);
  const wrong = miscounted(ends);
  if (wrong.length > 0) complaints.push(`ends of bodies: ${JSON.stringify(wrong)}`);
  // A renewal goes on for the others when its callers have left.
  if (login !== undefined) await comesTrue(() => time.pending === 0);
  if (login !== undefined && abroad !== undefined) {
    const events = trials.flatMap((trial) => trial.events);
    complaints.push(...complaintsAboutLogin(login, abroad, events));
  }
  if (time.pending > 0) complaints.push(`${time.pending} timers are set`);
  const left = leftInFlight(retrier);
  if (left !== undefined) complaints.push(left);
  for (const [number, trial] of trials.entries()) {
    const about = complaintsAbout(trial, script, mustSucceed(trial.call, script));
    complaints.push(...about.map((complaint) => `call ${number}: ${complaint}`));
  }
  return { complaints, trials, hedged };
}

/** As many as there can be. */
function saveHedges(retrier: Retrier, origin: string): void {
  for (let request = 0; request < 50; request += 1) {
    const session = retrier.open({ method: 'GET', origin, path: '/', keyed: false });
    session.tail?.sent(session.attempt);
    if (session.acceptAtOnce(200)) continue;
    session.next({ kind: 'response', status: 200, headers: {} }, { replayable: true });
  }
}

async function play(
  script: FuzzScript,
  stage: Stage,
  trials: readonly Trial[],
  retrier: Retrier,
): Promise<string[]> {
  const client = new Client(script.agent);
  const { agent } = client;
  const made = async (): Promise<void> => {
    if (script.together) await Promise.all(trials.map((trial) => trial.run(agent, retrier, script.layer)));
    else for (const trial of trials) await trial.run(agent, retrier, script.layer);
  };
  // Some callers leave before their request is over: close() waits for it, and destroy() ends it.
  const complaints = [
    ...(await hangs('a call', made())),
    ...(await hangs(`${script.ends}()`, script.ends === 'close' ? agent.close() : agent.destroy())),
    ...(await hangs('destroy() after all', agent.destroy())),
    ...(await hangs("a socket of the client's", client.closed())),
    ...(await hangs("a socket of the server's", stage.clear())),
  ];
  stage.lab.hangUp('rst');
  await setImmediate();
  return complaints;
}

async function hangs(what: string, work: Promise<unknown>): Promise<string[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(resolve, foreverMs, [`${what} hangs`]);
  });
  const complaints = await Promise.race([work.then(() => []), late]);
  clearTimeout(timer);
  return complaints;
}

/** Passes events to all calls of a script, since a retrier does not say which call an event is from. */
class Moments {
  readonly #trials: readonly Trial[];
  readonly #counts = new Map<AbortMoment, number>();

  constructor(trials: readonly Trial[]) {
    this.#trials = trials;
  }

  hear(moment: AbortMoment): void {
    const n = (this.#counts.get(moment) ?? 0) + 1;
    this.#counts.set(moment, n);
    for (const trial of this.#trials) trial.hear(moment, n);
  }
}
