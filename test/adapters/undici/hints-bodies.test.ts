/** undici's adapter reads a body that may contain a hint, and the caller still gets the whole body. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { OverrideOptions, PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier } from '../../../src/index.js';
import { contentOf, type Play } from '../../faults/lab.js';
import { answer, bigBody, cutBody, endlessBody, stallAfterHead } from '../../faults/plays.js';
import { openLab, settled } from '../kit.js';
import { Waits } from '../waits.js';
import { builtIn, undici } from './client.js';
import { openAgent, retryingAgent } from './kit.js';

const date = Date.UTC(2026, 2, 10, 12, 0, 0);
const json = { 'content-type': 'application/json' };
/** How long the adapter waits for a body that may contain a hint. */
const gatherMs = 1_000;

/** With fixed dice: no jitter upwards, and the schedule's longest waits. */
function watched(policy: PolicyOptions = {}, random = 0) {
  const waits = new Waits();
  const ports = { random: () => random, date: () => date, sleep: waits.sleep };
  // After an abort, undici 6 and 7 may open a spare connection; here it is not kept for long.
  const dispatcher = retryingAgent(createRetrier(policy, ports), { keepAliveTimeout: 10 });
  return { dispatcher, delays: waits.delays, waits };
}

async function get(origin: string, options: { dispatcher: object; retry?: OverrideOptions }) {
  const response = await undici.request(origin, options as never);
  return { status: response.statusCode, text: latin1(await response.body.arrayBuffer()) };
}

describe('a hint in the body', () => {
  const hint = JSON.stringify({ retry_after: 3, message: 'You are being rate limited.' });
  const discord: PolicyOptions = { hints: 'discord', bodyHintBytes: 1_024 };

  test('in several pieces is obeyed', async () => {
    const play: Play = {
      steps: [
        { do: 'head', status: 429, headers: { ...json, 'transfer-encoding': 'chunked' } },
        { do: 'body', text: hint.slice(0, 10) },
        { do: 'wait', ms: 5 },
        { do: 'body', text: hint.slice(10) },
        { do: 'end' },
      ],
    };
    const lab = await openLab([play, answer(200, 'ok')]);
    const { dispatcher, delays } = watched(discord);
    await get(lab.origin, { dispatcher });
    expect(delays).toEqual([3_000]);
  });

  test('in a success, where the vendor puts it there, is read and the caller gets its body', async () => {
    const lab = await openLab(answer(200, 'a'.repeat(5_000)));
    const { dispatcher, delays } = watched({ hints: 'grpc-web', bodyHintBytes: 100 });
    expect((await get(lab.origin, { dispatcher })).text).toBe('a'.repeat(5_000));
    expect(delays).toEqual([]);
  });

  describe('leaves the caller the whole body, when it stops,', () => {
    const big = 3 * 1024 * 1024;
    const stops = { ...discord, maxHintMs: 1_000 };

    test.each<[string, Play, string]>([
      ['as large as may be read', answer(429, hint.padEnd(1_024), json), hint.padEnd(1_024)],
      ['smaller', answer(429, hint, json), hint],
      ['empty', answer(409, '', json), ''],
      [
        'with no bytes at all',
        { steps: [{ do: 'head', status: 409, headers: { 'content-length': '0' } }, { do: 'end' }] },
        '',
      ],
      ['larger', bigBody(big, 409), contentOf('a', 0, big).toString('latin1')],
    ])('%s', async (_what, play, text) => {
      const lab = await openLab(play);
      const { dispatcher, delays } = watched(stops);
      const got = await get(lab.origin, { dispatcher });
      expect(got.text.length).toBe(text.length);
      expect(got.text === text).toBe(true);
      expect(delays).toEqual([]);
      expect(lab.requests).toHaveLength(1);
    });

    test('cut off: the head, and then the error', async () => {
      const lab = await openLab(cutBody(2_000, 500, 'rst'));
      lab.play({
        steps: cutBody(2_000, 500, 'rst').steps.map((step) =>
          step.do === 'head' ? { ...step, status: 409 } : step,
        ),
      });
      const { dispatcher } = watched(stops);
      const response = await undici.request(lab.origin, { dispatcher });
      expect(response.statusCode).toBe(409);
      const { error } = await settled(response.body.text());
      expect(error).toMatchObject({ code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) });
    });

    test('slow: the answer comes before its body has ended, and then all of it', async () => {
      const play: Play = {
        steps: [
          { do: 'head', status: 409, headers: { 'content-length': '10' } },
          { do: 'body', text: 'first' },
          { do: 'cue', name: 'answered' },
          { do: 'body', text: 'later' },
          { do: 'end' },
        ],
      };
      const lab = await openLab(play);
      const { dispatcher, waits } = watched(stops);
      const asked = undici.request(lab.origin, { dispatcher });
      await waits.strike(gatherMs);
      const response = await asked;
      expect(response.statusCode).toBe(409);
      lab.cue('answered');
      expect(await response.body.text()).toBe('firstlater');
    });

    test('that never begins: the answer comes nevertheless', async () => {
      const lab = await openLab(stallAfterHead(409));
      const { dispatcher, waits } = watched(stops);
      const asked = undici.request(lab.origin, { dispatcher });
      await waits.strike(gatherMs);
      const response = await asked;
      expect(response.statusCode).toBe(409);
      response.body.on('error', () => undefined).destroy();
    });

    test('endless: the caller reads as much as it likes', async () => {
      const lab = await openLab(endlessBody(16_384, 409));
      const { dispatcher } = watched(stops);
      const { statusCode, body } = await undici.request(lab.origin, { dispatcher });
      expect(statusCode).toBe(409);
      let received = Buffer.alloc(0);
      for await (const chunk of body) {
        received = Buffer.concat([received, chunk]);
        if (received.length > 1024 * 1024) break;
      }
      expect(received.equals(contentOf('a', 0, received.length))).toBe(true);
      await lab.until(({ openSockets }) => openSockets === 0);
    });
  });

  test.each<[string, Play]>([
    ['that is endless', endlessBody(16_384, 503)],
    ['that never comes', stallAfterHead(503)],
  ])('of a response %s does not keep it from being retried', async (_what, play) => {
    const lab = await openLab([play, answer(200, 'ok')]);
    const { dispatcher, waits } = watched(discord);
    const got = get(lab.origin, { dispatcher });
    // The endless body reaches the limit before the time is up.
    if (play.steps.some((step) => step.do === 'stall')) await waits.strike(gatherMs);
    expect(await got).toEqual({ status: 200, text: 'ok' });
  });

  test('reaches the caller from a MockAgent, too, where nothing can be paused', async () => {
    const agent = new undici.MockAgent();
    agent.disableNetConnect();
    const waits = new Waits();
    const mocked = agent.get('http://mocked.example');
    mocked.intercept({ path: '/' }).reply(429, hint, { headers: json });
    mocked.intercept({ path: '/' }).reply(409, 'x'.repeat(10_000));
    const dispatcher = agent.compose(retry(createRetrier(discord, { random: () => 0, sleep: waits.sleep })));

    const got = await get('http://mocked.example', { dispatcher });

    expect(got).toEqual({ status: 409, text: 'x'.repeat(10_000) });
    expect(waits.delays).toEqual([3_000]);
    await agent.close();
  });

  test(`reaches the built-in fetch ${builtIn.version} whole`, async () => {
    const lab = await openLab(bigBody(500_000, 409));
    const { dispatcher } = watched(discord);
    const response = await fetch(lab.origin, { dispatcher } as never);
    const text = latin1(await response.arrayBuffer());
    expect(text === contentOf('a', 0, 500_000).toString('latin1')).toBe(true);
  });

  describe.each<[string, PolicyOptions]>([
    ['decided at once', {}],
    ['decided after some thought', { retryIf: async () => undefined }],
  ])('in a stop that is %s', (_when, policy) => {
    const pieces = Array.from({ length: 12 }, (_, index) => `piece ${index}. `.padEnd(40, '.'));
    const play: Play = {
      steps: [
        { do: 'head', status: 409, headers: { 'transfer-encoding': 'chunked' } },
        ...pieces.map((text) => ({ do: 'body', text }) as const),
        { do: 'end' },
      ],
    };

    async function readBy(onData: (controller: Dispatcher.DispatchController, chunk: Buffer) => void) {
      const lab = await openLab(play);
      const { dispatcher } = watched({ ...discord, ...policy, bodyHintBytes: 200 });
      await new Promise<void>((resolve, reject) => {
        const handler: Dispatcher.DispatchHandler = {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: onData,
          onResponseEnd: () => resolve(),
          onResponseError: (_controller, error) => reject(error),
        };
        dispatcher.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, handler);
      });
    }

    test('the body keeps its order, also if the reader resumes as soon as it has paused', async () => {
      let text = '';
      await readBy((controller, chunk) => {
        controller.pause();
        text += chunk;
        controller.resume();
      });
      expect(text).toBe(pieces.join(''));
    });

    test('a reader that has paused gets none of it', async () => {
      let text = '';
      let isPaused = false;
      const whilePaused: string[] = [];
      await readBy((controller, chunk) => {
        if (isPaused) whilePaused.push(String(chunk));
        text += chunk;
        controller.pause();
        isPaused = true;
        setImmediate(() => {
          isPaused = false;
          controller.resume();
        });
      });
      expect(whilePaused).toEqual([]);
      expect(text).toBe(pieces.join(''));
    });
  });

  test('leaves no timer behind', async () => {
    const lab = await openLab(answer(429, hint, json));
    let running = 0;
    const sleep = (_delayMs: number, wake: () => void) => {
      running += 1;
      const timer = setTimeout(() => {
        running -= 1;
        wake();
      }, 60_000);
      return () => {
        running -= timer.hasRef() ? 1 : 0;
        timer.unref();
        clearTimeout(timer);
      };
    };
    const agent = openAgent();
    const dispatcher = agent.compose(retry(createRetrier({ ...discord, maxRetries: 0 }, { sleep })));

    await get(lab.origin, { dispatcher });
    expect(running).toBe(0);

    lab.play(stallAfterHead(409));
    const aborter = new AbortController();
    const aborted = settled(undici.request(lab.origin, { dispatcher, signal: aborter.signal }));
    await lab.until(({ requests }) => requests.length === 1);
    aborter.abort();
    await aborted;
    expect(running).toBe(0);
  });
});

function latin1(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('latin1');
}
