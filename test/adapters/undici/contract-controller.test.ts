/** One controller for the whole request: the caller's controller acts on whatever connection is in use. */

import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, bigBody, closeAfter, endlessBody, type Lab, onCue, rst, silence } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { undici } from './client.js';
import {
  type Generation,
  type Hold,
  type Reactions,
  type Recorder,
  recorder,
  terminalCalls,
} from './generations.js';
import { littleBytes, muchBytes, openAgent, retryingAgent, whileAnotherReads } from './kit.js';

const mebibyte = 1_048_576;
const endless = endlessBody(mebibyte);

function dispatched(
  agent: Dispatcher,
  lab: Lab,
  generation: Generation,
  reactions: Reactions = {},
): Recorder {
  const handler = recorder(generation, reactions);
  agent.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, handler);
  return handler;
}

const beginnings = [
  ['at once', [endless]],
  ['after a 503', [answer(503, 'no'), endless]],
  ['after an RST', [rst(), endless]],
] as const;

const moreBeginnings = [
  ...beginnings,
  ['after a 503 with close', [closeAfter(answer(503, 'no')), endless]],
  ['after a 503 that is cut off', [endlessBody(mebibyte, 503), endless]],
] as const;

describe.each<Generation>([1, 2])('a handler of generation %i that pauses', (generation) => {
  test.each(beginnings)('stalls the server, and goes on when it resumes: %s', async (_name, plays) => {
    const lab = await openLab(plays);
    const agent = retryingAgent();
    let isPaused = true;
    let leaks = 0;
    const heard = dispatched(agent, lab, generation, {
      onHead: (_status, hold) => hold.pause(),
      onData: () => {
        if (isPaused) leaks += 1;
      },
    });
    await lab.until(({ requests }) => requests.length === plays.length);
    const before = lab.bytesSent;
    await whileAnotherReads();
    expect(leaks).toBe(0);
    expect(lab.bytesSent - before).toBeLessThan(littleBytes);

    isPaused = false;
    heard.hold?.resume();
    await lab.until(({ bytesSent }) => bytesSent - before > littleBytes);
    heard.hold?.abort(new Error('enough'));
    await heard.settled;
    expect(terminalCalls(heard)).toBe(1);
  });

  test('and resumes again and again gets every byte', async () => {
    const size = 4 * mebibyte;
    const lab = await openLab([answer(503), bigBody(size)]);
    const heard = dispatched(retryingAgent(), lab, generation, {
      onHead: (_status, hold) => pauseFor(hold),
      onData: (_chunk, hold) => pauseFor(hold),
    });
    await heard.settled;
    expect(heard.calls.at(-1)).toBe('end');
    expect(heard.body.length).toBe(size);
  });
});

function pauseFor(hold: Hold): void {
  hold.pause();
  void setImmediate().then(() => hold.resume());
}

test.each(['request', 'fetch'] as const)(
  'an unread body of %s() stalls the server after a retry',
  async (way) => {
    const lab = await openLab([answer(503, 'no'), endless]);
    const agent = retryingAgent();
    const response = await (way === 'fetch'
      ? undici.fetch(lab.origin, { dispatcher: agent })
      : agent.request({ origin: lab.origin, path: '/', method: 'GET' }));
    const before = lab.bytesSent;
    await whileAnotherReads();
    expect(lab.bytesSent - before).toBeLessThan(littleBytes);

    let left = muchBytes;
    for await (const chunk of response.body ?? []) {
      left -= (chunk as Uint8Array).length;
      if (left <= 0) break;
    }
    expect(lab.bytesSent - before).toBeGreaterThan(littleBytes);
    // The response is referenced until here: fetch ends a body once its response is garbage collected.
    expect(response.body).not.toBeNull();
  },
);

describe('a pause before there is a head', () => {
  // The first generation cannot pause before there is a head.
  const pausedAtStart: Reactions = { onStart: (hold) => hold.pause() };

  test.each(beginnings)('is remembered: %s', async (_name, plays) => {
    const lab = await openLab(plays);
    const agent = retryingAgent();
    const heard = dispatched(agent, lab, 2, pausedAtStart);
    await lab.until(({ requests }) => requests.length === plays.length);
    const before = lab.bytesSent;
    await whileAnotherReads();
    expect(heard.calls).not.toContain('data');
    expect(lab.bytesSent - before).toBeLessThan(littleBytes);
    heard.hold?.resume();
    await lab.until(({ bytesSent }) => bytesSent - before > littleBytes);
    heard.hold?.abort(new Error('enough'));
    await heard.settled;
  });

  test('and taken back in the wait is forgotten', async () => {
    const waits = new Waits('when told');
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const heard = dispatched(
      retryingAgent(createRetrier(soon, { sleep: waits.sleep })),
      lab,
      2,
      pausedAtStart,
    );
    await waits.until(1);
    heard.hold?.resume();
    waits.wake();
    await heard.settled;
    expect(heard.body.toString()).toBe('ok');
  });

  test('does not keep a response that is discarded from being drained', async () => {
    const lab = await openLab([answer(503, 'x'.repeat(20_000)), answer(200, 'ok')]);
    // The response may take any time to arrive; with a second connection, the retry would not wait for it.
    const retrier = createRetrier(soon, { sleep: new Waits().sleep });
    const heard = dispatched(retryingAgent(retrier, { connections: 1 }), lab, 2, {
      ...pausedAtStart,
      onHead: (_status, hold) => hold.resume(),
    });
    await heard.settled;
    expect(heard.body.toString()).toBe('ok');
    expect(lab.connections).toBe(1);
  });
});

test('the controller is the same in every callback, and shows the head that the caller got', async () => {
  const lab = await openLab([answer(503), rst(), answer(200, 'ok', { 'x-attempt': 'third' })]);
  const holds = new Set<Hold>();
  const heard = dispatched(retryingAgent(), lab, 2, {
    onStart: (hold) => holds.add(hold),
    onHead: (_status, hold) => holds.add(hold),
    onData: (_chunk, hold) => holds.add(hold),
  });
  await heard.settled;
  expect(holds.size).toBe(1);
  expect(heard.rawHeaders.flat()).toContain('third');
});

/** Waits until every connection that a request was on is closed. (undici 6 then opens a spare one.) */
function untilHungUp(lab: Lab): Promise<void> {
  const used = new Set(lab.requests.map(({ connection }) => connection)).size;
  return lab.until(({ connections, openSockets }) => connections - openSockets >= used);
}

describe.each<Generation>([1, 2])('an abort by a handler of generation %i', (generation) => {
  const reason = new Error('the caller has had enough');

  async function expectAborted(heard: Recorder, lab: Lab, requests: number): Promise<void> {
    await heard.settled;
    expect(heard.error).toBe(reason);
    await untilHungUp(lab);
    expect(terminalCalls(heard)).toBe(1);
    expect(lab.requests).toHaveLength(requests);
  }

  test('when it starts: nothing is sent', async () => {
    const lab = await openLab(answer(200));
    const heard = dispatched(retryingAgent(), lab, generation, { onStart: (hold) => hold.abort(reason) });
    await expectAborted(heard, lab, 0);
    expect(heard.calls).toEqual(['start', 'error']);
    expect(lab.connections).toBe(0);
  });

  test.each([
    ['of the first attempt', [silence()]],
    ['of the second attempt', [closeAfter(answer(503)), silence()]],
  ] as const)('while the server is silent: %s', async (_name, plays) => {
    const lab = await openLab(plays);
    const heard = dispatched(retryingAgent(), lab, generation);
    await lab.until(({ requests }) => requests.length === plays.length);
    heard.hold?.abort(reason);
    await expectAborted(heard, lab, plays.length);
  });

  test('in the wait: nothing more is sent', async () => {
    const waits = new Waits('when told');
    const lab = await openLab([closeAfter(answer(503)), answer(200)]);
    const heard = dispatched(retryingAgent(createRetrier(soon, { sleep: waits.sleep })), lab, generation);
    await waits.until(1);
    heard.hold?.abort(reason);
    expect(heard.error).toBe(reason);
    expect(waits.pending).toBe(0);
    await expectAborted(heard, lab, 1);
  });

  test.each(moreBeginnings)('at the head: %s', async (_name, plays) => {
    const lab = await openLab(plays);
    const heard = dispatched(retryingAgent(), lab, generation, {
      onHead: (_status, hold) => hold.abort(reason),
    });
    await expectAborted(heard, lab, plays.length);
    expect(heard.calls).not.toContain('data');
  });

  test.each(moreBeginnings)('in the body: %s', async (_name, plays) => {
    const lab = await openLab(plays);
    const heard = dispatched(retryingAgent(), lab, generation, {
      onData: (_chunk, hold) => hold.abort(reason),
    });
    await expectAborted(heard, lab, plays.length);
  });

  test('after the end does nothing', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const agent = retryingAgent();
    const heard = dispatched(agent, lab, generation);
    await heard.settled;
    heard.hold?.abort(reason);
    await agent.close();
    expect(heard.error).toBeUndefined();
    expect(terminalCalls(heard)).toBe(1);
  });
});

test('the signal of request() acts on the attempt that waits for a connection', async () => {
  const lab = await openLab(onCue('later', answer(200)));
  const agent = openAgent({ connections: 1 });
  const composed = agent.compose(retry(soon));
  const first = composed.request({ origin: lab.origin, path: '/first', method: 'GET' });
  await lab.until(({ requests }) => requests.length === 1);
  const caller = new AbortController();
  const second = settled(
    composed.request({ origin: lab.origin, path: '/second', method: 'GET', signal: caller.signal }),
  );
  caller.abort(new Error('not worth the wait'));
  expect((await second).error).toBe(caller.signal.reason);
  lab.cue('later');
  await (await first).body.dump();
  await agent.close();
  expect(lab.requests.map(({ path }) => path)).toEqual(['/first']);
});

test('an abort of the body that was handed over ends the connection', async () => {
  const lab = await openLab([answer(503), endless]);
  const { body } = await retryingAgent().request({ origin: lab.origin, path: '/', method: 'GET' });
  body.on('error', () => undefined).destroy();
  await untilHungUp(lab);
  expect(lab.requests).toHaveLength(2);
});
