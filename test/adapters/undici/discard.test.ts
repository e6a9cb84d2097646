/** Discarded answers: their connections are kept if that is cheap, and cut otherwise. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import {
  answer,
  answerChunked,
  bigBody,
  closeAfter,
  cutBody,
  endlessBody,
  halfHead,
  type Lab,
  type Play,
  rst,
  stallInBody,
  tooLong,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { isFirst6 } from './client.js';
import { retryingAgent } from './kit.js';

/** The connection of each request, in order. Some versions of undici open spare connections. */
function connectionsOf({ requests }: Lab): number[] {
  return requests.map(({ connection }) => connection);
}

function ask(dispatcher: Dispatcher, { origin }: Lab, method = 'GET'): Promise<Dispatcher.ResponseData> {
  return dispatcher.request({ origin, path: '/', method: method as 'GET' });
}

describe('a small rest is read, and the connection is used again', () => {
  /** An agent whose drain timer does not fire before the rest arrives, however long a busy machine takes. */
  function patient(policy: PolicyOptions = soon): Dispatcher {
    return retryingAgent(createRetrier(policy, { sleep: new Waits().sleep }), { connections: 1 });
  }

  test.each<[string, Play]>([
    ['nothing at all', answer(503)],
    ['a few bytes', answer(503, 'not now')],
    ['a few chunks', answerChunked(['not ', 'now'], { 'x-trailer': '1' }, 503)],
    ['as much as is drained', bigBody(65_536, 503)],
  ])('%s', async (_name, play) => {
    const lab = await openLab([play, play, play, answer(200)]);
    // With a second connection, a retry would not wait for the rest.
    const response = await ask(patient(), lab);
    expect(response.statusCode).toBe(200);
    expect(connectionsOf(lab)).toEqual([1, 1, 1, 1]);
  });

  // undici 6.17 closes the connection after a DELETE with a body, whatever comes back.
  test.each(['POST', 'PUT', ...(isFirst6 ? [] : ['DELETE'])])(
    'after a %s with a body that was sent whole',
    async (method) => {
      const lab = await openLab([answer(429), answer(429, 'no'), answer(200)]);
      const agent = patient();
      const given = { origin: lab.origin, path: '/', method: method as 'PUT', body: 'text' };
      expect((await agent.request({ ...given, reset: false })).statusCode).toBe(200);
      expect(lab.requests.map(({ body }) => body.toString())).toEqual(['text', 'text', 'text']);
      expect(connectionsOf(lab)).toEqual([1, 1, 1]);
    },
  );

  // Responses that end with their head, whatever their length header says.
  test.each([204, 205, 304])('%d, retried on request', async (status) => {
    const policy: PolicyOptions = { ...soon, statuses: [status] };
    const lab = await openLab([answer(status), answer(status), answer(200)]);
    expect((await ask(patient(policy), lab)).statusCode).toBe(200);
    expect(connectionsOf(lab)).toEqual([1, 1, 1]);
  });
});

describe('HEAD', () => {
  test.each<[string, Play]>([
    ['short', answer(503, 'not now')],
    ['long, in words', bigBody(64 * 1024 * 1024, 503)],
    ['without a length', endlessBody(65_536, 503)],
  ])('has no rest, %s', async (_name, play) => {
    const lab = await openLab([play, play, answer(200, 'yes')]);
    const response = await ask(retryingAgent(), lab, 'HEAD');
    expect([response.statusCode, response.headers['content-length']]).toEqual([200, '3']);
    expect(lab.requests).toHaveLength(3);
    expect(lab.bytesSent).toBeLessThan(1000);
  });
});

describe('a big rest is cut off, and delays nothing', () => {
  // The most that is in flight when the client cuts off: the kernel's buffers on both sides.
  const enough = 16 * 1024 * 1024;

  test.each<[string, Play]>([
    ['64 MiB', bigBody(64 * 1024 * 1024, 503)],
    ['without end', endlessBody(65_536, 503)],
  ])('%s', async (_name, play) => {
    const lab = await openLab([play, play, answer(200)]);
    const agent = retryingAgent();
    expect((await ask(agent, lab)).statusCode).toBe(200);
    expect(lab.bytesSent).toBeLessThan(2 * enough);
    expect(new Set(connectionsOf(lab)).size).toBe(3);
    // After this, no more bytes come.
    await agent.close();
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.bytesSent).toBeLessThan(2 * enough);
  });

  test('65,537 bytes are too many', async () => {
    const lab = await openLab([bigBody(65_537, 503), answer(200)]);
    expect((await ask(retryingAgent(soon, { connections: 1 }), lab)).statusCode).toBe(200);
    const [first, second] = connectionsOf(lab);
    expect(second).not.toBe(first);
  });

  test('one that drips in is cut off after a while, and the retry does not wait for its connection', async () => {
    const lab = await openLab([stallInBody(3, 503), answer(200)]);
    const time = new HandTime();
    const agent = retryingAgent(createRetrier({ ...soon, maxRetries: 1 }, time.ports), { connections: 2 });
    const asked = ask(agent, lab);
    // The retry is sent before the drain time is up.
    await time.fire(1);
    expect((await asked).statusCode).toBe(200);
    const [patience] = time.pending;
    expect(patience).toBeGreaterThan(0);
    await time.fire(patience ?? 0);
    await agent.close();
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(time.timers.filter(({ delayMs }) => delayMs === patience)).toMatchObject([{ unref: true }]);
    expect(time.pending).toEqual([]);
  });

  test('with one connection only, the retry gets it once the rest is given up', async () => {
    const lab = await openLab([stallInBody(3, 503), answer(200)]);
    const time = new HandTime();
    const agent = retryingAgent(createRetrier(soon, time.ports), { connections: 1 });
    const asked = ask(agent, lab);
    await time.fire(1);
    const [patience] = time.pending;
    await time.fire(patience ?? 0);
    expect((await asked).statusCode).toBe(200);
    const [one, other] = connectionsOf(lab);
    expect(other).not.toBe(one);
  });

  test('the clock that watches a rest is stopped when the rest is in', async () => {
    const lab = await openLab([answerChunked(['a', 'b'], {}, 503), answer(200)]);
    const time = new HandTime();
    const asked = ask(retryingAgent(createRetrier(soon, time.ports)), lab);
    await time.fire(1);
    expect((await asked).statusCode).toBe(200);
    await time.until(({ pending }) => pending.length === 0);
  });
});

describe('a peer that misuses its connection after the failed head does no harm', () => {
  test.each<[string, Play]>([
    ['it says close, and does', closeAfter(answer(503, 'not now'))],
    ['it ends without a word', { steps: [...answer(503, 'not now').steps, { do: 'fin' }] }],
    ['it is reset', { steps: [...answer(503, 'not now').steps, { do: 'rst' }] }],
    ['it ends in the middle of the rest', cutBody(1000, 10, 'fin')],
    ['it is reset in the middle of the rest', cutBody(1000, 10, 'rst')],
    [
      'it goes on talking',
      { steps: [...answer(503).steps, { do: 'write', text: 'and another thing' }, { do: 'fin' }] },
    ],
  ])('%s', async (_name, play) => {
    const failing: Play = {
      ...play,
      steps: play.steps.map((step) => (step.do === 'head' ? { ...step, status: 503 } : step)),
    };
    const lab = await openLab([failing, failing, failing, answer(200, 'at last')]);
    // A connection that dies under an unanswered request costs a retry of its own.
    const response = await ask(retryingAgent({ ...soon, maxRetries: 10 }), lab);
    expect(await response.body.text()).toBe('at last');
    expect(lab.requests).toHaveLength(4);
  });

  test('other faults in a row', async () => {
    const lab = await openLab([tooLong('x', 'y'.repeat(9)), answer(200)]);
    const policy: PolicyOptions = { ...soon, statuses: [200], maxRetries: 1 };
    expect((await ask(retryingAgent(policy), lab)).statusCode).toBe(200);
    const next = await openLab([halfHead('fin'), rst(), answer(200)]);
    expect((await ask(retryingAgent(), next)).statusCode).toBe(200);
  });
});

describe('no connection is held during a wait', () => {
  test.each<[string, Play, boolean]>([
    ['after a short answer', answer(503, 'not now'), true],
    ['after a long one', bigBody(1024 * 1024, 503), false],
    ['after one without end', endlessBody(65_536, 503), false],
    ['after a reset', rst(), false],
  ])('with one connection, another request is served, %s', async (_name, play, isKept) => {
    const lab = await openLab([play, answer(200, 'other'), answer(200, 'first')]);
    const time = new HandTime();
    const agent = retryingAgent(createRetrier(soon, time.ports), { connections: 1 });
    const first = ask(agent, lab);
    await time.until(({ pending }) => pending.includes(1));
    const other = await ask(agent, lab);
    expect(await other.body.text()).toBe('other');
    await time.fire(1);
    expect(await (await first).body.text()).toBe('first');
    const [one, two] = connectionsOf(lab);
    expect(two === one).toBe(isKept);
  });

  test('a hundred that wait hold nothing at all', async () => {
    const lab = await openLab((request) =>
      request.number <= 100 ? bigBody(1024 * 1024, 503) : answer(200, 'x'),
    );
    const time = new HandTime();
    const retrier = createRetrier({ ...soon, budget: false }, time.ports);
    const agent = retryingAgent(retrier, { connections: 10, keepAliveTimeout: 1 });
    const all = Array.from({ length: 100 }, () => ask(agent, lab));
    await time.until(({ pending }) => pending.length === 100);
    await lab.until(({ openSockets }) => openSockets === 0);
    for (let count = 0; count < 100; count += 1) await time.fire(1);
    for (const each of all) expect(await (await each).body.text()).toBe('x');
  });
});

test('the last answer, which the caller gets, is not cut', async () => {
  const lab = await openLab(bigBody(3_000_000, 503));
  const response = await ask(retryingAgent({ ...soon, maxRetries: 1 }), lab);
  expect(response.statusCode).toBe(503);
  expect((await response.body.arrayBuffer()).byteLength).toBe(3_000_000);
});
