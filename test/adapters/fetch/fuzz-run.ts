/** Plays one script to its end on a lab of its own, and reports what was wrong. */

import { withRetry } from '../../../src/adapters/fetch/index.js';
import { createRetrier, type RequestEvent, type Retrier } from '../../../src/index.js';
import { rst, startLab } from '../../faults/lab.js';
import { complaintsAboutLogin, isStale, Login, openAbroad, stalePlays } from '../fuzz/credentials.js';
import { hedgesIn, saveHedges } from '../fuzz/hedges.js';
import { hooksOf } from '../fuzz/hooks.js';
import { playOf } from '../fuzz/plays.js';
import { allHaveArrived, deadOrigin, fastTime, hangs, speed } from '../fuzz/stage.js';
import { comesTrue } from '../kit.js';
import { counted, leftInFlight, miscounted, type ToldEnd, toldEnds } from '../told-ends.js';
import { undici } from './client.js';
import { complaintsAbout, differences, isBareDue } from './fuzz-oracle.js';
import { platforms, wrapped } from './fuzz-platform.js';
import type { FuzzScript } from './fuzz-script.js';
import { Trial } from './fuzz-trial.js';

export async function run(script: FuzzScript): Promise<readonly [readonly string[], readonly Trial[]]> {
  const trials = script.calls.map((call) => new Trial(call));
  const bare = script.calls.map((call) => (isBareDue(call, script) ? new Trial(call) : undefined));
  const trialAt = (path: string): Trial | undefined => {
    const [, isBare, number] = /^\/(b?)(\d+)/.exec(path) ?? [];
    return (isBare === 'b' ? bare : trials)[Number(number)];
  };
  const { tokens } = script;
  const login = tokens && new Login(tokens, speed);
  await using abroad = tokens && (await openAbroad(tokens));
  await using lab = await startLab((request) => {
    const trial = trialAt(request.path);
    const { plays } = trial?.call ?? { plays: [] };
    const answered = trial?.arrivals.filter(({ play }) => !isStale(play)) ?? [];
    const index = Math.min(answered.length, plays.length - 1);
    const isRefused = trial !== undefined && login?.refuses(request) === true;
    const play = isRefused ? stalePlays[tokens?.at ?? 'body'] : plays[index];
    if (play === undefined) return rst();
    trial?.arrivals.push({ request, play });
    if (script.wrapper === 'none') trial?.hear('attempt', trial.asked.length);
    return playOf(play, index, { path: request.path, deadOrigin: abroad?.origin ?? deadOrigin });
  });
  const platform = platforms[script.doFetch];
  const agent = script.doFetch === 'undici' ? new undici.Agent() : undefined;
  const send = wrapped(script.wrapper, platform);
  const counting: typeof fetch = (input, init) => {
    const sent = send(input, init);
    const trial = trialAt(new URL(addressOf(input)).pathname);
    if (trial === undefined) return sent;
    trial.sent += 1;
    trial.hear('attempt', trial.sent);
    return sent.then(
      (response) => {
        trial.given.push(response);
        return response;
      },
      (error: unknown) => {
        trial.given.push(error);
        throw error;
      },
    );
  };
  const time = fastTime();
  time.onWait = () => {
    for (const trial of trials) trial.hear('wait', time.waits);
  };
  const beneath = script.wrapper === 'none' ? platform.send : counting;
  const observe = (event: RequestEvent): void => {
    const trial = trialAt(new URL(event.request.url).pathname);
    trial?.events.push(event);
    if (event.type === 'decision') trial?.hear('decision', event.decision.attempt);
  };
  const retrier = createRetrier(
    {
      ...(isCounted(script) && counted),
      ...script.policy,
      ...(login !== undefined && { credentials: login.credentials }),
      ...hooksOf(script, abroad?.origin),
      observe,
    },
    time.ports,
  );
  saveHedges(retrier, lab.origin);
  const ends = endsIn(script, retrier);
  const retrying = withRetry(beneath, retrier) as typeof fetch;

  const runs = trials.map(
    (trial, number) => () => trial.run(retrying, `${lab.origin}/${number}`, number, platform, agent),
  );
  const callAll = async (): Promise<void> => {
    if (script.together) await Promise.all(runs.map((each) => each()));
    else for (const each of runs) await each();
    for (const [number, trial] of bare.entries()) {
      await trial?.run(beneath, `${lab.origin}/b${number}`, number, platform, agent);
    }
  };
  const complaints = await hangs('a call', callAll());
  if (!(await comesTrue(() => time.pending === 0))) complaints.push(`${time.pending} timers are set`);
  if (!(await comesTrue(() => miscounted(ends).length === 0)))
    complaints.push(`ends of bodies: ${JSON.stringify(miscounted(ends))}`);
  if (!(await comesTrue(() => leftInFlight(retrier) === undefined)))
    complaints.push(String(leftInFlight(retrier)));
  if (agent !== undefined) complaints.push(...(await hangs('a connection', agent.close())));
  complaints.push(...(await hangs('the queue', allHaveArrived(lab))));
  const events = trials.flatMap((trial) => trial.events);
  if (login !== undefined && abroad !== undefined)
    complaints.push(...complaintsAboutLogin(login, abroad, events));
  for (const [number, trial] of trials.entries()) {
    const other = bare[number];
    const found = [
      ...complaintsAbout(trial, script, platform),
      // The bare fetch sends one attempt.
      ...(other === undefined || hedgesIn(trial) > 0 ? [] : differences(trial, other)),
    ];
    complaints.push(...found.map((each) => `call ${number}: ${each}`));
  }
  return [complaints, trials];
}

/** Of every other script: without a limit that waits for the end, a plain request takes another way. */
function isCounted({ calls }: FuzzScript): boolean {
  return calls.length % 2 === 0;
}

function endsIn(script: FuzzScript, retrier: Retrier): readonly ToldEnd[] {
  return isCounted(script) ? toldEnds(retrier) : [];
}

function addressOf(input: RequestInfo | URL): string {
  return typeof input === 'object' && 'url' in input ? input.url : String(input);
}
