/** undici's own timeouts: of connecting and of the head, as transient as a reset; of the body, by a resume alone. */

import { setTimeout } from 'node:timers/promises';
import type { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import {
  answer,
  contentOf,
  type HeaderFields,
  silence,
  stallInBody,
  startFullBacklog,
} from '../../faults/lab.js';
import { undici } from './client.js';
import { openAgent, openLab, soon } from './kit.js';
import { errorsBelow, record } from './recorder.js';
import { etag, partly } from './resume-file.js';

function watched(options: Agent.Options) {
  const below: unknown[] = [];
  return { below, agent: openAgent(options).compose(errorsBelow(below), retry(soon)) };
}

// Its timers count in seconds, more or less: what has to wait for them waits at the same time.

test('headersTimeout: a GET is sent again; a POST is not, and gets the error itself', async () => {
  const post = { method: 'POST', body: 'pay', headers: { 'x-id': 'write' } };
  const [all, own, write] = await Promise.all([
    timedOut({ headersTimeout: 300 }, {}),
    timedOut({}, { headersTimeout: 300 }),
    timedOut({ headersTimeout: 300 }, post),
  ]);
  for (const { recorder, below, lab } of [all, own]) {
    expect(recorder.bytes.toString()).toBe('yes');
    expect(below).toMatchObject([{ code: 'UND_ERR_HEADERS_TIMEOUT' }]);
    expect(lab.requests).toHaveLength(2);
  }
  const { errors } = write.recorder;
  expect(errors).toEqual([write.below[0]]);
  expect(errors[0]).toBeInstanceOf(undici.errors.HeadersTimeoutError);
  expect(historyOf(errors[0])).toMatchObject([{ decision: { reason: 'unsafe-method' } }]);
  expect(write.lab.applied('write')).toBe(1);
});

async function timedOut(options: Agent.Options, request: object) {
  const lab = await openLab([silence(), answer(200, 'yes')]);
  const { agent, below } = watched(options);
  return { lab, below, recorder: await record(agent, { origin: lab.origin, ...request }).end() };
}

describe('bodyTimeout', () => {
  const content = contentOf('a', 0, 1400);
  const rest = { 'content-length': '1000', 'content-range': 'bytes 400-1399/1400', etag };

  async function stalled(headers: HeaderFields) {
    const stall = stallInBody(400, 200, { 'accept-ranges': 'bytes', ...headers });
    const lab = await openLab([stall, partly(206, rest, { from: 400, sent: 1000, ends: 'end' })]);
    const { agent, below } = watched({ bodyTimeout: 300 });
    return { lab, below, recorder: await record(agent, { origin: lab.origin }).end() };
  }

  test('is resumed; is final where it cannot be', async () => {
    const [strong, weak] = await Promise.all([stalled({ etag }), stalled({})]);
    expect(strong.recorder.errors).toEqual([]);
    expect(strong.recorder.bytes.equals(content)).toBe(true);
    expect(strong.below).toMatchObject([{ code: 'UND_ERR_BODY_TIMEOUT' }]);

    expect(weak.recorder.errors).toEqual([weak.below[0]]);
    expect(weak.recorder.errors[0]).toBeInstanceOf(undici.errors.BodyTimeoutError);
    expect(weak.recorder.bytes.equals(content.subarray(0, 400))).toBe(true);
    expect(weak.lab.requests).toHaveLength(1);
  });

  test('a reader that takes its time is no server that does', async () => {
    const lab = await openLab(partly(200, { 'content-length': '300000' }, { sent: 300_000, ends: 'end' }));
    const { agent } = watched({ bodyTimeout: 300 });
    const recorder = record(agent, { origin: lab.origin });
    await recorder.until(({ heads }) => heads.length === 1);
    recorder.controller?.pause();
    const soFar = recorder.bytes.length;
    // Long enough for the timeout to strike several times, if it would.
    await setTimeout(700);
    expect(recorder.bytes.length - soFar).toBeLessThan(300_000);
    recorder.controller?.resume();
    await recorder.end();
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes).toHaveLength(300_000);
    expect(lab.requests).toHaveLength(1);
  });
});

describe('a connection that does not come about in time', () => {
  test.each([
    ['GET', undefined],
    ['POST', 'pay'],
  ])('%s is sent once it does, and once only', async (method, body) => {
    await using backlog = await startFullBacklog();
    const lab = await openLab(answer(200, 'yes'));
    const slow = undici.buildConnector({ timeout: 50 });
    const quick = undici.buildConnector({});
    const port = new URL(backlog.origin).port;
    let dials = 0;
    const { agent, below } = watched({
      connect: (options, callback) => {
        dials += 1;
        if (dials === 1) slow({ ...options, port }, callback);
        else quick(options, callback);
      },
    });
    const recorder = await record(agent, {
      origin: lab.origin,
      method,
      body,
      headers: { 'x-id': 'one' },
    }).end();
    expect(recorder.bytes.toString()).toBe('yes');
    expect(below).toMatchObject([{ code: 'UND_ERR_CONNECT_TIMEOUT' }]);
    expect(dials).toBe(2);
    expect(lab.applied('one')).toBe(1);
    expect(lab.requests).toHaveLength(1);
  });
});
