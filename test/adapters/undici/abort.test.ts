/** A caller who gives up is heard at once, wherever the request is, and nothing of it happens afterwards. */

import { EventEmitter, getEventListeners } from 'node:events';
import { Writable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import {
  createRetrier,
  type DecisionEvent,
  type PolicyOptions,
  type SettledEvent,
} from '../../../src/index.js';
import { answer, onCue, type Play, rst, silence, stallInBody, startFullBacklog } from '../../faults/lab.js';
import { type AbortScene, thinker, wait } from '../abort-moments.js';
import { HandTime, withTimersBelow } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { broken, early, late } from './abort-scenes.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';
import { readAll } from './recorder.js';

interface Caller {
  readonly signal: AbortSignal | EventEmitter;
  giveUp(): void;
  listeners(): number;
  /** What the caller is to get. */
  expectError(error: unknown): void;
}

function withReason(reason?: Error): Caller {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    signal,
    giveUp: () => controller.abort(reason),
    listeners: () => getEventListeners(signal, 'abort').length,
    expectError: (error) => expect(error).toBe(signal.reason),
  };
}

function withEmitter(): Caller {
  const signal = new EventEmitter();
  return {
    signal,
    giveUp: () => signal.emit('abort'),
    listeners: () => signal.listenerCount('abort'),
    expectError: (error) => {
      // Older undici (6.17, 7.0) knows an error of its own by its prototype alone, which is not ours to take.
      if (Object.hasOwn(undici.errors.RequestAbortedError, Symbol.hasInstance)) {
        expect(error).toBeInstanceOf(undici.errors.RequestAbortedError);
      }
      expect(error).toMatchObject({
        name: 'AbortError',
        code: 'UND_ERR_ABORTED',
        message: 'Request aborted',
      });
    },
  };
}

const callers: readonly [string, () => Caller][] = [
  ['AbortSignal', () => withReason()],
  ['AbortSignal with a reason', () => withReason(new Error('the user left'))],
  ['EventEmitter', withEmitter],
];

type Ask = (dispatcher: Dispatcher, origin: string, signal: Caller['signal']) => Promise<unknown>;

/** Each rejects, early or late. */
const request: Ask = async (dispatcher, origin, signal) => {
  const { body } = await dispatcher.request({ origin, path: '/', method: 'GET', signal });
  const { error } = await readAll(body);
  throw error;
};

const stream: Ask = (dispatcher, origin, signal) =>
  dispatcher.stream(
    { origin, path: '/', method: 'GET', signal },
    () => new Writable({ write: (_p, _e, done) => done() }),
  );

function play({ plays, policy }: AbortScene, more: object = {}) {
  const time = new HandTime();
  const { asked, ask } = thinker();
  const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
  const retrier = createRetrier({ schedule, ...policy?.(ask), ...more }, time.ports);
  const base = openAgent();
  return { time, asked, base, agent: base.compose(retry(retrier)), script: plays };
}

const rows = [...early, ...late].flatMap(([place, scene]) =>
  callers.flatMap(([kind, caller]) => [
    [place, kind, 'request()', scene, caller, request] as const,
    [place, kind, 'stream()', scene, caller, stream] as const,
  ]),
);

test.each(rows)('%s, by %s, of %s', async (_place, _kind, _name, scene, makeCaller, ask) => {
  const { time, asked, agent, base, script } = play(scene, {
    attemptTimeoutMs: 99_000,
    deadlineMs: 100_000,
    deadlineCovers: 'body',
  });
  const lab = await openLab(script);
  const caller = makeCaller();
  const answered = settled(ask(agent, lab.origin, caller.signal));
  // The deadline and the attempt's timer are there, too.
  const reached = scene.reach({ lab, time: withTimersBelow(99_000, time), asked });
  await reached;
  caller.giveUp();
  const { error } = await answered;
  caller.expectError(error);
  expect(time.pending.filter((delayMs) => delayMs !== drainMs)).toEqual([]);
  expect(caller.listeners()).toBe(0);
  expect(lab.requests).toHaveLength(scene.requests);

  lab.play(answer(200, 'next'));
  const next = await base.request({ origin: lab.origin, path: '/next', method: 'GET' });
  expect(await next.body.text()).toBe('next');
  expect(lab.requests.map(({ path }) => path)).toEqual(['/next']);
});

/** A discarded answer is read for so long at most. */
const drainMs = 1_000;

describe('before it is sent', () => {
  test.each([
    ['request()', request],
    ['stream()', stream],
  ])('already given up: %s says what bare undici says', async (_name, ask) => {
    const lab = await openLab(answer(200));
    const reason = new Error('the user left');
    const { agent, base, time } = play({ plays: answer(200), reach: async () => undefined, requests: 0 });
    const bare = await settled(ask(base, lab.origin, AbortSignal.abort(reason)));
    const ours = await settled(ask(agent, lab.origin, AbortSignal.abort(reason)));
    expect(ours.error).toEqual(bare.error);
    expect((ours.error as Error).constructor).toBe((bare.error as Error).constructor);
    expect(lab.requests).toHaveLength(0);
    expect(time.timers).toEqual([]);
  });

  test.each(callers)('while connecting, by %s', async (_kind, makeCaller) => {
    await using backlog = await startFullBacklog();
    const { agent, time } = play(
      { plays: silence(), reach: async () => undefined, requests: 0 },
      { deadlineMs: 5_000 },
    );
    const caller = makeCaller();
    const answered = settled(request(agent, backlog.origin, caller.signal));
    await time.until(({ timers }) => timers.length === 1);
    caller.giveUp();
    caller.expectError((await answered).error);
    expect(caller.listeners()).toBe(0);
    expect(time.pending).toEqual([]);
  });

  test.each(callers)('while queued, by %s', async (_kind, makeCaller) => {
    const lab = await openLab((sent) => (sent.path === '/busy' ? onCue('free', answer(200)) : answer(200)));
    const pool = openAgent({ connections: 1, pipelining: 1 });
    const busy = pool.request({ origin: lab.origin, path: '/busy', method: 'GET' });
    await lab.until(({ requests }) => requests.length === 1);
    const caller = makeCaller();
    const answered = settled(request(pool.compose(retry()), lab.origin, caller.signal));
    caller.giveUp();
    caller.expectError((await answered).error);
    lab.cue('free');
    await (await busy).body.dump();
    await (await pool.request({ origin: lab.origin, path: '/next', method: 'GET' })).body.dump();
    expect(lab.requests.map(({ path }) => path)).toEqual(['/busy', '/next']);
    expect(caller.listeners()).toBe(0);
  });
});

describe('as bare undici says it', () => {
  test.each(callers)('before the answer, and in the body, by %s', async (_kind, makeCaller) => {
    for (const script of [silence(), stallInBody(100)]) {
      const lab = await openLab(script);
      const base = openAgent();
      const errors: unknown[] = [];
      for (const [number, dispatcher] of [base, base.compose(retry())].entries()) {
        const caller = makeCaller();
        const answered = settled(request(dispatcher, lab.origin, caller.signal));
        await lab.until(({ requests }) => requests.length === number + 1);
        caller.giveUp();
        errors.push((await answered).error);
      }
      const [bare, ours] = errors.map((error) => error as Error & { code?: unknown });
      expect(ours?.constructor).toBe(bare?.constructor);
      expect([ours?.name, ours?.message, ours?.code]).toEqual([bare?.name, bare?.message, bare?.code]);
    }
  });
});

describe('fetch', () => {
  const fetches: [
    string,
    (url: string, dispatcher: Dispatcher, signal: AbortSignal) => Promise<{ body: unknown }>,
  ][] = [
    ["undici's", (url, dispatcher, signal) => undici.fetch(url, { dispatcher, signal })],
    ["Node's own", (url, dispatcher, signal) => fetch(url, { dispatcher, signal } as unknown as RequestInit)],
  ];
  const cells = [...early, ...late].flatMap(([place, scene]) =>
    fetches.map(([name, ask]) => [name, place, scene, ask] as const),
  );

  test.each(cells)('%s, %s', async (_name, _place, scene, ask) => {
    const { time, asked, agent, script } = play(scene);
    const lab = await openLab(script);
    const controller = new AbortController();
    const answered = settled(
      ask(lab.origin, agent, controller.signal).then(async ({ body }) => {
        const { error } = await readAll(body as AsyncIterable<Uint8Array>);
        throw error;
      }),
    );
    await scene.reach({ lab, time, asked });
    controller.abort();
    expect((await answered).error).toMatchObject({ name: 'AbortError' });
    expect(time.pending.filter((delayMs) => delayMs !== drainMs)).toEqual([]);
    expect(lab.requests).toHaveLength(scene.requests);
    await lab.until(({ openSockets }) => openSockets === 0 || scene.requests > 0);
  });
});

describe("the caller's own timeout", () => {
  test('AbortSignal.timeout() is final, and is what the caller gets', async () => {
    const lab = await openLab(silence());
    const signal = AbortSignal.timeout(200);
    const { agent, time } = play({ plays: silence(), reach: async () => undefined, requests: 1 });
    const { error } = await settled(request(agent, lab.origin, signal));
    expect(error).toBe(signal.reason);
    expect(error).toMatchObject({ name: 'TimeoutError' });
    // A busy machine may not have sent it by then.
    expect(lab.requests.length).toBeLessThanOrEqual(1);
    expect(time.timers).toEqual([]);
  });

  test('its reason is as final where the request has arrived', async () => {
    const lab = await openLab(silence());
    const caller = new AbortController();
    const { agent, time } = play({ plays: silence(), reach: async () => undefined, requests: 1 });
    const answered = settled(request(agent, lab.origin, caller.signal));
    await lab.until(({ requests }) => requests.length === 1);
    const timeout = AbortSignal.timeout(1);
    timeout.addEventListener('abort', () => caller.abort(timeout.reason));
    const { error } = await answered;
    expect(error).toBe(timeout.reason);
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(lab.requests).toHaveLength(1);
    expect(time.timers).toEqual([]);
  });
});

describe('in the midst of a hook', () => {
  type Hook = (giveUp: () => void) => PolicyOptions;
  const hooks: [string, Hook][] = [
    ['observe', (giveUp) => ({ observe: ({ type }) => type === 'decision' && giveUp() })],
    [
      'retryIf',
      (giveUp) => ({
        retryIf: () => {
          giveUp();
          return undefined;
        },
      }),
    ],
    ['beforeRetry', (giveUp) => ({ beforeRetry: giveUp })],
    [
      'schedule',
      (giveUp) => ({
        schedule: () => {
          giveUp();
          return wait;
        },
      }),
    ],
  ];
  const answers: [string, Play][] = [
    ['an answer', answer(503)],
    ['an error', rst()],
    ['a broken body', broken],
  ];
  const cells = hooks.flatMap(([name, hook]) =>
    answers.map(([after, play]) => [name, after, hook, play] as const),
  );

  test.each(cells)(
    '%s after %s: nothing is sent, and no timer is left',
    async (_name, _after, hook, first) => {
      const caller = withReason();
      const policy = hook(caller.giveUp);
      const { time, agent, script } = play(
        { plays: first, reach: async () => undefined, requests: 1 },
        policy,
      );
      const lab = await openLab(script);
      const answered = settled(request(agent, lab.origin, caller.signal));
      if ('beforeRetry' in policy) await time.fire(wait);
      caller.expectError((await answered).error);
      expect(time.pending.filter((delayMs) => delayMs !== drainMs)).toEqual([]);
      expect(lab.requests).toHaveLength(1);
    },
  );
});

describe('being seen', () => {
  test.each(early)('one settled event: %s', async (_place, scene) => {
    const events: (DecisionEvent | SettledEvent)[] = [];
    const observe = (event: DecisionEvent | SettledEvent): unknown => events.push(event);
    const { time, asked, agent, script } = play(scene, { observe });
    const lab = await openLab(script);
    const caller = withReason();
    const answered = settled(request(agent, lab.origin, caller.signal));
    await scene.reach({ lab, time, asked });
    caller.giveUp();
    await answered;
    expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('settled');
  });
});
