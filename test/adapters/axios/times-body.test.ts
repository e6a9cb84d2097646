/** `deadlineCovers: 'body'` for bodies that the caller reads. */

import { text } from 'node:stream/consumers';
import type { AxiosAdapter, AxiosResponse } from 'axios';
import { describe, expect, test } from 'vitest';
import { createRetrier, DeadlineError, historyOf } from '../../../src/index.js';
import { answer, stallInBody } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';
import { overHttp1 } from './ways.js';

const policy = { ...soon, deadlineMs: 10_000, deadlineCovers: 'body' } as const;

const adapters = overHttp1.filter(({ name }) => name !== 'an adapter of the caller');

describe.each(adapters)('responseType stream, by $name:', ({ config }) => {
  function openWith(time: HandTime, origin: string, given: object = policy) {
    return retryingInstance(createRetrier(given, time.ports), {
      ...config,
      baseURL: origin,
      responseType: 'stream',
    } as object);
  }

  test('a body that stalls ends at the deadline, with its error', async () => {
    const lab = await openLab([answer(503), stallInBody(10)]);
    const time = new HandTime();
    const asked = openWith(time, lab.origin).get('/');
    await time.fire(1);
    const response = await asked;
    expect(historyOf(response)).toHaveLength(2);
    const reading = settled(text(response.data));
    await time.fire(9_999);
    const { error } = await reading;
    expect(error).toBeInstanceOf(DeadlineError);
    expect(error).toMatchObject({ deadlineMs: 10_000, isAxiosError: true });
    // fetch opens another connection at once, and keeps it.
    await lab.until(({ openSockets, connections }) => openSockets < connections);
    expect(time.pending).toEqual([]);
  });

  test('one that comes in time is whole, and leaves no timer', async () => {
    const lab = await openLab(answer(200, 'good'));
    const time = new HandTime();
    const response = await openWith(time, lab.origin).get('/');
    expect(await text(response.data)).toBe('good');
    await time.until(({ pending }) => pending.length === 0);
  });

  test('its timer keeps no process alive: an open connection does', async () => {
    const lab = await openLab(stallInBody(10));
    const time = new HandTime();
    const { data } = await openWith(time, lab.origin).get('/');
    expect(time.pending).toEqual([10_000]);
    expect(time.timers.at(-1)).toMatchObject({ delayMs: 10_000, unref: true });
    if ('destroy' in data) data.destroy();
    else void data.cancel();
  });

  test('so it is with the body of a failure', async () => {
    const lab = await openLab(stallInBody(10, 404));
    const time = new HandTime();
    const { error } = await settled(openWith(time, lab.origin).get('/'));
    const reading = settled(text((error as { response: AxiosResponse }).response.data));
    await time.fire(10_000);
    expect((await reading).error).toBeInstanceOf(DeadlineError);
  });

  test('an unread body is released, without an uncaught error', async () => {
    const lab = await openLab(stallInBody(10));
    const time = new HandTime();
    const { data } = await openWith(time, lab.origin).get('/');
    await time.fire(10_000);
    await lab.until(({ openSockets, connections }) => openSockets < connections);
    expect((await settled(text(data))).error).toBeInstanceOf(DeadlineError);
  });

  test('a caller may end it before', async () => {
    const lab = await openLab(stallInBody(10));
    const time = new HandTime();
    const { data } = await openWith(time, lab.origin).get('/');
    if ('destroy' in data) data.destroy();
    else void data.cancel();
    await time.until(({ pending }) => pending.length === 0);
  });

  test('without it, the deadline is over with the head', async () => {
    const lab = await openLab(stallInBody(10));
    const time = new HandTime();
    const { data } = await openWith(time, lab.origin, { ...soon, deadlineMs: 10_000 }).get('/');
    expect(time.pending).toEqual([]);
    if ('destroy' in data) data.destroy();
    else void data.cancel();
  });
});

test.each([undefined, null, '', 0])('an adapter that has no body has none to cover: %s', async (data) => {
  const adapter: AxiosAdapter = async (config) => ({
    data,
    status: 200,
    statusText: '',
    headers: {},
    config,
  });
  const time = new HandTime();
  const response = await retryingInstance(createRetrier(policy, time.ports), { adapter }).get('/');
  expect(response.data).toBe(data);
  expect(time.pending).toEqual([]);
});
