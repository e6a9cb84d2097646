/** Errors thrown by the caller's own code reach the caller as with the bare dispatcher, and are never retried. */

import type { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, closeAfter, informational, type Lab, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { major, undici } from './client.js';
import {
  type Generation,
  isEarly7,
  native,
  type Reactions,
  type Recorder,
  recorder,
  terminalCalls,
} from './generations.js';
import { openAgent, retryingAgent } from './kit.js';

/** An error that looks like a connection's, so that only its origin tells them apart. */
function lookalike(): Error {
  return Object.assign(new Error('thrown by the caller'), { code: 'ECONNRESET', syscall: 'connect' });
}

const callbacks: readonly (keyof Reactions)[] = [
  'onStart',
  'onHead',
  'onData',
  'onEnd',
  // undici 7 does not call these on handlers of the second generation.
  ...(major === 7 ? [] : (['onBodySent', 'onRequestSent'] as const)),
  ...(major === 6 || isEarly7 ? [] : (['onResponseStarted'] as const)),
];

async function heardFrom(dispatcher: Dispatcher, lab: Lab, heard: Recorder): Promise<Recorder> {
  dispatcher.dispatch({ origin: lab.origin, path: '/', method: 'PUT', body: 'hello' }, heard);
  await heard.settled;
  return heard;
}

/** Counts, underneath, what was sent or about to be sent. */
class Sendings {
  number = 0;

  readonly count: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    this.number += 1;
    return dispatch(options, handler);
  };
}

describe.each(callbacks)('an exception in %s', (callback) => {
  test.each<[when: string, before: PolicyOptions, generation: Generation]>([
    ['the first generation', soon, 1],
    ['the second generation', soon, 2],
    ['with an async retryIf', { ...soon, retryIf: async () => undefined }, native],
    ['with a deadline', { ...soon, deadlineMs: 600_000, attemptTimeoutMs: 600_000 }, native],
  ])(
    'is the error that the caller gets, as bare, and is not retried: %s',
    async (_name, policy, generation) => {
      const lab = await openLab(answer(200, 'ok'));
      const thrown = lookalike();
      const reactions: Reactions = {
        [callback]: () => {
          throw thrown;
        },
      };
      const agent = openAgent();
      const sendings = new Sendings();
      const bare = await heardFrom(agent, lab, recorder(native, reactions));
      const ours = await heardFrom(
        agent.compose(sendings.count, retry(policy)),
        lab,
        recorder(generation, reactions),
      );
      await settled(agent.close());
      expect(bare.error).toBe(thrown);
      expect(ours.error).toBe(thrown);
      expect(terminalsOf(ours)).toEqual(terminalsOf(bare));
      expect(sendings.number).toBe(callback === 'onStart' ? 0 : 1);
    },
  );

  test('of a later attempt is not retried either', async () => {
    if (callback === 'onStart') return;
    const lab = await openLab([closeAfter(answer(503)), rst(), answer(200, 'ok')]);
    const agent = openAgent();
    const sendings = new Sendings();
    const thrown = lookalike();
    const heard = recorder(native, {
      [callback]: () => {
        if (sendings.number === 3) throw thrown;
      },
    });
    await heardFrom(agent.compose(sendings.count, retry(soon)), lab, heard);
    await settled(agent.close());
    expect(heard.error).toBe(thrown);
    expect(terminalsOf(heard)).toEqual(callback === 'onEnd' ? ['end', 'error'] : ['error']);
    expect(sendings.number).toBe(3);
  });
});

function terminalsOf({ calls }: Recorder): string[] {
  return calls.filter((call) => call === 'end' || call === 'error');
}

test('an exception at a 1xx is not retried', async () => {
  const lab = await openLab(informational(103, {}, answer(200)));
  const thrown = lookalike();
  const heard = recorder(2, {
    onHead: () => {
      throw thrown;
    },
  });
  await heardFrom(retryingAgent(), lab, heard);
  expect(heard.error).toBe(thrown);
  expect(terminalCalls(heard)).toBe(1);
  expect(lab.requests).toHaveLength(1);
});

describe('an exception in the last callback, onResponseError', () => {
  test('goes where the bare dispatcher sends it', async () => {
    const lab = await openLab(rst());
    const thrown = lookalike();
    const reactions: Reactions = {
      onError: () => {
        throw thrown;
      },
    };
    const emitted: [string, unknown][] = [];
    const listen = (name: string, client: Dispatcher): Dispatcher => {
      const emitter: EventEmitter = client;
      emitter.on('error', (error: unknown) => emitted.push([name, error]));
      return client;
    };
    const bare = listen('bare', new undici.Client(lab.origin));
    const ours = listen('ours', new undici.Client(lab.origin));
    onTestFinished(() => Promise.all([bare.destroy(), ours.destroy()]).then(() => undefined));
    const heard = recorder(2, reactions);
    await heardFrom(bare, lab, recorder(native, reactions));
    await heardFrom(ours.compose(retry(soon)), lab, heard);
    expect(emitted).toEqual([
      ['bare', thrown],
      ['ours', thrown],
    ]);
    expect(terminalCalls(heard)).toBe(1);
    expect(lab.requests).toHaveLength(1 + 4);
  });
});

describe('an exception in a hook', () => {
  const thrown = lookalike();
  const throwing = (): never => {
    throw thrown;
  };
  const rejecting = (): Promise<never> => Promise.reject(thrown);

  test.each<[string, PolicyOptions]>([
    ['retryIf', { retryIf: throwing }],
    ['async retryIf', { retryIf: rejecting }],
    ['beforeRetry', { beforeRetry: throwing }],
    ['async beforeRetry', { beforeRetry: rejecting }],
    ['an invalid URL', { beforeRetry: (context) => void Object.assign(context, { url: 'no url' }) }],
  ])('fails the request with that error, and is not retried: %s', async (_name, policy) => {
    const lab = await openLab(closeAfter(answer(503)));
    const agent = openAgent();
    const heard = await heardFrom(agent.compose(retry({ ...soon, ...policy })), lab, recorder(2));
    await settled(agent.close());
    if (_name === 'an invalid URL') expect(heard.error).toBeInstanceOf(TypeError);
    else expect(heard.error).toBe(thrown);
    expect(terminalCalls(heard)).toBe(1);
    expect(lab.requests).toHaveLength(1);
  });

  test.each<[string, () => unknown, number]>([
    ['throws', throwing, 0],
    ['rejects', rejecting, 0],
  ])('a body factory that %s: that error, and nothing is sent', async (_name, body, requests) => {
    const lab = await openLab(answer(200));
    const heard = recorder(2);
    retryingAgent().dispatch({ origin: lab.origin, path: '/', method: 'PUT', body: body as never }, heard);
    await heard.settled;
    expect(heard.error).toBe(thrown);
    expect(lab.requests).toHaveLength(requests);
  });

  test('a schedule that throws fails the request with that error', async () => {
    const lab = await openLab(closeAfter(answer(503)));
    const agent = openAgent();
    const heard = recorder(2);
    agent
      .compose(retry({ schedule: throwing }))
      .dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
    await heard.settled;
    await settled(agent.close());
    expect(heard.error).toBe(thrown);
    expect(terminalCalls(heard)).toBe(1);
  });

  test('a key that cannot be made fails the request with that error, and nothing is sent', async () => {
    const lab = await openLab(answer(200));
    const heard = await heardFrom(
      retryingAgent({ ...soon, idempotencyKey: { generate: throwing } }),
      lab,
      recorder(2),
    );
    expect(heard.error).toBe(thrown);
    expect(lab.requests).toHaveLength(0);
  });

  test('a scope that cannot be named fails the request with that error, and nothing is sent', async () => {
    const lab = await openLab(answer(200));
    const heard = await heardFrom(retryingAgent({ ...soon, scope: throwing }), lab, recorder(2));
    expect(heard.error).toBe(thrown);
    expect(lab.requests).toHaveLength(0);
  });

  test('observe: the request goes on', async () => {
    const lab = await openLab([closeAfter(answer(503)), answer(200)]);
    const warned: unknown[] = [];
    const onWarning = (warning: Error): void => void warned.push(warning.cause);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const warning = new Promise((resolve) => process.once('warning', resolve));
    const heard = await heardFrom(retryingAgent({ ...soon, observe: throwing }), lab, recorder(2));
    await warning;
    expect(heard.calls).toContain('head 200');
    expect(warned).toContain(thrown);
  });
});

test('an abort in a hook ends the request with that reason, once', async () => {
  const lab = await openLab(closeAfter(answer(503)));
  const reason = new Error('changed my mind');
  const waits = new Waits('when told');
  const heard: Recorder = recorder(2);
  const policy: PolicyOptions = { ...soon, beforeRetry: () => heard.hold?.abort(reason) };
  const agent = openAgent();
  agent
    .compose(retry(createRetrier(policy, { sleep: waits.sleep })))
    .dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
  await waits.until(1);
  waits.wake();
  await heard.settled;
  await agent.close();
  expect(heard.error).toBe(reason);
  expect(terminalCalls(heard)).toBe(1);
  expect(lab.requests).toHaveLength(1);
});
