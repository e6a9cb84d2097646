/** Plays one script to its end on a lab of its own, and says what was wrong with it. */

import { Agent } from 'node:http';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AxiosInstance } from 'axios';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import {
  createRetrier,
  type DecisionEvent,
  type PolicyOptions,
  type SettledEvent,
} from '../../../src/index.js';
import { sleep as realSleep, type Sleep } from '../../../src/runtime/sleep.js';
import { type Lab, rst, startLab } from '../../faults/lab.js';
import { comesTrue } from '../kit.js';
import { axios } from './client.js';
import { complaintsAbout } from './fuzz-oracle.js';
import { type AbortMoment, type FuzzScript, playOf } from './fuzz-script.js';
import { Trial } from './fuzz-trial.js';

/** What hangs takes forever; nothing else takes nearly so long. */
const foreverMs = 10_000;
const endOfQueue = '/end-of-queue';
/** Of the policy's time, which runs faster than the clock. */
const speed = 10;

export async function run(script: FuzzScript): Promise<readonly [readonly string[], readonly Trial[]]> {
  const trials = script.calls.map((call) => new Trial(call));
  await using lab = await startLab((request) => {
    const trial = trials[Number(request.path.slice(1).split('?')[0])];
    const { plays } = trial?.call ?? { plays: [] };
    const index = Math.min(trial?.arrivals.length ?? 0, plays.length - 1);
    const play = plays[index];
    if (play === undefined) return rst();
    trial?.arrivals.push({ request, play });
    return playOf(play, index);
  });
  const httpAgent = new Agent({ keepAlive: true, maxSockets: script.maxSockets });
  const time = { pending: 0, waits: 0 };
  const instance = instanceOf(script, lab, httpAgent, trials, time);
  const complaints = await hangs('a call', callAll(script, trials, instance));
  const isInUse = () => Object.keys(httpAgent.sockets).length + Object.keys(httpAgent.requests).length > 0;
  if (!(await comesTrue(() => !isInUse()))) complaints.push('a connection is still in use');
  if (!(await comesTrue(() => time.pending === 0))) complaints.push(`${time.pending} timers are set`);
  httpAgent.destroy();
  complaints.push(...(await hangs('the queue', allHaveArrived(lab))));
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
  time: { pending: number; waits: number },
): AxiosInstance {
  const { adapter, responseType } = script;
  const counting = (config: Parameters<ReturnType<typeof axios.getAdapter>>[0]) => {
    const trial = trials[Number(config.headers['x-call'])];
    if (trial !== undefined) trial.attempts += 1;
    const sent = axios.getAdapter(adapter, config)(config);
    // Not before: axios sends what is aborted while it is about to be sent, and forgets the answer.
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
  const heard = (moment: AbortMoment): void => {
    time.waits += 1;
    for (const trial of trials) trial.hear(moment, time.waits);
  };
  const sleep = fastSleep(time, () => heard('wait'));
  const observe = (event: DecisionEvent | SettledEvent): void => {
    const trial = trials[Number(new URL(event.request.url).pathname.slice(1))];
    trial?.events.push(event);
    if (event.type === 'decision') trial?.hear('decision', event.decision.attempt);
  };
  const ports = { now: () => performance.now() * speed, sleep };
  attachRetry(instance, createRetrier({ ...script.policy, ...hooksOf(script), observe }, ports));
  return instance;
}

function fastSleep(time: { pending: number }, onWait: () => void): Sleep {
  return (delayMs, wake, options) => {
    let isOver = false;
    const end = (): void => {
      if (!isOver) time.pending -= 1;
      isOver = true;
    };
    time.pending += 1;
    const woken = (): void => {
      end();
      wake();
    };
    const cancel = realSleep(delayMs / speed, woken, options);
    // It begins when this has returned; timers that only watch are none.
    if (options?.unref === false) queueMicrotask(onWait);
    return () => {
      end();
      cancel();
    };
  };
}

function hooksOf({ retryIf, beforeRetry }: FuzzScript): PolicyOptions {
  return {
    ...(retryIf !== undefined && {
      retryIf: async (outcome) => {
        await outcome.body?.();
        await setImmediate();
        if (retryIf === 'rejects') throw new Error('retryIf rejected');
        const isIt = outcome.kind === 'response' && outcome.status === 500;
        return isIt && retryIf === 'again after 500, later' ? true : undefined;
      },
    }),
    ...(beforeRetry !== undefined && {
      beforeRetry: async (context) => {
        await setImmediate();
        if (beforeRetry === 'rejects') throw new Error('beforeRetry rejected');
        if (beforeRetry === 'goes elsewhere') context.url = `${context.url.split('?')[0]}?again`;
        else context.headers['x-again'] = 'yes';
      },
    }),
  };
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

/**
 * A client that closes its socket may leave a request in the accept queue, which is taken in order: so somebody
 * stands at its end and waits for his turn.
 */
function allHaveArrived(lab: Lab): Promise<void> {
  const last = connect(lab.port, '127.0.0.1');
  last.on('error', () => undefined);
  last.end(`GET ${endOfQueue} HTTP/1.1\r\nhost: me\r\n\r\n`);
  return new Promise((resolve) => last.once('close', () => resolve()));
}

async function hangs(what: string, work: Promise<unknown>): Promise<string[]> {
  const late = new AbortController();
  const { signal } = late;
  const complaints = await Promise.race([
    work.then<string[]>(() => []),
    setTimeout<string[]>(foreverMs, [`${what} hangs`], { signal }).catch(() => []),
  ]);
  late.abort();
  return complaints;
}
