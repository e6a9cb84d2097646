/** The promises of retry() hold over HTTP/2, too: answers, hints, discarded bodies, back-pressure, trailers. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { answerWithTrailers } from '../../faults/h2-lab.js';
import { answer, bigBody, contentOf, endlessBody, informational, onCue } from '../../faults/lab.js';
import { soon } from '../kit.js';
import { Waits } from '../waits.js';
import { major } from './client.js';
import { multiplexes, openH2Agent, openH2Lab, wires } from './h2-client.js';
import { record } from './recorder.js';

describe.each(wires)('over $name', (wire) => {
  test('503, then 200: on the same session', async () => {
    const lab = await openH2Lab([answer(503, 'busy'), answer(200, 'yes')], wire);
    const agent = openH2Agent(wire).compose(retry(soon));
    const response = await agent.request({ origin: lab.origin, path: '/a?b', method: 'GET' });
    expect([response.statusCode, await response.body.text()]).toEqual([200, 'yes']);
    expect(historyOf(response)?.map(({ decision }) => decision.reason)).toEqual([
      'transient-status',
      'success',
    ]);
    expect(lab.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /a?b', 'GET /a?b']);
    expect(lab.connections).toBe(1);
  });

  test('a body goes out whole each time, with its headers', async () => {
    const lab = await openH2Lab([answer(503), answer(503), answer(200)], wire);
    const agent = openH2Agent(wire).compose(retry(soon));
    const body = contentOf('a', 0, 100_000);
    const options = { origin: lab.origin, path: '/', headers: { 'x-id': 'one', 'x-two': ['1', '2'] } };
    const response = await agent.request({ ...options, method: 'PUT', body });
    await response.body.dump();
    expect(response.statusCode).toBe(200);
    for (const request of lab.requests) {
      expect(request.body.equals(body)).toBe(true);
      expect(request.headers).toMatchObject({ 'x-id': 'one', 'content-length': '100000' });
      expect(request.headers['x-two']?.replaceAll(' ', '')).toBe('1,2');
    }
    expect([lab.requests.length, lab.connections]).toEqual([3, 1]);
  });

  test('POST: not after a 503, but after a 429, and not before its hint', async () => {
    const lab = await openH2Lab(
      [answer(503, 'no'), answer(429, 'later', { 'retry-after': '2' }), answer(200)],
      wire,
    );
    const waits = new Waits();
    const agent = openH2Agent(wire).compose(retry(createRetrier({}, { sleep: waits.sleep })));
    const post = async (): Promise<number> => {
      const request = { origin: lab.origin, path: '/', method: 'POST', body: 'pay' } as const;
      const response = await agent.request(request);
      await response.body.dump();
      return response.statusCode;
    };
    expect([await post(), lab.requests.length]).toEqual([503, 1]);
    expect([await post(), lab.requests.length]).toEqual([200, 3]);
    expect(waits.delays).toHaveLength(1);
    expect(waits.delays[0]).toBeGreaterThanOrEqual(2_000);
  });

  test('an answer without a body, and one to HEAD', async () => {
    const lab = await openH2Lab([answer(503), answer(204), answer(503), answer(200, 'unseen')], wire);
    const agent = openH2Agent(wire).compose(retry(soon));
    for (const [method, status] of [
      ['DELETE', 204],
      ['HEAD', 200],
    ] as const) {
      const response = await agent.request({ origin: lab.origin, path: '/', method });
      expect([response.statusCode, await response.body.text()]).toEqual([status, '']);
    }
    expect([lab.requests.length, lab.connections]).toEqual([4, 1]);
  });

  test('headers come through, several cookies apart', async () => {
    const lab = await openH2Lab(
      [answer(503), answer(200, '', { 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] })],
      wire,
    );
    const recorder = await record(openH2Agent(wire).compose(retry(soon)), { origin: lab.origin }).end();
    expect(recorder.heads).toHaveLength(1);
    expect(recorder.heads[0]?.headers).toMatchObject({ 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] });
  });

  test.skipIf(major < 8)('trailers come through (undici 6 and 7 lose them over HTTP/2)', async () => {
    const lab = await openH2Lab([answer(503), answerWithTrailers('yes', { 'x-sum': '7' })], wire);
    const recorder = await record(openH2Agent(wire).compose(retry(soon)), { origin: lab.origin }).end();
    expect(recorder.bytes.toString()).toBe('yes');
    expect(recorder.trailers).toMatchObject([{ 'x-sum': '7' }]);
  });

  test('interim answers are not counted; undici 8 reports them', async () => {
    const early = { link: '</a>' };
    const lab = await openH2Lab(
      [informational(103, early, answer(503)), informational(103, early, answer(200, 'yes'))],
      wire,
    );
    const recorder = await record(openH2Agent(wire).compose(retry(soon)), { origin: lab.origin }).end();
    const interim = major > 7 ? [103, 103] : [];
    expect(recorder.heads.map(({ status }) => status)).toEqual([...interim, 200]);
    expect([recorder.bytes.toString(), recorder.ends, lab.requests.length]).toEqual(['yes', 1, 2]);
  });

  test('an endless answer is cut off, not downloaded, and its session kept', async () => {
    const lab = await openH2Lab([endlessBody(16_384, 503), answer(200, 'yes'), answer(200, 'more')], wire);
    const agent = openH2Agent(wire).compose(retry(soon));
    const recorder = await record(agent, { origin: lab.origin }).end();
    expect(recorder.bytes.toString()).toBe('yes');
    const next = await record(agent, { origin: lab.origin }).end();
    expect(next.bytes.toString()).toBe('more');
    expect(lab.connections).toBe(1);
    // 64 KiB of it are read; the windows of undici 8 take some more.
    expect(lab.bytesSent).toBeLessThan(2_000_000);
  });

  test.skipIf(!multiplexes)(
    'an answer that is cut off leaves other streams of the session alone (they overlap in undici 8 only)',
    async () => {
      let busy = 2;
      const lab = await openH2Lab(({ path }) => {
        if (path === '/slow') return onCue('slow', bigBody(300_000));
        busy -= 1;
        return busy >= 0 ? endlessBody(16_384, 503) : answer(200, 'yes');
      }, wire);
      const agent = openH2Agent(wire).compose(retry(soon));
      const slow = record(agent, { origin: lab.origin, path: '/slow' });
      await lab.until(({ requests }) => requests.length === 1);
      const other = await record(agent, { origin: lab.origin, path: '/busy' }).end();
      expect([other.bytes.toString(), slow.ends]).toEqual(['yes', 0]);
      lab.cue('slow');
      await slow.end();
      expect(slow.bytes.equals(contentOf('a', 0, 300_000))).toBe(true);
      expect([lab.requests.length, lab.connections]).toEqual([4, 1]);
    },
  );

  test('a stalled reader stalls the server, after a retry too', async () => {
    const bytes = 8_000_000;
    const lab = await openH2Lab(({ path, number }) => {
      if (path === '/other') return answer(200);
      return number === 1 ? answer(503) : bigBody(bytes);
    }, wire);
    // A second connection, so that the other request need not wait.
    const agent = openH2Agent(wire, { connections: 2 }).compose(retry(soon));
    const recorder = record(agent, { origin: lab.origin });
    await recorder.until(({ heads }) => heads.length === 1);
    recorder.controller?.pause();
    const soFar = recorder.bytes.length;
    await record(agent, { origin: lab.origin, path: '/other' }).end();
    // undici notices with the next chunk.
    expect(recorder.bytes.length - soFar).toBeLessThanOrEqual(16_384);
    expect(lab.bytesSent).toBeLessThan(bytes / 2);
    recorder.controller?.resume();
    await recorder.end();
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes.equals(contentOf('a', 0, bytes))).toBe(true);
  });
});
