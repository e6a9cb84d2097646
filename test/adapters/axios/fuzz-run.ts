/** Plays one script to its end on a lab of its own, and reports what was wrong. */

import { Agent } from 'node:http';
import type { AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier, type RequestEvent, type Retrier } from '../../../src/index.js';
import { type Lab, rst, startLab } from '../../faults/lab.js';
import { complaintsAboutLogin, isStale, Login, openAbroad, stalePlays } from '../fuzz/credentials.js';
import type { FastTime } from '../fuzz/fast-time.js';
import { saveHedges } from '../fuzz/hedges.js';
import { hooksOf } from '../fuzz/hooks.js';
import { playOf } from '../fuzz/plays.js';
import { allHaveArrived, deadOrigin, fastTime, hangs, speed } from '../fuzz/stage.js';
import { comesTrue } from '../kit.js';
import { counted, leftInFlight, miscounted, type ToldEnd, toldEnds } from '../told-ends.js';
import { axios } from './client.js';
import { complaintsAbout } from './fuzz-oracle.js';
import type { FuzzScript } from './fuzz-script.js';
import { Trial } from './fuzz-trial.js';

export async function run(script: FuzzScript): Promise<readonly [readonly string[], readonly Trial[]]> {
  const trials = script.calls.map((call) => new Trial(call));
  const { tokens } = script;
  const login = tokens && new Login(tokens, speed);
  await using abroad = tokens && (await openAbroad(tokens));
  await using lab = await startLab((request) => {
    const trial = trials[Number(request.path.slice(1).split('?')[0])];
    const { plays } = trial?.call ?? { plays: [] };
    const answered = trial?.arrivals.filter(({ play }) => !isStale(play)) ?? [];
    const index = Math.min(answered.length, plays.length - 1);
    const isRefused = trial !== undefined && login?.refuses(request) === true;
    const play = isRefused ? stalePlays[tokens?.at ?? 'body'] : plays[index];
    if (play === undefined) return rst();
    trial?.arrivals.push({ request, play });
    return playOf(play, index, { path: request.path, deadOrigin: abroad?.origin ?? deadOrigin });
  });
  const httpAgent = new Agent({ keepAlive: true, maxSockets: script.maxSockets });
  const time = fastTime();
  const { instance, ends, retrier } = instanceOf(script, lab, httpAgent, trials, time, { login, abroad });
  const complaints = await hangs('a call', callAll(script, trials, instance));
  const isInUse = () => Object.keys(httpAgent.sockets).length + Object.keys(httpAgent.requests).length > 0;
  if (!(await comesTrue(() => !isInUse()))) complaints.push('a connection is still in use');
  if (!(await comesTrue(() => time.pending === 0))) complaints.push(`${time.pending} timers are set`);
  if (!(await comesTrue(() => miscounted(ends).length === 0)))
    complaints.push(`ends of bodies: ${JSON.stringify(miscounted(ends))}`);
  if (!(await comesTrue(() => leftInFlight(retrier) === undefined)))
    complaints.push(String(leftInFlight(retrier)));
  httpAgent.destroy();
  complaints.push(...(await hangs('the queue', allHaveArrived(lab))));
  const events = trials.flatMap((trial) => trial.events);
  if (login !== undefined && abroad !== undefined)
    complaints.push(...complaintsAboutLogin(login, abroad, events));
  for (const [number, trial] of trials.entries()) {
    const isFreeLater = script.adapter === 'fetch' && script.responseType === 'stream';
    const isFree = isFreeLater || (await comesTrue(() => trial.caller.listeners() === 0));
    if (!isFree) complaints.push(`call ${number}: ${trial.caller.listeners()} listeners`);
    complaints.push(...[...complaintsAbout(trial, script)].map((each) => `call ${number}: ${each}`));
  }
  return [complaints, trials];
}

function instanceOf(
  script: FuzzScript,
  lab: Lab,
  httpAgent: Agent,
  trials: readonly Trial[],
  time: FastTime,
  { login, abroad }: { readonly login: Login | undefined; readonly abroad: Lab | undefined },
): { readonly instance: AxiosInstance; readonly retrier: Retrier; readonly ends: readonly ToldEnd[] } {
  const { adapter, responseType } = script;
  const counting = (config: InternalAxiosRequestConfig) => {
    const trial = trials[Number(config.headers['x-call'])];
    if (trial !== undefined) trial.attempts += 1;
    const send = axios.getAdapter(adapter, config);
    const sent = script.asksForTokens ? withToken(send, config) : send(config);
    // Not earlier: axios sends a request that is aborted while it is about to be sent, and drops the answer.
    trial?.hear('attempt', trial.attempts);
    return sent;
  };
  const instance = axios.create({
    adapter: script.isNamed ? adapter : counting,
    baseURL: lab.origin,
    httpAgent,
    responseType,
    proxy: false,
  });
  time.onWait = () => {
    for (const trial of trials) trial.hear('wait', time.waits);
  };
  const observe = (event: RequestEvent): void => {
    const trial = trials[Number(new URL(event.request.url).pathname.slice(1))];
    trial?.events.push(event);
    if (event.type === 'decision') trial?.hear('decision', event.decision.attempt);
  };
  // Of every other script: without a limit that waits for the end, a plain request takes another way.
  const isCounted = script.calls.length % 2 === 0;
  const retrier = createRetrier(
    {
      ...(isCounted && counted),
      ...script.policy,
      ...(login !== undefined && { credentials: login.credentials }),
      ...hooksOf(script, abroad?.origin),
      observe,
    },
    time.ports,
  );
  saveHedges(retrier, lab.origin);
  attachRetry(instance, retrier);
  return { instance, retrier, ends: isCounted ? toldEnds(retrier) : [] };
}

type Send = ReturnType<typeof axios.getAdapter>;

/** Asks for a token after a 401, and passes on what becomes of that. */
async function withToken(send: Send, config: InternalAxiosRequestConfig): ReturnType<Send> {
  try {
    return await send(config);
  } catch (error) {
    const { response } = Object(error) as { response?: Awaited<ReturnType<Send>> };
    const location = response?.headers['location'];
    if (response?.status !== 401 || typeof location !== 'string') throw error;
    const data = response.data as { destroy?(): void; cancel?(): Promise<void> } | undefined;
    data?.destroy?.();
    await data?.cancel?.();
    const method = config.method === 'head' ? 'head' : 'get';
    const asked = { ...config, method, url: location, data: undefined, headers: new axios.AxiosHeaders() };
    return send(asked).then(
      (answer) => ({ ...answer, config }),
      (reason: unknown) => Promise.reject(Object.assign(Object(reason), { config })),
    );
  }
}

async function callAll(script: FuzzScript, trials: readonly Trial[], instance: AxiosInstance): Promise<void> {
  const runs = trials.map((trial, number) => () => {
    const { method, isKeyed } = trial.call;
    const headers = { 'x-call': String(number), ...(isKeyed && { 'Idempotency-Key': `of ${number}` }) };
    return trial.run(instance, { url: `/${number}`, method, headers });
  });
  if (script.together) await Promise.all(runs.map((each) => each()));
  else for (const each of runs) await each();
}
