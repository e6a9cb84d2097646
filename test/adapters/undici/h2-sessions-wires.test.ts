/** Sessions that die, with a GOAWAY or without, and requests that are aborted on a session that lives. */

import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, DeadlineError, historyOf } from '../../../src/index.js';
import { destroySession, destroySessionLater } from '../../faults/h2-lab.js';
import { answer, endlessBody, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import {
  freesPlaces,
  hearsGoaway,
  multiplexes,
  openH2Agent,
  openH2AgentForResets,
  openH2Lab,
  reconnects,
  wires,
} from './h2-client.js';
import { type Interceptor, record } from './recorder.js';
import { openSilentWire } from './silent-wire.js';

const etag = '"v1"';

describe.each(wires)('over $name', (wire) => {
  describe.skipIf(!reconnects)(
    'a session that dies (after which bare undici 6 hangs, and early 7 throws in passing)',
    () => {
      test.each([
        ['fin', 'UND_ERR_SOCKET'],
        ['rst', 'ECONNRESET'],
      ] as const)('before the answer, by a %s: a GET is sent again, a POST is not', async (how, code) => {
        const lab = await openH2Lab([destroySession(how), answer(200, 'yes')], wire);
        const agent = openH2Agent(wire).compose(retry(soon));
        const recorder = await record(agent, { origin: lab.origin }).end();
        expect(recorder.bytes.toString()).toBe('yes');
        expect(lab.requests.map(({ connection }) => connection)).toHaveLength(2);
        expect(lab.requests[0]?.connection).not.toBe(lab.requests[1]?.connection);

        lab.play([destroySession(how), answer(200)]);
        const post = { origin: lab.origin, method: 'POST', body: 'pay', headers: { 'x-id': 'one' } };
        const failed = await record(agent, post).end();
        expect(failed.errors).toMatchObject([{ code }]);
        expect(historyOf(failed.errors[0])).toMatchObject([
          { decision: { finding: { class: 'transient', evidence: 'unknown' }, reason: 'unsafe-method' } },
        ]);
        expect(lab.applied('one')).toBe(1);
      });

      test('after the head, before the answer: one of several requests on it is a POST', async () => {
        const lab = await openH2Lab(
          ({ number, method }) =>
            number <= 3 ? (method === 'POST' ? destroySession('rst') : silence()) : answer(200),
          wire,
        );
        const agent = openH2Agent(wire, { connections: null }).compose(retry(soon));
        const get = [1, 2].map(() => record(agent, { origin: lab.origin }));
        await lab.until(({ requests }) => requests.length === 2);
        const post = record(agent, {
          origin: lab.origin,
          method: 'POST',
          body: 'pay',
          headers: { 'x-id': 'one' },
        });
        await post.end();
        lab.hangUp('rst');
        for (const each of get) await each.end();
        expect(get.map(({ errors }) => errors)).toEqual([[], []]);
        expect(post.errors).toHaveLength(1);
        expect(lab.applied('one')).toBe(1);
        expect(lab.requests).toHaveLength(5);
      });

      test.each(['fin', 'rst'] as const)(
        'in the wait, by a %s: the next attempt has a new one',
        async (how) => {
          const lab = await openH2Lab(
            [destroySessionLater({ cue: 'die' }, answer(429), how), answer(200, 'yes')],
            wire,
          );
          const waits = new Waits('when told');
          const base = openH2Agent(wire);
          const agent = base.compose(retry(createRetrier({}, { sleep: waits.sleep })));
          const recorder = record(agent, { origin: lab.origin, method: 'POST', body: 'pay' });
          await waits.until(1);
          const gone = once(base, 'disconnect');
          lab.cue('die');
          await gone;
          waits.wake();
          await recorder.end();
          expect([recorder.bytes.toString(), recorder.errors]).toEqual(['yes', []]);
          expect(lab.requests.map(({ body }) => body.toString())).toEqual(['pay', 'pay']);
          expect(lab.connections).toBe(2);
        },
      );

      test('a request waits, and holds no stream: its session can go', async () => {
        const lab = await openH2Lab([answer(503), answer(200)], wire);
        const waits = new Waits('when told');
        const agent = openH2Agent(wire);
        const recorder = record(agent.compose(retry(createRetrier({}, { sleep: waits.sleep }))), {
          origin: lab.origin,
        });
        await waits.until(1);
        const other = await agent.request({ origin: lab.origin, path: '/other', method: 'GET' });
        await other.body.dump();
        expect([other.statusCode, lab.connections, recorder.ends]).toEqual([200, 1, 0]);
        waits.wake();
        await recorder.end();
        expect(recorder.errors).toEqual([]);
      });

      test('in the body: it is resumed on another', async () => {
        const head = { 'content-length': '1000', 'accept-ranges': 'bytes', etag };
        const rest = { 'content-length': '600', 'content-range': 'bytes 400-999/1000', etag };
        const lab = await openH2Lab(
          [
            {
              steps: [
                { do: 'head', status: 200, headers: head },
                { do: 'fill', bytes: 400 },
                { do: 'cue', name: 'die' },
                { do: 'destroy-session', how: 'rst' },
              ],
            },
            {
              steps: [
                { do: 'head', status: 206, headers: rest },
                { do: 'fill', bytes: 600, from: 400 },
                { do: 'end' },
              ],
            },
          ],
          wire,
        );
        const recorder = record(openH2Agent(wire).compose(retry(soon)), { origin: lab.origin });
        await recorder.until(({ bytes }) => bytes.length === 400);
        lab.cue('die');
        await recorder.end();
        expect(recorder.errors).toEqual([]);
        expect(recorder.bytes).toHaveLength(1000);
        expect(lab.requests[1]?.headers).toMatchObject({ range: 'bytes=400-999', 'if-range': etag });
      });
    },
  );

  describe('a session that dies without a word', () => {
    test('the deadline ends the request, and its attempts before', async () => {
      const lab = await openH2Lab([answer(200), answer(200)], wire);
      const way = await openSilentWire(lab);
      const time = new HandTime();
      const policy = { deadlineMs: 5_000, attemptTimeoutMs: 2_000, ...soon };
      const agent = openH2Agent(wire).compose(retry(createRetrier(policy, time.ports)));
      await record(agent, { origin: way.origin }).end();
      way.fallSilent();
      const recorder = record(agent, { origin: way.origin });
      await time.fire(2_000);
      await time.fire(1);
      await time.fire(5_000);
      await recorder.end();
      expect(recorder.errors[0]).toBeInstanceOf(DeadlineError);
      expect((recorder.errors[0] as Error).cause).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' });
      expect([recorder.ends, lab.requests.length]).toEqual([1, 1]);
      expect(time.pending).toEqual([]);
    });

    test.skipIf(!multiplexes)(
      "undici 8's headersTimeout finds out, and the next attempt has a new one",
      async () => {
        const lab = await openH2Lab(answer(200, 'yes'), wire);
        const way = await openSilentWire(lab);
        let isSilent = false;
        // The time is short only for a session that is silent: any other takes as long as a busy machine needs.
        const hasty: Interceptor = (dispatch) => (options, handler) =>
          dispatch({ ...options, headersTimeout: isSilent && way.connections === 1 ? 200 : 60_000 }, handler);
        const agent = openH2Agent(wire).compose(hasty, retry({ ...soon, maxRetries: 8 }));
        await record(agent, { origin: way.origin }).end();
        way.fallSilent();
        isSilent = true;
        const recorder = await record(agent, { origin: way.origin }).end();
        expect(recorder.bytes.toString()).toBe('yes');
        expect(way.connections).toBe(2);
      },
    );
  });

  describe('given up by the caller: the session lives, and nothing more is sent', () => {
    const reason = new Error('enough');

    test('before the answer', async () => {
      const lab = await openH2Lab([silence(), answer(200, 'next')], wire);
      const agent = openH2AgentForResets(wire).compose(retry(soon));
      const recorder = record(agent, { origin: lab.origin });
      await lab.until(({ requests }) => requests.length === 1);
      recorder.controller?.abort(reason);
      await recorder.end();
      expect(recorder.errors).toEqual([reason]);
      const next = await record(agent, { origin: lab.origin }).end();
      expect(next.bytes.toString()).toBe('next');
      expect([recorder.ends, lab.requests.length]).toEqual([1, 2]);
      if (freesPlaces) expect(lab.connections).toBe(1);
    });

    test('in the wait', async () => {
      const lab = await openH2Lab([answer(503), answer(200, 'next')], wire);
      const waits = new Waits('when told');
      const agent = openH2AgentForResets(wire).compose(retry(createRetrier({}, { sleep: waits.sleep })));
      const recorder = record(agent, { origin: lab.origin });
      await waits.until(1);
      recorder.controller?.abort(reason);
      expect(recorder.errors).toEqual([reason]);
      expect(waits.pending).toBe(0);
      const next = await record(agent, { origin: lab.origin }).end();
      expect(next.bytes.toString()).toBe('next');
      expect([recorder.ends, lab.requests.length]).toEqual([1, 2]);
      if (freesPlaces) expect(lab.connections).toBe(1);
    });

    test('in the body', async () => {
      const lab = await openH2Lab([answer(503), endlessBody(16_384), answer(200, 'next')], wire);
      const agent = openH2AgentForResets(wire).compose(retry(soon));
      const recorder = record(agent, { origin: lab.origin });
      await recorder.until(({ bytes }) => bytes.length > 0);
      recorder.controller?.abort(reason);
      await recorder.end();
      expect(recorder.errors).toEqual([reason]);
      const soFar = recorder.bytes.length;
      const next = await record(agent, { origin: lab.origin }).end();
      expect(next.bytes.toString()).toBe('next');
      expect(recorder.bytes).toHaveLength(soFar);
      expect([recorder.ends, lab.requests.length]).toEqual([1, 3]);
      if (freesPlaces) expect(lab.connections).toBe(1);
    });

    test.skipIf(!hearsGoaway)('while a session is made (undici 6.17 sends it still)', async () => {
      const lab = await openH2Lab(answer(200), wire);
      const agent = openH2AgentForResets(wire).compose(retry(soon));
      const giveUp = new AbortController();
      const asked = agent.request({ origin: lab.origin, path: '/', method: 'GET', signal: giveUp.signal });
      giveUp.abort(reason);
      expect((await settled(asked)).error).toBe(reason);
      const next = await record(agent, { origin: lab.origin, path: '/next' }).end();
      expect(next.errors).toEqual([]);
      expect(lab.requests.map(({ path }) => path)).toEqual(['/next']);
    });
  });
});
