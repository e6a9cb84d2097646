/**
 * undici's own timeouts: the connect and headers timeouts are as transient as a reset; after a body timeout, only a
 * resume helps.
 */

import { setTimeout } from 'node:timers/promises';
import type { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import {
  answer,
  contentOf,
  type HeaderFields,
  type Received,
  type Step,
  silence,
  startFullBacklog,
} from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { undici } from './client.js';
import { recorder } from './generations.js';
import { Deferred, openAgent } from './kit.js';
import { errorsBelow, type Interceptor, record } from './recorder.js';
import { etag, partly } from './resume-file.js';

/** Short timeouts for the first attempt only: the next one may take as long as a busy machine needs. */
function patientAfterwards(): Interceptor {
  let attempts = 0;
  return (dispatch) => (options, handler) => {
    attempts += 1;
    const times = attempts > 1 ? { headersTimeout: 60_000, bodyTimeout: 60_000 } : {};
    return dispatch({ ...options, ...times }, handler);
  };
}

function watched(options: Agent.Options) {
  const below: unknown[] = [];
  const policy = { ...soon, attemptHeader: true };
  return { below, agent: openAgent(options).compose(patientAfterwards(), errorsBelow(below), retry(policy)) };
}

const isFirst = ({ headers }: Received): boolean => headers['retry-attempt'] === undefined;

// undici's timers have a resolution of about a second, so these tests wait concurrently.

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
    await lab.until(({ requests }) => requests.length > 1);
    expect(lab.requests).toHaveLength(2);
  }
  const { errors } = write.recorder;
  expect(errors).toEqual([write.below[0]]);
  expect(errors[0]).toBeInstanceOf(undici.errors.HeadersTimeoutError);
  expect(historyOf(errors[0])).toMatchObject([{ decision: { reason: 'unsafe-method' } }]);
  // The client may give up before the server, in this same process, has read the request.
  await write.lab.until(({ requests }) => requests[0]?.complete === true);
  expect(write.lab.applied('write')).toBe(1);
  expect(write.lab.requests).toHaveLength(1);
});

async function timedOut(options: Agent.Options, request: object) {
  const lab = await openLab((asked) => (isFirst(asked) ? silence() : answer(200, 'yes')));
  const { agent, below } = watched(options);
  return { lab, below, recorder: await record(agent, { origin: lab.origin, ...request }).end() };
}

describe('bodyTimeout', () => {
  const content = contentOf('a', 0, 1400);
  const rest = { 'content-length': '1000', 'content-range': 'bytes 400-1399/1400', etag };

  /** Part of the body comes in one chunk with the head, so that no time passes between them. */
  function inOnePiece(bytes: number, headers: HeaderFields): readonly Step[] {
    const text = content.subarray(0, bytes).toString('latin1');
    return [
      { do: 'head', status: 200, headers: { 'content-length': '1400', ...headers } },
      { do: 'write', text },
    ];
  }

  async function stalled(headers: HeaderFields) {
    const begun = inOnePiece(400, { 'accept-ranges': 'bytes', ...headers });
    const goesOn = partly(206, rest, { from: 400, sent: 1000, ends: 'end' });
    const lab = await openLab((asked) => (isFirst(asked) ? { steps: [...begun, { do: 'stall' }] } : goesOn));
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

  test('a slow reader does not count as a slow server', async () => {
    // The whole body has arrived when the reader goes on, so none of it can be late.
    const lab = await openLab({ steps: inOnePiece(1400, {}) });
    const { agent } = watched({ bodyTimeout: 300 });
    const paused = new Deferred();
    const heard = recorder(2, {
      onHead: (_status, hold) => {
        hold.pause();
        paused.resolve();
      },
    });
    agent.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
    await paused.promise;
    // Long enough for the timeout to fire several times, if it were running.
    await setTimeout(700);
    expect(heard.calls.at(-1)).toBe('head 200');
    heard.hold?.resume();
    await heard.settled;
    expect(heard.error).toBeUndefined();
    expect(heard.body.equals(content)).toBe(true);
    expect(lab.requests).toHaveLength(1);
  });
});

describe('a connection that is not established in time', () => {
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
