/**
 * Compressed bodies with a hint: what undici's adapter can unpack, how it reports what it cannot, and which bodies it
 * sets aside.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { answer, type Play } from '../../faults/lab.js';
import { comesTrue, openLab } from '../kit.js';
import { latin1, packed, packers, plain, textOf, vendorAnswers } from '../vendor-answers.js';
import { Waits } from '../waits.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

/** With fixed dice; every request may be repeated, also a query sent by POST. */
function watched(policy: PolicyOptions) {
  const waits = new Waits();
  const ports = { random: () => 0, sleep: waits.sleep };
  const exact = {
    hintJitter: 0,
    idempotent: true,
    throttledSchedule: fixed(3),
    schedule: fixed(2),
    ...policy,
  };
  return { dispatcher: retryingAgent(createRetrier(exact, ports)), delays: waits.delays, waits };
}

function fixed(waitMs: number) {
  return { kind: 'fixed', waitMs, jitter: 'none' } as const;
}

async function send(origin: string, dispatcher: Dispatcher, method: 'GET' | 'POST' = 'GET', path = '/') {
  const body = method === 'POST' ? '{}' : null;
  const response = await undici.request(`${origin}${path}`, { dispatcher, method, body });
  const bytes = await response.body.arrayBuffer();
  return { status: response.statusCode, text: latin1(bytes), headers: response.headers, response };
}

const named = vendorAnswers.map((row) => ({ ...row, name: `${row.hints}, ${row.status}, ${row.waitMs} ms` }));

test.skipIf(!('zstd' in packers)).each(named)(
  'in zstd: $name',
  async ({ hints, status, body, waitMs, method, path }) => {
    const play = packed(status, body, 'zstd');
    const lab = await openLab([play, answer(200, 'ok')]);
    const { dispatcher, delays } = watched({ hints });
    const got = await send(lab.origin, dispatcher, method, path);
    expect(got).toMatchObject(waitMs === null ? { status, text: textOf(play) } : { status: 200, text: 'ok' });
    expect(delays).toEqual(waitMs === null ? [] : [waitMs]);
  },
);

test('the last answer still has its content-encoding', async () => {
  const play = packed(429, { parameters: { retry_after: 7 } }, 'gzip');
  const lab = await openLab(play);
  const { dispatcher } = watched({ hints: 'telegram', maxHintMs: 1 });
  const { text, headers } = await send(lab.origin, dispatcher);
  expect([text, headers['content-encoding']]).toEqual([textOf(play), 'gzip']);
});

const { hints, status, body } = {
  hints: 'telegram',
  status: 429,
  body: { parameters: { retry_after: 7 } },
} as const;

const unknownHere: [string, string, string][] =
  'zstd' in packers ? [] : [['in one that this Node does not have', 'zstd', 'whatever']];

describe('a compressed body', () => {
  test('without the header of zlib is read, too', async () => {
    const { deflateRawSync } = await import('node:zlib');
    const raw = latin1(deflateRawSync(JSON.stringify(body)));
    const lab = await openLab([answer(status, raw, { 'content-encoding': 'deflate' }), answer(200)]);
    const { dispatcher, delays } = watched({ hints });
    await send(lab.origin, dispatcher);
    expect(delays).toEqual([7_000]);
  });

  test.each<[string, string, string]>([
    ['in an unknown coding', 'compress', 'whatever'],
    ...unknownHere,
    ['in two codings', 'gzip, gzip', latin1(gzipSync(gzipSync(JSON.stringify(body))))],
    ['and broken', 'gzip', 'no gzip at all'],
    ['and cut off', 'gzip', latin1(gzipSync(JSON.stringify(body)).subarray(0, 20))],
    // Sixteen megabytes of spaces before the hint.
    ['and far longer than may be read', 'gzip', latin1(gzipSync(' '.repeat(1 << 24) + JSON.stringify(body)))],
  ])('%s is said to be unreadable, and the caller gets it', async (_, coding, text) => {
    const lab = await openLab(answer(status, text, { 'content-encoding': coding }));
    const { dispatcher, delays } = watched({ hints, maxRetries: 1 });
    const got = await send(lab.origin, dispatcher);
    expect(got.text === text).toBe(true);
    expect(delays).toEqual([3]);
    const hinted = historyOf(got.response)?.map(
      ({ decision: { finding } }) => finding.kind === 'response' && finding.hint,
    );
    expect(hinted).toEqual([
      { delayMs: null, reason: 'body-unreadable' },
      { delayMs: null, reason: 'body-unreadable' },
    ]);
  });

  test('and is empty has nothing to be unreadable', async () => {
    const lab = await openLab(answer(status, '', { 'content-encoding': 'gzip' }));
    const { dispatcher } = watched({ hints, maxRetries: 0 });
    const response = await undici.request(lab.origin, { dispatcher, method: 'HEAD' });
    const finding = historyOf(response)?.[0]?.decision.finding;
    expect(finding?.kind === 'response' && finding.hint).toBeUndefined();
  });

  test('reaches fetch, which asks for it and unpacks it', async () => {
    const lab = await openLab([packed(status, body, 'gzip'), packed(404, { gone: true }, 'br')]);
    const { dispatcher, delays } = watched({ hints });
    const response = await undici.fetch(lab.origin, { dispatcher });
    expect(delays).toEqual([7_000]);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ gone: true });
    expect(lab.requests[0]?.headers['accept-encoding']).toMatch(/gzip/);
  });
});

describe('a success', () => {
  /**
   * Half a body, which ends when the test says so: a caller that gets the head before that has not waited for the end.
   */
  const half = (type: string, status = 200): Play => ({
    steps: [
      { do: 'head', status, headers: { 'content-length': '20', 'content-type': type } },
      { do: 'body', text: '{"errors": ' },
      { do: 'cue', name: 'got' },
      { do: 'body', text: '[]      }' },
      { do: 'end' },
    ],
  });

  test.each<[string, 'GET' | 'POST', string, string]>([
    ['of a GET', 'GET', '/graphql', 'application/json'],
    ['of another path', 'POST', '/user/repos', 'application/json'],
    ['that is not JSON', 'POST', '/graphql', 'text/html'],
  ])('%s is not set aside', async (_, method, path, type) => {
    const lab = await openLab(half(type));
    const { dispatcher } = watched({ hints: 'github' });
    const body = method === 'POST' ? '{}' : null;
    const response = await undici.request(`${lab.origin}${path}`, { dispatcher, method, body });
    lab.cue('got');
    expect(await response.body.text()).toBe('{"errors": []      }');
  });

  test('nor is a failure for which the vendor has no hints', async () => {
    const lab = await openLab(half('application/json', 404));
    const { dispatcher } = watched({ hints: 'github' });
    const response = await undici.request(lab.origin, { dispatcher });
    expect(response.statusCode).toBe(404);
    lab.cue('got');
    expect(await response.body.text()).toBe('{"errors": []      }');
  });

  test('of GraphQL is set aside for its body, and then whole', async () => {
    const lab = await openLab(half('application/json'));
    const { dispatcher } = watched({ hints: 'github' });
    const asked = undici.request(`${lab.origin}/graphql`, { dispatcher, method: 'POST', body: '{}' });
    let isHere = false;
    void asked.then(() => {
      isHere = true;
    });
    await lab.until(({ bytesSent }) => bytesSent > 11);
    // Another request of the same process runs meanwhile.
    await send((await openLab(answer(200))).origin, dispatcher);
    expect(isHere).toBe(false);
    lab.cue('got');
    expect(await (await asked).body.text()).toBe('{"errors": []      }');
  });

  test('that is longer than may be read is handed over as soon as that is known', async () => {
    const data = JSON.stringify({ data: 'x'.repeat(200_000) });
    const lab = await openLab(answer(200, data, { 'content-type': 'application/json' }));
    const { dispatcher, delays } = watched({ hints: 'github' });
    expect((await send(lab.origin, dispatcher, 'POST', '/graphql')).text === data).toBe(true);
    expect(delays).toEqual([]);
  });
});

test('the part of a body that was read is not kept while its request waits', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const [count, bytes] = [400, 15_000];
  const lab = await openLab(plain(429, { pad: 'x'.repeat(bytes), parameters: { retry_after: 7 } }));
  const waits = new Waits('when told');
  const dispatcher = retryingAgent(createRetrier({ hints, budget: false }, { sleep: waits.sleep }), {
    connections: 50,
  });
  const before = heap();
  for (let sent = 0; sent < count; sent += 1) {
    void undici.request(lab.origin, { dispatcher }).catch(() => undefined);
  }
  await waits.until(count);
  expect(await comesTrue(() => heap() - before < (count * bytes * 4) / 5)).toBe(true);
});
