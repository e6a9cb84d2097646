/** Aborts while a body is read for a hint, while the rest of a body is asked for, and while another request is sent. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions, type RequestEvent } from '../../../src/index.js';
import { answer, onCue } from '../../faults/lab.js';
import { thinker, wait } from '../abort-moments.js';
import { HandTime, withTimersBelow } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { broken, late, own } from './abort-scenes.js';
import { type Generation, recorder, terminalCalls } from './generations.js';
import { oddCallers, oddReasons, plainCallers, withReasons } from './giving-up.js';
import { openAgent } from './kit.js';
import { subject } from './subject.js';

const [byRequest, byStream, ...byFetch] = subject.givingUp;
if (byRequest === undefined || byStream === undefined) throw new Error('the ways are gone');

/** The most time that a discarded answer is read for. */
const drainMs = 1_000;
const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
const limits: PolicyOptions = { attemptTimeoutMs: 99_000, deadlineMs: 100_000, deadlineCovers: 'body' };

const afterHead = new Set(late.map(([place]) => place));
const callers = [...plainCallers, ...withReasons];
const rows = own.flatMap(([place, scene]) => [
  ...callers.flatMap(([who, makeCaller]) =>
    [byRequest, byStream].map((giving) => ({ place, who, scene, makeCaller, giving })),
  ),
  ...oddCallers.map(([who, makeCaller]) => ({ place, who, scene, makeCaller, giving: byRequest })),
  ...byFetch.map((giving) => ({ place, who: 'AbortSignal', scene, makeCaller: plainCallers[0][1], giving })),
]);

test.each(rows)('$place, by $who, of $giving.name', async ({ place, scene, makeCaller, giving: { way } }) => {
  const time = new HandTime();
  const events: RequestEvent[] = [];
  const { asked, ask: think } = thinker();
  let isOver = false;
  const ask = (): Promise<never> => (isOver ? Promise.resolve(undefined as never) : think());
  const observe = (event: RequestEvent): unknown => events.push(event);
  const policy = { schedule, ...limits, ...scene.policy?.(ask), observe };
  const lab = await openLab(scene.plays);
  const retrier = createRetrier(policy, time.ports);
  const { send, bare } = way.beside?.(retrier) ?? {};
  if (send === undefined || bare === undefined) throw new Error('the bare client is gone');
  const caller = makeCaller();
  const answered = settled(send(lab.origin, caller.asked));
  // The deadline and the attempt's timer are there, too.
  await scene.reach({ lab, time: withTimersBelow(99_000, time), asked });
  caller.giveUp();
  caller.expectError((await answered).error);
  expect(time.pending.filter((delayMs) => delayMs !== drainMs)).toEqual([]);
  if (!way.keepsListening) await expect.poll(() => caller.listeners(), { interval: 1 }).toBe(0);
  expect(lab.requests).toHaveLength(scene.requests);
  expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  // It settled with its head where that was handed over; decisions about its rest come after.
  if (!afterHead.has(place)) expect(events.at(-1)).toMatchObject({ type: 'settled' });

  isOver = true;
  lab.play(answer(200, 'next'));
  expect((await bare(`${lab.origin}/next`)).text).toBe('next');
  expect(lab.requests.map(({ path }) => path)).toEqual(['/next']);
});

test.each(callers)('while queued, by %s', async (_who, makeCaller) => {
  const lab = await openLab((sent) => (sent.path === '/busy' ? onCue('free', answer(200)) : answer(200)));
  const pool = openAgent({ connections: 1, pipelining: 1 });
  const busy = pool.request({ origin: lab.origin, path: '/busy', method: 'GET' });
  await lab.until(({ requests }) => requests.length === 1);
  const caller = makeCaller();
  const asked = { origin: lab.origin, path: '/', method: 'GET', ...caller.asked } as const;
  const answered = settled(pool.compose(retry()).request(asked as never));
  caller.giveUp();
  caller.expectError((await answered).error);
  lab.cue('free');
  await (await busy).body.dump();
  await (await pool.request({ origin: lab.origin, path: '/next', method: 'GET' })).body.dump();
  expect(lab.requests.map(({ path }) => path)).toEqual(['/busy', '/next']);
  expect(caller.listeners()).toBe(0);
});

describe('in the midst of a hook, after a broken body', () => {
  const hooks: readonly (readonly [string, (giveUp: () => void) => PolicyOptions])[] = [
    ['observe', (giveUp) => ({ observe: ({ type }) => type === 'decision' && giveUp() })],
    ['retryIf', (giveUp) => ({ retryIf: () => void giveUp() })],
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
  test.each(hooks)('%s: nothing is sent, and no timer is left', async (_name, hook) => {
    const time = new HandTime();
    const [, makeCaller] = plainCallers[0];
    const caller = makeCaller();
    const policy = hook(caller.giveUp);
    const lab = await openLab(broken);
    const send = byRequest.way.client(createRetrier({ schedule, ...policy }, time.ports));
    const answered = settled(send(lab.origin, caller.asked));
    if ('beforeRetry' in policy) await time.fire(wait);
    caller.expectError((await answered).error);
    expect(time.pending.filter((delayMs) => delayMs !== drainMs)).toEqual([]);
    expect(lab.requests).toHaveLength(1);
  });
});

test.each(
  ([1, 2] as const).flatMap((generation) =>
    oddReasons.map((reason) => [generation, String(reason), reason] as const),
  ),
)(
  'a handler of generation %i that aborts with %s when it is started',
  async (generation: Generation, _name, reason) => {
    const lab = await openLab(answer(200));
    const heard = recorder(generation, { onStart: (hold) => hold.abort(reason) });
    openAgent().compose(retry()).dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
    await heard.settled;
    const aborted = { name: 'AbortError', code: 'UND_ERR_ABORTED', message: 'Request aborted' };
    expect(heard.error).toMatchObject(aborted);
    expect(terminalCalls(heard)).toBe(1);
    expect(lab.requests).toHaveLength(0);
  },
);
