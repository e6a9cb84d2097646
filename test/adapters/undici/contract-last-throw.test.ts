/**
 * An error that the caller's last callback throws goes up to the calling code, as without us: to undici, or to the
 * caller that aborts. The request is cleaned up, and others go on.
 */

import type { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, type Play, silence, stallInBody } from '../../faults/lab.js';
import { thinker, wait } from '../abort-moments.js';
import { HandTime, withTimersBelow } from '../hand-time.js';
import { openLab } from '../kit.js';
import { early, late } from './abort-scenes.js';
import { undici } from './client.js';
import { type Generation, native, type Recorder, recorder, terminalCalls } from './generations.js';
import { openAgent } from './kit.js';

const thrown = new Error('thrown in the last callback');

const throwing = (generation: Generation): Recorder =>
  recorder(generation, {
    onError: () => {
      throw thrown;
    },
  });

/** A client, and the events that it emits. */
function openClient(origin: string): { client: Dispatcher; emitted: unknown[] } {
  const client = new undici.Client(origin);
  const emitted: unknown[] = [];
  const emitter: EventEmitter = client;
  emitter.on('error', (error: unknown) => emitted.push(error));
  onTestFinished(() => client.destroy());
  return { client, emitted };
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('after an abort', () => {
  const sent: [string, Play, () => unknown][] = [
    ['before the answer', silence(), () => null],
    ['before the answer to a Blob', silence('head'), () => new Blob(['x'.repeat(8_000_000)])],
    ['in the body', stallInBody(100), () => null],
  ];

  test.each(sent)('%s, it goes where it goes with the bare dispatcher', async (_name, script, body) => {
    for (const ours of [false, true]) {
      const lab = await openLab(script);
      const { client, emitted } = openClient(lab.origin);
      const heard = throwing(native);
      const options = {
        origin: lab.origin,
        path: '/',
        method: 'PUT',
        body: body(),
      } as Dispatcher.DispatchOptions;
      (ours ? client.compose(retry()) : client).dispatch(options, heard);
      await lab.until(({ requests }) => requests.length === 1);
      expect(thrownBy(() => heard.hold?.abort(new Error('mine')))).toBeUndefined();
      expect(emitted).toEqual([thrown]);
      expect(terminalCalls(heard)).toBe(1);
    }
  });

  const places = [...early, ...late].flatMap(([place, scene]) =>
    ([1, 2] as const).map((generation) => [place, generation, scene] as const),
  );

  test.each(places)(
    '%s, generation %i: it is thrown once, and nothing is left',
    async (_place, generation, scene) => {
      const time = new HandTime();
      const { asked, ask } = thinker();
      const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
      const policy: PolicyOptions = {
        schedule,
        deadlineMs: 100_000,
        deadlineCovers: 'body',
        ...scene.policy?.(ask),
      };
      const lab = await openLab(scene.plays);
      const { client, emitted } = openClient(lab.origin);
      const heard = throwing(generation);
      const ours = client.compose(retry(createRetrier(policy, time.ports)));
      ours.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
      await scene.reach({ lab, time: withTimersBelow(99_000, time), asked });
      const fromAbort = thrownBy(() => heard.hold?.abort(new Error('mine')));
      expect([fromAbort, ...emitted].filter((error) => error !== undefined)).toEqual([thrown]);
      expect(terminalCalls(heard)).toBe(1);
      const drainMs = 1_000;
      expect(time.pending.filter((delayMs) => delayMs !== drainMs)).toEqual([]);
      lab.play(answer(200));
      const next = recorder(2);
      client.compose(retry()).dispatch({ origin: lab.origin, path: '/', method: 'GET' }, next);
      await next.settled;
      expect(next.calls).toContain('end');
    },
  );
});

test('at once, from a dispatcher that is closed: as bare, dispatch() throws it', async () => {
  for (const generation of [1, 2] as const) {
    const agent = openAgent();
    await agent.destroy();
    const options = { origin: 'http://127.0.0.1:1', path: '/', method: 'GET' } as const;
    expect(thrownBy(() => agent.dispatch(options, throwing(native)))).toBe(thrown);
    expect(thrownBy(() => agent.compose(retry()).dispatch(options, throwing(generation)))).toBe(thrown);
  }
});

describe('a failure that is not an Error', () => {
  const failing: Dispatcher.DispatcherComposeInterceptor = () => (_options, handler) => {
    if (native === 1) handler.onError?.(null as never);
    else handler.onResponseError?.(null as never, null as never);
    return true;
  };

  test('reported by the dispatcher underneath, still reaches the caller as an error', async () => {
    const dispatcher = openAgent().compose(failing, retry({ maxRetries: 0 }));
    const asked = dispatcher.request({ origin: 'http://127.0.0.1:1', path: '/', method: 'GET' });
    await expect(asked).rejects.toThrow('a value that is not an error was thrown: null');
  });

  test.each([0, '', null, undefined])(
    'thrown by the handler, once it has its head late: %s',
    async (falsy) => {
      const lab = await openLab(answer(200, 'ok'));
      const heard = recorder(2, {
        onHead: () => {
          throw falsy;
        },
      });
      const dispatcher = openAgent().compose(retry({ retryIf: async () => undefined }));
      dispatcher.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
      await heard.settled;
      expect(heard.error).toBeInstanceOf(Error);
      expect(terminalCalls(heard)).toBe(1);
    },
  );
});
