/** What listeners are told: one event per decision, and one when the request is settled, however it ends. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DecisionEvent } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, decide, definePolicy, explain } from '../../../src/index.js';
import { contentOf, type Lab, type Play, refusedOrigin } from '../../faults/lab.js';
import { answer, bigBody, cutBody, rst, silence } from '../../faults/plays.js';
import { brief, type Event } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { Deferred, retryingAgent } from './kit.js';

function listened(policy: PolicyOptions = {}): { dispatcher: Dispatcher; events: Event[] } {
  const events: Event[] = [];
  const dispatcher = retryingAgent({ ...soon, ...policy, observe: (event) => void events.push(event) });
  return { dispatcher, events };
}

async function statusOf(url: string, dispatcher: Dispatcher): Promise<number> {
  const { statusCode, body } = await undici.request(url, { dispatcher });
  await body.dump();
  return statusCode;
}

describe('in order:', () => {
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
      [answer(429)],
      ['retry 1: throttled', 'stop 2: retries-spent', 'settled 429 after 2'],
    ],
  ])('%s', async (_what, plays, told) => {
    const lab = await openLab(plays);
    const { dispatcher, events } = listened(told.includes('stop 2: retries-spent') ? { maxRetries: 1 } : {});
    await statusOf(lab.origin, dispatcher);
    expect(events.map(brief)).toEqual(told);
  });

  test('an error', async () => {
    const origin = await refusedOrigin();
    const { dispatcher, events } = listened({ maxRetries: 1 });
    await settled(undici.request(origin, { dispatcher }));
    expect(events.map(brief)).toEqual([
      'retry 1: transport-error',
      'stop 2: retries-spent',
      'settled ECONNREFUSED after 2',
    ]);
  });

  test('an abort before the head', async () => {
    const lab = await openLab(silence());
    const { dispatcher, events } = listened();
    const aborter = new AbortController();
    const pending = settled(undici.request(lab.origin, { dispatcher, signal: aborter.signal }));
    await lab.until(({ requests }) => requests.length === 1);
    aborter.abort();
    await pending;
    expect(events.map(brief)).toEqual(['stop 1: aborted', expect.stringMatching(/^settled .* after 1$/)]);
  });
});

describe('says', () => {
  test('enough to decide again, and to make a sentence of it', async () => {
    const lab = await openLab([answer(503, '', { 'retry-after': '0.001' }), rst(), answer(404)]);
    const policy = definePolicy({ ...soon, attemptTimeoutMs: 10_000 });
    const events: DecisionEvent[] = [];
    const dispatcher = retryingAgent({
      ...policy.toJSON(),
      observe: (event) => {
        if (event.type === 'decision') events.push(structuredClone(event));
      },
    });

    await statusOf(lab.origin, dispatcher);

    expect(events).toHaveLength(3);
    for (const { history, world, decision } of events) {
      const before = history.slice(0, -1);
      expect(decide(policy.fallback.settings, before, decision.finding, world)).toEqual(decision);
      expect(explain(decision)).toMatch(/^[A-Z].*\.$/);
    }
    expect(events.map(({ history }) => history.length)).toEqual([1, 2, 3]);
  });

  test('rule, scope and where the request went, without its secrets', async () => {
    const lab = await openLab(answer(500, 'secret body', { 'x-secret': 'secret header' }));
    const { dispatcher, events } = listened({ rules: [{ match: '/a/*', name: 'the a', maxRetries: 1 }] });
    const { body } = await undici.request(`${lab.origin.replace('//', '//me:secret@')}/a/b?token=secret`, {
      dispatcher,
      method: 'PUT',
      headers: { authorization: 'secret' },
      body: 'secret',
    });
    await body.dump();
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

  test('a name that a function makes of the origin has no secrets either', async () => {
    const lab = await openLab(answer(500));
    const { dispatcher, events } = listened({
      maxRetries: 1,
      scope: ({ origin = '' }) => `mine: ${origin}`,
    });
    const request = { origin: lab.origin.replace('//', '//me:secret@'), path: '/', method: 'GET' } as const;
    const { body } = await dispatcher.request(request);
    await body.dump();
    expect(events.map(({ scope }) => scope)).toEqual(Array(3).fill(`mine: ${lab.origin}`));
  });

  test('a request that a function ended by throwing nothing fails, and is settled', async () => {
    const lab = await openLab(answer(500));
    const { dispatcher, events } = listened({ beforeRetry: () => Promise.reject(undefined) });
    const { error } = await settled(undici.request(lab.origin, { dispatcher }));
    expect(error).toMatchObject({ message: 'undaunted: what was thrown is no error: undefined' });
    expect(events.map(brief)).toEqual(['retry 1: transient-status', 'settled Error after 1']);
  });

  test('the same on the diagnostics channel', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const { dispatcher, events } = listened();
    const published: unknown[] = [];
    const listener = (message: unknown): void => {
      published.push(message);
    };
    subscribe('undaunted:decision', listener);
    onTestFinished(() => void unsubscribe('undaunted:decision', listener));
    await statusOf(lab.origin, dispatcher);
    expect(published).toHaveLength(3);
    expect(published).toEqual(events);
  });
});

test('a listener that throws is warned of, and changes nothing', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const broken = new Error('broken listener');
  const dispatcher = retryingAgent({
    ...soon,
    observe: () => {
      throw broken;
    },
  });
  const warned = once(process, 'warning');
  expect(await statusOf(lab.origin, dispatcher)).toBe(200);
  const [warning] = (await warned) as [Error];
  expect(warning.cause).toBe(broken);
  expect(lab.requests).toHaveLength(2);
});

test('a listener that asks for another request in its event does not disturb this one', async () => {
  const lab = await openLab(({ path }) => (path === '/inner' ? answer(200) : answer(503)));
  const inner: Promise<number>[] = [];
  const dispatcher: Dispatcher = retryingAgent({
    ...soon,
    maxRetries: 1,
    observe: (event) => {
      if (!event.request.url.endsWith('/inner')) inner.push(statusOf(`${lab.origin}/inner`, dispatcher));
    },
  });
  expect(await statusOf(lab.origin, dispatcher)).toBe(503);
  expect(await Promise.all(inner)).toEqual([200, 200, 200]);
});

describe('every request is settled once, also one that ends by', () => {
  async function settledBy(policy: PolicyOptions, play: Play | Play[], more: object = {}): Promise<string[]> {
    const lab = await openLab(play);
    const { dispatcher, events } = listened(policy);
    const { value } = await settled(undici.request(lab.origin, { dispatcher, ...more } as never));
    if (value !== undefined) await settled((value as Dispatcher.ResponseData).body.dump());
    return events.filter(({ type }) => type === 'settled').map(brief);
  }

  /** The deadline strikes when the moment has come, however long that takes. */
  async function settledByDeadline(
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
    const retrier = createRetrier({ ...soon, ...policy, deadlineMs: 5_000, observe }, time.ports);
    const ended = settled(undici.request(lab.origin, { dispatcher: retryingAgent(retrier) }));
    await moment(lab, time);
    await time.fire(5_000);
    await ended;
    return told;
  }

  test('a gate that is shut', async () => {
    const lab = await openLab(answer(503));
    const { dispatcher, events } = listened({ maxRetries: 0, gate: { failures: 1, deadForMs: 0 } });
    await statusOf(lab.origin, dispatcher);
    await settled(undici.request(lab.origin, { dispatcher }));
    expect(events.filter(({ type }) => type === 'settled').map(brief)).toEqual([
      'settled 503 after 1',
      'settled ERR_UNDAUNTED_GATE_SHUT after 0',
    ]);
  });

  test('an abort in a wait', async () => {
    const aborter = new AbortController();
    const told = await settledBy(
      {
        schedule: () => {
          setImmediate(() => aborter.abort());
          return 60_000;
        },
      },
      answer(503),
      { signal: aborter.signal },
    );
    expect(told).toEqual([expect.stringMatching(/ after 1$/)]);
  });

  test('a beforeRetry that throws', async () => {
    const beforeRetry = () => Promise.reject(new TypeError('no token'));
    expect(await settledBy({ beforeRetry }, answer(503))).toEqual(['settled TypeError after 1']);
  });

  test('a beforeRetry that has no end, at the deadline', async () => {
    const asked = new Deferred();
    const beforeRetry = () => {
      asked.resolve();
      return new Promise<void>(() => undefined);
    };
    const told = await settledByDeadline({ beforeRetry }, answer(503), async (_lab, time) => {
      await time.fire(1);
      await asked.promise;
    });
    expect(told).toEqual(['settled ERR_UNDAUNTED_DEADLINE after 1']);
  });

  test('a retryIf that throws', async () => {
    const retryIf = () => {
      throw new TypeError('cannot tell');
    };
    expect(await settledBy({ retryIf }, answer(200))).toEqual([expect.stringMatching(/^settled TypeError/)]);
  });

  test('the deadline in an attempt', async () => {
    const told = await settledByDeadline({}, silence(), (lab) =>
      lab.until(({ requests }) => requests.length === 1),
    );
    expect(told).toEqual(['settled ERR_UNDAUNTED_DEADLINE after 1']);
  });

  test('a body that broke off and was resumed', async () => {
    const size = 100_000;
    const headers = { etag: '"a"', 'accept-ranges': 'bytes' };
    const rest = {
      ...headers,
      'content-range': `bytes 1000-${size - 1}/${size}`,
      'content-length': `${size - 1_000}`,
    };
    const lab = await openLab([
      cutBody(size, 1_000, 'rst', headers),
      {
        steps: [
          { do: 'head', status: 206, headers: rest },
          { do: 'fill', bytes: size - 1_000, from: 1_000 },
          { do: 'end' },
        ],
      },
    ]);
    const { dispatcher, events } = listened();
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect(Buffer.from(await body.arrayBuffer()).equals(contentOf('a', 0, size))).toBe(true);
    expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  });

  test('an abort in the body', async () => {
    const lab = await openLab(bigBody(10_000_000));
    const { dispatcher, events } = listened();
    const aborter = new AbortController();
    const { body } = await undici.request(lab.origin, { dispatcher, signal: aborter.signal });
    aborter.abort();
    await settled(body.arrayBuffer());
    expect(events.map(brief)).toEqual(['settled 200 after 1']);
  });
});
