/** Hedges and connections: a hedge needs one of its own, and costs as few as possible. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Agent, Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions, RequestEvent } from '../../../src/index.js';
import { type Answer, answer, type Lab, silence } from '../../faults/lab.js';
import { rst } from '../../faults/plays.js';
import { comesTrue, openLab } from '../kit.js';
import { hedgeMs, learntFrom, onCue, type Warmed, warmedUp } from '../suites/hedged.js';
import { major, undici } from './client.js';
import { multiplexes, openH2Agent, openH2Lab, overTls } from './h2-client.js';
import { openAgent } from './kit.js';
import { type Recorder, record } from './recorder.js';

interface Stage extends Warmed {
  readonly agent: Dispatcher;
}

function stageOver(base: Dispatcher, policy?: PolicyOptions): Stage {
  const warmed = warmedUp(policy);
  return { ...warmed, agent: base.compose(retry(warmed.retrier)) };
}

const text = ({ bytes }: Recorder): string => bytes.toString();

const one: readonly [string, (lab: Lab) => Dispatcher][] = [
  ['an Agent with one connection', () => openAgent({ connections: 1 })],
  [
    'a Client',
    ({ origin }) => {
      const client = new undici.Client(origin);
      onTestFinished(() => client.destroy());
      return client;
    },
  ],
];

describe.each(one)('%s', (_name, open) => {
  test('the hedge is withdrawn: nothing of it is sent, and the connection stays', async () => {
    const lab = await openLab([onCue('first', answer(200, 'first')), answer(200, 'later')]);
    const { agent, time, told } = stageOver(open(lab));
    const first = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    lab.cue('first');
    await first.end();
    expect(text(first)).toBe('first');
    expect(told).toEqual(['settled 200 after 1']);
    expect(text(await record(agent, { origin: lab.origin }).end())).toBe('later');
    expect(lab.requests).toHaveLength(2);
    expect(lab.connections).toBe(1);
    expect(time.pending).toEqual([]);
  });

  test('the first fails: the hedge is withdrawn, and a retry follows as ever', async () => {
    const lab = await openLab([onCue('first', answer(503)), answer(200, 'retried')]);
    const { agent, time, told } = stageOver(open(lab));
    const first = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    lab.cue('first');
    await time.fire(7);
    await first.end();
    expect(text(first)).toBe('retried');
    expect(told).toEqual(['1 transient-status', '2 success', 'settled 200 after 2']);
    expect(lab.requests.map(({ headers }) => headers['retry-attempt'])).toEqual([undefined, '1']);
  });

  test('after three in a row, there are none for a while', async () => {
    const lab = await openLab(({ number }) => onCue(`answer ${number}`, answer(200)));
    const { agent, time } = stageOver(open(lab));
    const slow = async (number: number, isHedged: boolean): Promise<void> => {
      const asked = record(agent, { origin: lab.origin });
      await lab.until(({ requests }) => requests.length === number);
      expect(time.pending).toEqual(isHedged ? [hedgeMs] : []);
      if (isHedged) await time.fire(hedgeMs);
      lab.cue(`answer ${number}`);
      await asked.end();
    };
    for (const number of [1, 2, 3]) await slow(number, true);
    await slow(4, false);
    time.now += 1_000;
    await slow(5, true);
    time.now += 1_000;
    await slow(6, false);
    time.now += 1_000;
    await slow(7, true);
    expect(lab.connections).toBe(1);
  });

  test('a failure that the hedge has brought does not keep the connection from the next hop of the first', async () => {
    const endless: Answer = {
      steps: [
        { do: 'head', status: 429, headers: { 'transfer-encoding': 'chunked' } },
        { do: 'fill', bytes: 'endless', mark: 'x', chunkBytes: 16_384 },
      ],
    };
    const moved = onCue('first', answer(302, '', { location: '/there' }));
    const asked = (): number => lab.requests.filter(({ path }) => path === '/').length;
    const lab = await openLab(({ path }) => {
      if (path === '/other') return rst();
      if (path === '/there') return answer(200, 'there');
      return asked() === 1 ? moved : endless;
    });
    const redirects = undici.interceptors.redirect({ maxRedirections: 1 });
    const { agent, time, told } = stageOver(open(lab).compose(redirects));
    const first = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    // The connection ends with it, so that the hedge gets another one.
    const other = record(agent, { origin: lab.origin, path: '/other', method: 'POST' });
    await time.fire(hedgeMs);
    lab.cue('first');
    await other.end();
    await time.fire(hedgeMs);
    await first.end();
    expect(text(first)).toBe('there');
    expect(lab.requests.map(({ path }) => path)).toEqual(['/', '/other', '/', '/there']);
    expect(told.at(-1)).toBe('settled 200 after 2, hedge lost');
    await time.until(({ pending }) => pending.length === 0);
  });

  test('aborted while the hedge waits: the connection goes with the first attempt, and nothing is left', async () => {
    const lab = await openLab([silence(), answer(200, 'later')]);
    const { agent, time } = stageOver(open(lab));
    const first = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    first.controller?.abort(new Error('enough'));
    await first.end();
    expect(first.errors).toMatchObject([{ message: 'enough' }]);
    expect(text(await record(agent, { origin: lab.origin }).end())).toBe('later');
    expect(lab.requests).toHaveLength(2);
    expect(lab.connections).toBe(2);
  });
});

test('other requests hold every connection: a hedge goes out as soon as one is free', async () => {
  const lab = await openLab(({ path }) => onCue(path, answer(200, path)));
  const { agent, time } = stageOver(openAgent({ connections: 2 }));
  const context = new AsyncLocalStorage<string>();
  const toldIn: unknown[] = [];
  const listen = (event: unknown): void => {
    if ((event as RequestEvent).type === 'hedge') toldIn.push(context.getStore());
  };
  subscribe('undaunted:decision', listen);
  onTestFinished(() => void unsubscribe('undaunted:decision', listen));
  const ask = (path: string, method: 'GET' | 'POST') =>
    context.run(path, () => record(agent, { origin: lab.origin, path, method }));
  const [other, slow] = [ask('/other', 'POST'), ask('/slow', 'GET')];
  await lab.until(({ requests }) => requests.length === 2);
  await time.fire(hedgeMs);
  lab.cue('/other');
  await other.end();
  await lab.until(({ requests }) => requests.length === 3);
  lab.cue('/slow');
  expect(text(await slow.end())).toBe('/slow');
  expect(lab.connections).toBe(2);
  // Not in the context of the request whose end made the connection free.
  expect(toldIn).toEqual(['/slow']);
});

test('no connection for many hedges at once: that is one pause of a second, not a longer one for each', async () => {
  const lab = await openLab(({ number }) => onCue(`answer ${number}`, answer(200)));
  let refused = 0;
  let isRefusing = false;
  const toServer = undici.buildConnector({});
  const connect: typeof toServer = (options, callback) => {
    if (!isRefusing) return void toServer(options, callback);
    refused += 1;
    setImmediate(callback, Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), null);
  };
  const many = 12;
  const hedge = { afterMs: hedgeMs, share: 1, capacity: 2 * many };
  const { agent, time } = stageOver(openAgent({ connect }), { hedge });
  const asked = Array.from({ length: many }, () => record(agent, { origin: lab.origin }));
  await lab.until(({ requests }) => requests.length === many);
  isRefusing = true;
  await time.fire(hedgeMs);
  expect(await comesTrue(() => refused === many)).toBe(true);
  isRefusing = false;
  for (let number = 1; number <= many; number += 1) lab.cue(`answer ${number}`);
  for (const each of asked) await each.end();
  expect(lab.requests).toHaveLength(many);
  time.now += 999;
  const next = record(agent, { origin: lab.origin });
  await lab.until(({ requests }) => requests.length === many + 1);
  expect(time.pending).toEqual([]);
  time.now += 1;
  const last = record(agent, { origin: lab.origin });
  await lab.until(({ requests }) => requests.length === many + 2);
  expect(time.pending).toEqual([hedgeMs]);
  for (const number of [1, 2]) lab.cue(`answer ${many + number}`);
  await Promise.all([next.end(), last.end()]);
});

test('the connection of a request that is not ours is not taken for that of an attempt: a hedge may follow there', async () => {
  const lab = await openLab(({ path, number }) =>
    path === '/slow' && number < 3 ? silence() : answer(200, path),
  );
  const base = openAgent({ connections: 2 });
  const agent = base.compose(retry({ hedge: { afterMs: 100, share: 1 } }));
  await record(agent, { origin: lab.origin, path: '/first' }).end();
  const slow = record(agent, { origin: lab.origin, path: '/slow' });
  await lab.until(({ requests }) => requests.length === 2);
  const other = await base.request({ origin: lab.origin, path: '/other', method: 'GET' });
  await other.body.dump();
  expect(text(await slow.end())).toBe('/slow');
  expect(lab.connections).toBe(2);
});

describe('pipelining', () => {
  // From version 7 on, undici pipelines behind a request that has no answer yet only if it is told to.
  const pipelined: Agent.Options = { pipelining: 10, connections: 1 };
  const asked = { blocking: false };

  test('a hedge behind the first on the same connection counts for nothing, and is the last for long', async () => {
    const lab = await openLab({ steps: [{ do: 'cue', name: 'go' }, ...answer(200, 'one').steps] });
    const { agent, time, told } = stageOver(openAgent(pipelined));
    const first = record(agent, { origin: lab.origin, ...asked });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    expect(time.pending).toEqual([]);
    lab.cue('go');
    await first.end();
    expect(first).toMatchObject({ starts: 1, ends: 1, errors: [] });
    expect(text(first)).toBe('one');
    expect(told.at(-1)).toMatch(/^settled 200 after 1/);
    await lab.until(({ requests }) => requests.length === 2);
    const second = await record(agent, { origin: lab.origin, ...asked }).end();
    expect(text(second)).toBe('one');
    expect(time.timers.filter(({ delayMs }) => delayMs === hedgeMs)).toHaveLength(1);
    expect(lab.connections).toBe(1);
  });
});

describe.runIf(major > 6)('HTTP/2', () => {
  test.runIf(multiplexes)('the stream of the loser is reset at once; the session stays', async () => {
    const lab = await openH2Lab([silence(), answer(200, 'hedge'), answer(200, 'later')]);
    const { agent, time } = stageOver(openH2Agent());
    const asked = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    expect(text(await asked.end())).toBe('hedge');
    expect(time.pending).toEqual([]);
    expect(text(await record(agent, { origin: lab.origin }).end())).toBe('later');
    expect(lab.connections).toBe(1);
  });

  test('with several connections, a hedge may have its own', async () => {
    const lab = await openH2Lab([silence(), answer(200, 'hedge')]);
    const { agent, time, retrier } = stageOver(openH2Agent(overTls, { connections: null }));
    const before = learntFrom(retrier);
    const asked = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    expect(text(await asked.end())).toBe('hedge');
    expect(time.pending).toEqual([]);
    expect(learntFrom(retrier) - before).toBe(2);
  });
});

/** A request whose attempts no undici sends: the test itself calls their handlers. */
function byHand(more: { readonly resume?: () => void } = {}) {
  const { retrier, time } = warmedUp();
  const sent: Dispatcher.DispatchHandler[] = [];
  const dispatch = retry(retrier)((_, handler) => sent.push(handler) > 0);
  const recorder = record({ dispatch } as unknown as Dispatcher, { origin: 'http://by-hand.example' });
  const nothing = (): void => undefined;
  const controller = { abort: nothing, pause: nothing, resume: nothing, ...more } as never;
  const start = (index: number, socket: object = {}): void => {
    sent[index]?.onRequestStart?.(controller, {});
    channel('undici:client:sendHeaders').publish({ headers: 'GET / HTTP/1.1\r\n', socket });
  };
  const head = (index: number, status: number): void =>
    sent[index]?.onResponseStart?.(controller, status, {}, '');
  const end = (index: number): void => sent[index]?.onResponseEnd?.(controller, {});
  return { time, recorder, start, head, end };
}

test('a hedge that undici moves to the connection on which the first was answered stays', async () => {
  const { time, recorder, start, head, end } = byHand();
  const [one, other] = [{}, {}];
  start(0, one);
  await time.fire(hedgeMs);
  start(1, other);
  head(0, 503);
  end(0);
  start(1, one);
  head(1, 200);
  end(1);
  await recorder.end();
  expect(recorder).toMatchObject({ heads: [{ status: 200 }], ends: 1, errors: [] });
});

test('a loser that was paused is resumed only when undici has parsed the answer of the winner', async () => {
  let isParsing = false;
  const resumed: boolean[] = [];
  const { time, recorder, start, head, end } = byHand({ resume: () => void resumed.push(isParsing) });
  start(0);
  await time.fire(hedgeMs);
  start(1);
  head(1, 503);
  isParsing = true;
  head(0, 200);
  end(0);
  isParsing = false;
  await recorder.end();
  expect(recorder).toMatchObject({ heads: [{ status: 200 }], ends: 1, errors: [] });
  expect(resumed).toContain(false);
  expect(resumed).not.toContain(true);
});
