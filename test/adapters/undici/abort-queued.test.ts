/** A request that is given up while it waits for a connection: undici begins it later, when the connection is free. */

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type OverrideOptions } from '../../../src/index.js';
import { answer, onCue } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab } from '../kit.js';
import { undici } from './client.js';
import { Deferred, openAgent } from './kit.js';
import { type Interceptor, type Recorder, record } from './recorder.js';

const timeMs = 50;

const ways: readonly [string, OverrideOptions, (queued: Recorder, time: HandTime) => unknown][] = [
  ['by its caller', {}, ({ controller }) => controller?.abort(new Error('enough'))],
  ['at its deadline', { deadlineMs: timeMs }, (_, time) => time.fire(timeMs)],
  ['after its attempt timeout', { attemptTimeoutMs: timeMs, maxRetries: 0 }, (_, time) => time.fire(timeMs)],
];

const bodies: readonly [string, () => object][] = [
  ['without a body', () => ({})],
  ['text', () => ({ method: 'PUT', body: 'text' })],
  ['a stream', () => ({ method: 'PUT', body: Readable.from(['a', 'stream']) })],
];

describe.each(ways)('%s', (_way, settings, giveUp) => {
  test.each(bodies)('%s: the connection stays, and nothing is sent on it', async (_body, make) => {
    const lab = await openLab([onCue('first', answer(200, 'first')), answer(200, 'later')]);
    const time = new HandTime();
    const agent = openAgent({ connections: 1 }).compose(retry(createRetrier({}, time.ports)));
    const first = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    const queued = record(agent, { origin: lab.origin, ...make(), retry: settings });
    await giveUp(queued, time);
    await queued.end();
    const later = record(agent, { origin: lab.origin });
    lab.cue('first');
    expect((await first.end()).bytes.toString()).toBe('first');
    expect((await later.end()).bytes.toString()).toBe('later');
    expect(queued).toMatchObject({ starts: 1, ends: 1, heads: [] });
    expect(lab.requests).toHaveLength(2);
    expect(lab.connections).toBe(1);
  });

  test('a stream that was read before, which undici would send as it is: it is destroyed', async () => {
    const lab = await openLab(onCue('first', answer(200)));
    const time = new HandTime();
    const agent = openAgent({ connections: 1 }).compose(retry(createRetrier({}, time.ports)));
    const first = record(agent, { origin: lab.origin });
    await lab.until(({ requests }) => requests.length === 1);
    const body = Readable.from(['a', 'stream']);
    await once(body, 'readable');
    body.read();
    const queued = record(agent, { origin: lab.origin, method: 'PUT', body, retry: settings });
    await giveUp(queued, time);
    await queued.end();
    lab.cue('first');
    await first.end();
    expect(await comesTrue(() => body.destroyed)).toBe(true);
    expect(lab.requests).toHaveLength(1);
  });
});

/** An interceptor that waits for something, such as a token, before it sends the request. */
function later(until: Promise<unknown>): Interceptor {
  return (dispatch) => (options, handler) => {
    void until.then(() => dispatch(options, handler));
    return true;
  };
}

test('a layer underneath waits, and sends the request to a MockAgent after all: nothing is thrown', async () => {
  const mock = new undici.MockAgent();
  onTestFinished(() => mock.close());
  const origin = 'https://api.example.com';
  mock.get(origin).intercept({ path: '/' }).reply(200, 'late');
  const token = new Deferred();
  const agent = mock.compose(later(token.promise), retry());
  const asked = record(agent, { origin });
  asked.controller?.abort(new Error('enough'));
  token.resolve();
  // An error would be an unhandled rejection, which fails the test.
  await token.promise;
  expect(asked).toMatchObject({ starts: 1, ends: 1, heads: [], errors: [{ message: 'enough' }] });
});
