/** Events: one for each decision, and one when the request settles, however it ends. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DecisionEvent } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, decide, definePolicy, explain } from '../../../src/index.js';
import { type Lab, type Play, refusedOrigin } from '../../faults/lab.js';
import { answer, rst, silence } from '../../faults/plays.js';
import { brief, type Event } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { type Asked, type Send, theSubject, type Way } from './subject.js';

const subject = await theSubject();

function listened(policy: PolicyOptions = {}, { client }: Pick<Way, 'client'> = subject) {
  const events: Event[] = [];
  return { send: client({ ...soon, ...policy, observe: (event) => void events.push(event) }), events };
}

describe.each(subject.ways)('by $name, in order:', (way) => {
  test.each<[string, Play[], string[]]>([
    ['success at once', [answer(200)], ['settled 200 after 1']],
    [
      'success after retries',
      [answer(503), rst(), answer(200)],
      ['retry 1: transient-status', 'retry 2: transport-error', 'stop 3: success', 'settled 200 after 3'],
    ],
    ['a final answer', [answer(404)], ['stop 1: final-status', 'settled 404 after 1']],
    [
      'a retry too many',
      [answer(429), answer(429)],
      ['retry 1: throttled', 'stop 2: retries-spent', 'settled 429 after 2'],
    ],
    [
      'the server says no',
      [answer(503, '', { 'x-should-retry': 'false' })],
      ['stop 1: server-forbids', 'settled 503 after 1'],
    ],
    [
      'too long a hint',
      [answer(503, '', { 'retry-after': '3600' })],
      ['stop 1: hint-too-long', 'settled 503 after 1'],
    ],
  ])('%s', async (_what, plays, told) => {
    const lab = await openLab(plays);
    const { send, events } = listened({ maxRetries: Math.max(1, plays.length - 1) }, way);
    await send(lab.origin);
    expect(events.map(brief)).toEqual(told);
  });

  test('an error', async () => {
    const origin = await refusedOrigin();
    const { send, events } = listened({ maxRetries: 1 }, way);
    await settled(send(origin));
    expect(events.map(brief)).toEqual([
      'retry 1: transport-error',
      'stop 2: retries-spent',
      'settled ECONNREFUSED after 2',
    ]);
  });

  test('an abort before the head', async () => {
    const lab = await openLab(silence());
    const { send, events } = listened({}, way);
    const aborter = new AbortController();
    const pending = settled(send(lab.origin, { signal: aborter.signal }));
    await lab.until(({ requests }) => requests.length === 1);
    aborter.abort();
    await pending;
    expect(events.map(brief)).toEqual(['stop 1: aborted', expect.stringMatching(/^settled .* after 1$/)]);
  });

  test('nothing of a request that was aborted before it began', async () => {
    const lab = await openLab(answer(200));
    const { send, events } = listened({}, way);
    await settled(send(lab.origin, { signal: AbortSignal.abort() }));
    expect([events.length, lab.requests.length]).toEqual([0, 0]);
  });
});

describe('says', () => {
  test('enough to decide again, and to make a sentence of it', async () => {
    const lab = await openLab([answer(503, '', { 'retry-after': '0.001' }), rst(), answer(404)]);
    const policy = definePolicy({ ...soon, attemptTimeoutMs: 10_000 });
    const events: DecisionEvent[] = [];
    const send = subject.client({
      ...policy.toJSON(),
      observe: (event) => {
        if (event.type === 'decision') events.push(structuredClone(event));
      },
    });
    await send(lab.origin);
    expect(events).toHaveLength(3);
    for (const { history, world, decision } of events) {
      const before = history.slice(0, -1);
      expect(decide(policy.fallback.settings, before, decision.finding, world)).toEqual(decision);
      expect(explain(decision)).toMatch(/^[A-Z].*\.$/);
    }
    expect(events.map(({ history }) => history.length)).toEqual([1, 2, 3]);
    expect(events.map(({ decision }) => explain(decision))).toEqual([
      expect.stringContaining('as the server asked'),
      expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/),
      expect.stringContaining('404'),
    ]);
  });

  test('rule, scope and where the request went, without its secrets', async () => {
    const lab = await openLab(answer(500, 'secret body', { 'x-secret': 'secret header' }));
    const { send, events } = listened({ rules: [{ match: '/a/*', name: 'the a', maxRetries: 1 }] });
    await send(`${lab.origin.replace('//', '//me:secret@')}/a/b?token=secret`, {
      method: 'PUT',
      headers: { authorization: 'secret' },
      body: 'secret',
    });
    expect(events).toHaveLength(3);
    for (const event of events) {
      expect(event).toMatchObject({
        request: { method: 'PUT', url: `${lab.origin}/a/b` },
        rule: 'the a',
        scope: lab.origin,
      });
    }
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('a scope that a function makes of the origin, which has no secrets either', async () => {
    const lab = await openLab(answer(500));
    const scope = ({ origin = '' }): string => `mine: ${origin}`;
    const { send, events } = listened({ maxRetries: 1, scope });
    await send(lab.origin.replace('//', '//me:secret@'));
    expect(events.map((event) => event.scope)).toEqual(Array(3).fill(`mine: ${lab.origin}`));
  });

  test('the same on the diagnostics channel', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const { send, events } = listened();
    const published: unknown[] = [];
    const listener = (message: unknown): void => {
      published.push(message);
    };
    subscribe('undaunted:decision', listener);
    onTestFinished(() => void unsubscribe('undaunted:decision', listener));
    await send(lab.origin);
    expect(published).toHaveLength(3);
    expect(published).toEqual(events);
  });
});

test('a listener that throws is warned of, and changes nothing', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const broken = new Error('broken listener');
  const observe = (): never => {
    throw broken;
  };
  const warned = once(process, 'warning');
  expect((await subject.client({ ...soon, observe })(lab.origin)).status).toBe(200);
  const [warning] = (await warned) as [Error];
  expect(warning.cause).toBe(broken);
  expect(lab.requests).toHaveLength(2);
});

test('a listener that makes another request during an event does not disturb this one', async () => {
  const lab = await openLab(({ path }) => (path === '/inner' ? answer(200) : answer(503)));
  const inner: ReturnType<Send>[] = [];
  const send = subject.client({
    ...soon,
    maxRetries: 1,
    observe: ({ request }) => {
      if (!request.url.endsWith('/inner')) inner.push(send(`${lab.origin}/inner`));
    },
  });
  expect((await send(lab.origin)).status).toBe(503);
  expect((await Promise.all(inner)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('the listener of one override gets events of its own request only', async () => {
  const lab = await openLab(answer(200));
  const { send, events } = listened();
  const own: Event[] = [];
  await send(`${lab.origin}/own`, { retry: { observe: (event) => void own.push(event) } });
  await send(`${lab.origin}/other`);
  expect(own.map(({ request }) => request.url)).toEqual([`${lab.origin}/own`]);
  expect(events.map(({ request }) => request.url)).toEqual([`${lab.origin}/other`]);
});

test.each<[string, Play, Play, PolicyOptions]>([
  ['answers', answer(503), answer(200), { attemptTimeoutMs: 10_000 }],
  ['a time limit', silence(), silence(), { attemptTimeoutMs: 30, maxRetries: 1 }],
])(
  'hooks and listeners run in the async context of the caller: after %s',
  async (_name, first, then, policy) => {
    const lab = await openLab(({ path }) => (path.includes('again') ? then : first));
    const storage = new AsyncLocalStorage<string>();
    const seen: Record<string, string[]> = {};
    const note = (hook: string, url: string): void => {
      const [, caller = ''] = new URL(url, lab.origin).pathname.split('/');
      seen[caller] = [...(seen[caller] ?? []), `${hook} of ${storage.getStore()}`];
    };
    const send = subject.client({
      ...soon,
      ...policy,
      retryIf: (_outcome, request) => {
        note('retryIf', request.path);
        return undefined;
      },
      beforeRetry: async (context) => {
        note('beforeRetry', context.request.path);
        context.url += '/again';
      },
      observe: ({ request: { url } }) => note('observe', url),
    });
    const callers = ['one', 'two', 'three'];
    await Promise.all(
      callers.map((caller) => storage.run(caller, () => settled(send(`${lab.origin}/${caller}`)))),
    );
    for (const caller of callers) {
      expect(seen[caller]).toEqual(
        ['retryIf', 'observe', 'beforeRetry', 'retryIf', 'observe', 'observe'].map(
          (hook) => `${hook} of ${caller}`,
        ),
      );
    }
  },
);

describe.each(subject.ways)('by $name, every request is settled once, also one that ends by', (way) => {
  async function settledBy(policy: PolicyOptions, play: Play, asked?: Asked): Promise<string[]> {
    const lab = await openLab(play);
    const { send, events } = listened(policy, way);
    await settled(send(lab.origin, asked));
    return events.filter(({ type }) => type === 'settled').map(brief);
  }

  /** The time limit fires when the moment has come, however long that takes. */
  async function settledByTime(
    policy: PolicyOptions,
    play: Play,
    moment: (lab: Lab, time: HandTime) => Promise<void>,
  ): Promise<string[]> {
    const lab = await openLab(play);
    const time = new HandTime();
    const told: string[] = [];
    const observe = (event: Event): void => {
      if (event.type === 'settled') told.push(brief(event));
    };
    const ended = settled(way.client(createRetrier({ ...soon, ...policy, observe }, time.ports))(lab.origin));
    await moment(lab, time);
    await time.fireAt(5_000);
    await ended;
    return told;
  }

  const arrival = (lab: Lab): Promise<void> => lab.until(({ requests }) => requests.length === 1);

  test('a gate that is shut', async () => {
    const lab = await openLab(answer(503));
    const { send, events } = listened(
      { maxRetries: 0, gate: { failures: 1, deadForMs: 0, probeMs: 60_000 } },
      way,
    );
    await settled(send(lab.origin));
    await settled(send(lab.origin));
    expect(events.filter(({ type }) => type === 'settled').map(brief)).toEqual([
      'settled 503 after 1',
      'settled ERR_UNDAUNTED_GATE_SHUT after 0',
    ]);
  });

  test('an abort in a wait', async () => {
    const aborter = new AbortController();
    const schedule = (): number => {
      setImmediate(() => aborter.abort());
      return 60_000;
    };
    expect(await settledBy({ schedule }, answer(503), { signal: aborter.signal })).toEqual([
      expect.stringMatching(/^settled .* after 1$/),
    ]);
  });

  const undecided = (asked: () => void) => (): Promise<never> => {
    asked();
    return new Promise(() => undefined);
  };

  test('an abort while retryIf thinks: the attempt had ended', async () => {
    for (const play of [answer(200), answer(503), rst()]) {
      const aborter = new AbortController();
      const policy = { retryIf: undecided(() => setImmediate(() => aborter.abort())) };
      expect(await settledBy(policy, play, { signal: aborter.signal })).toEqual([
        expect.stringMatching(/^settled .* after 1$/),
      ]);
    }
  });

  const thrower = (message: string) => (): never => {
    throw new TypeError(message);
  };

  test.each<[string, PolicyOptions, Play, string]>([
    [
      'a beforeRetry that throws',
      { beforeRetry: () => Promise.reject(new TypeError('no token')) },
      answer(503),
      'settled TypeError after 1',
    ],
    ['a retryIf that throws', { retryIf: thrower('cannot tell') }, answer(200), 'settled TypeError after 0'],
    ['a schedule that throws', { schedule: thrower('no wait') }, answer(503), 'settled TypeError after 0'],
  ])('%s', async (_what, policy, play, told) => {
    expect(await settledBy(policy, play)).toEqual([told]);
  });

  test('a function that throws undefined: the request fails nevertheless', async () => {
    const lab = await openLab(answer(500));
    const { send, events } = listened({ beforeRetry: () => Promise.reject(undefined) }, way);
    await expect(
      send(lab.origin).then(
        () => 'fulfilled',
        () => 'rejected',
      ),
    ).resolves.toBe('rejected');
    expect(events.map(brief)).toEqual([
      'retry 1: transient-status',
      expect.stringMatching(/^settled \w+ after 1$/),
    ]);
  });

  test('a beforeRetry that has no end, at the deadline', async () => {
    let isAsked = false;
    const beforeRetry = (): Promise<never> => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const policy = { beforeRetry, deadlineMs: 5_000 };
    const told = await settledByTime(policy, answer(503), async (_lab, time) => {
      await time.fire(1);
      await expect.poll(() => isAsked).toBe(true);
    });
    expect(told).toEqual(['settled ERR_UNDAUNTED_DEADLINE after 1']);
  });

  test('the deadline in an attempt', async () => {
    expect(await settledByTime({ deadlineMs: 5_000 }, silence(), arrival)).toEqual([
      'settled ERR_UNDAUNTED_DEADLINE after 1',
    ]);
  });

  test('an attempt timeout', async () => {
    const policy = { attemptTimeoutMs: 5_000, maxRetries: 0 };
    expect(await settledByTime(policy, silence(), arrival)).toEqual([
      'settled ERR_UNDAUNTED_ATTEMPT_TIMEOUT after 1',
    ]);
  });
});
