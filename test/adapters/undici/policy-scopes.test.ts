/** What requests share: the budget, the gate and the hold of their scope. */

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import {
  createRetrier,
  DeadlineError,
  definePolicy,
  GateShutError,
  HeldError,
  presets,
} from '../../../src/index.js';
import { refusedOrigin } from '../../faults/lab.js';
import { answer, onCue, rst, silence } from '../../faults/plays.js';
import { Clock } from '../clock.js';
import { openLab, settled } from '../kit.js';
import { gated, lean, patient } from '../scope-policies.js';
import { Waits } from '../waits.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

async function statusOf(url: string, dispatcher: Dispatcher, options: object = {}): Promise<number> {
  const { statusCode, body } = await undici.request(url, { dispatcher, ...options });
  await body.dump();
  return statusCode;
}

describe('the budget', () => {
  test.each([
    ['the same policy object', definePolicy(lean)],
    ['the same retrier', createRetrier(lean)],
  ])('is shared by two agents that were given %s', async (_what, given) => {
    const lab = await openLab(answer(503, 'the last answer'));
    const [one, other] = [retryingAgent(given), retryingAgent(given)];

    expect(await statusOf(lab.origin, one)).toBe(503);
    expect(lab.requests).toHaveLength(4);
    const { statusCode, body } = await undici.request(lab.origin, { dispatcher: other });

    expect(statusCode).toBe(503);
    expect(await body.text()).toBe('the last answer');
    expect(lab.requests).toHaveLength(5);
  });

  test('that is spent leaves the last error as it is', async () => {
    const origin = await refusedOrigin();
    const dispatcher = retryingAgent({ ...lean, budget: { capacity: 1, perSecond: 0 } });
    await settled(undici.request(origin, { dispatcher }));
    const { error } = await settled(undici.request(origin, { dispatcher }));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
  });

  test('of one origin is not that of another', async () => {
    const labs = [await openLab(answer(503)), await openLab(answer(503))];
    const dispatcher = retryingAgent(lean);
    for (const { origin } of labs) await statusOf(origin, dispatcher);
    expect(labs.map(({ requests }) => requests.length)).toEqual([4, 4]);
  });

  test('… unless a rule names their scope', async () => {
    const labs = [await openLab(answer(503)), await openLab(answer(503))];
    const dispatcher = retryingAgent({ ...lean, rules: [{ match: '127.0.0.1', scope: 'both' }] });
    for (const { origin } of labs) await statusOf(origin, dispatcher);
    expect(labs.map(({ requests }) => requests.length)).toEqual([4, 1]);
  });

  test('of both the retries and the resumes of a download', async () => {
    const headers = { etag: '"a"', 'accept-ranges': 'bytes', 'content-length': '1000' };
    const lab = await openLab({
      steps: [{ do: 'head', status: 200, headers }, { do: 'fill', bytes: 10 }, { do: 'rst' }],
    });
    const retrier = createRetrier(lean);
    const { body } = await undici.request(lab.origin, { dispatcher: retryingAgent(retrier) });
    const { error } = await settled(body.text());
    expect(error).toBeInstanceOf(Error);
    // What came first was a 200 with its body to follow; the second was no 206.
    expect(lab.requests).toHaveLength(2);
    expect(retrier.snapshot().scopes.map(({ budgets }) => budgets)).toEqual([[{ tokens: 2 }]]);
  });

  test('is refilled by successes, and snapshot() counts', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    const retrier = createRetrier(lean);
    const dispatcher = retryingAgent(retrier);
    const seen: unknown[] = [];

    for (let request = 0; request < 3; request += 1) {
      await statusOf(lab.origin, dispatcher);
      seen.push(retrier.snapshot().scopes[0]?.budgets);
    }
    retrier.reset();

    // 3 - 2 + 1, + 1, and full.
    expect(seen).toEqual([[{ tokens: 2 }], [{ tokens: 3 }], [{ tokens: 3 }]]);
    expect(retrier.snapshot()).toEqual({ scopes: [] });
  });

  test('shows no userinfo in the names of scopes', async () => {
    const lab = await openLab(answer(200));
    const retrier = createRetrier();
    await statusOf(lab.origin.replace('//', '//user:secret@'), retryingAgent(retrier));
    expect(JSON.stringify(retrier.snapshot())).not.toContain('secret');
  });
});

describe('the gate', () => {
  test('that is shut fails requests at once, without a socket', async () => {
    const lab = await openLab(answer(503));
    const retrier = createRetrier(gated, new Clock().ports);
    const dispatcher = retryingAgent(retrier);
    expect([await statusOf(lab.origin, dispatcher), await statusOf(lab.origin, dispatcher)]).toEqual([
      503, 503,
    ]);

    const errors = await Promise.all(
      [
        undici.request(lab.origin, { dispatcher }),
        undici.fetch(lab.origin, { dispatcher }).catch((error: Error) => Promise.reject(error.cause)),
        fetch(lab.origin, { dispatcher } as never).catch((error: Error) => Promise.reject(error.cause)),
      ].map(async (promise) => (await settled<unknown>(promise)).error),
    );

    for (const error of errors) {
      expect(error).toBeInstanceOf(GateShutError);
      expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_GATE_SHUT', scope: lab.origin });
    }
    expect(lab.requests).toHaveLength(2);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'shut' }]);
  });

  test('shuts by attempts that nobody answers, and not by those that say "too much"', async () => {
    const lab = await openLab([answer(429), answer(408), answer(425), rst(), rst()]);
    const dispatcher = retryingAgent(createRetrier(gated, new Clock().ports));
    for (let request = 0; request < 3; request += 1) await statusOf(lab.origin, dispatcher);
    const errors = [];
    for (let request = 0; request < 3; request += 1) {
      errors.push((await settled(undici.request(lab.origin, { dispatcher }))).error);
    }
    expect(errors.map((error) => error instanceof GateShutError)).toEqual([false, false, true]);
    expect(lab.requests).toHaveLength(5);
  });

  test('that shuts while a request waits for its retry fails it, with what it met as the cause', async () => {
    const lab = await openLab(answer(503, '', { 'x-served-by': 'a' }));
    const clock = new Clock();
    const dispatcher = retryingAgent(createRetrier({ ...gated, maxRetries: 1 }, clock.ports));
    const waiting = settled(undici.request(lab.origin, { dispatcher }));
    await clock.waits.until(1);
    expect(await statusOf(lab.origin, dispatcher)).toBe(503);

    clock.waits.wake();
    const { error } = await waiting;

    expect(error).toBeInstanceOf(GateShutError);
    expect((error as GateShutError).cause).toMatchObject({ status: 503, headers: { 'x-served-by': 'a' } });
    expect(lab.requests).toHaveLength(2);
  });

  test('… also if that was an error', async () => {
    const origin = await refusedOrigin();
    const clock = new Clock();
    const dispatcher = retryingAgent(createRetrier({ ...gated, maxRetries: 1 }, clock.ports));
    const waiting = settled(undici.request(origin, { dispatcher }));
    await clock.waits.until(1);
    await settled(undici.request(origin, { dispatcher }));

    clock.waits.wake();

    const { error } = await waiting;
    expect(error).toBeInstanceOf(GateShutError);
    expect((error as GateShutError).cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('that a failure shuts leaves the answer to that request: no retry of it would get through', async () => {
    const lab = await openLab(answer(503, 'dead'));
    const dispatcher = retryingAgent(createRetrier({ ...gated, maxRetries: 5 }, new Clock('at once').ports));
    await statusOf(lab.origin, dispatcher, { retry: { retry: false } });
    const { statusCode, body } = await undici.request(lab.origin, { dispatcher });
    expect([statusCode, await body.text()]).toEqual([503, 'dead']);
    expect(lab.requests).toHaveLength(2);
  });

  test("that one request meets with a probe under way waits for the probe's answer", async () => {
    const lab = await openLab([answer(503), answer(503), onCue('probed', answer(200)), answer(200)]);
    const clock = new Clock();
    const dispatcher = retryingAgent(createRetrier(gated, clock.ports));
    await statusOf(lab.origin, dispatcher);
    await statusOf(lab.origin, dispatcher);
    clock.now = 5_000;
    const probe = statusOf(lab.origin, dispatcher);
    await lab.until(({ requests }) => requests.length === 3);
    const other = statusOf(lab.origin, dispatcher);
    await clock.waits.until(1);
    lab.cue('probed');
    expect(await probe).toBe(200);
    clock.waits.wake();
    expect(await other).toBe(200);
    expect(clock.waits.delays).toEqual([10]);
  });

  test('lets one probe through at a time, and opens when it succeeds', async () => {
    const lab = await openLab([answer(503), answer(503), onCue('probed', answer(200))]);
    const clock = new Clock();
    const retrier = createRetrier(gated, clock.ports);
    const dispatcher = retryingAgent(retrier);
    await statusOf(lab.origin, dispatcher);
    await statusOf(lab.origin, dispatcher);

    clock.now = 5_000;
    const probe = statusOf(lab.origin, dispatcher);
    await lab.until(({ requests }) => requests.length === 3);
    const other = settled(undici.request(lab.origin, { dispatcher }));
    await clock.waits.until(1);
    clock.now = 5_250;
    clock.waits.wake();
    expect((await other).error).toBeInstanceOf(GateShutError);
    lab.cue('probed');
    expect(await probe).toBe(200);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'ramping' }]);

    clock.now = 10_000;
    expect(await statusOf(lab.origin, dispatcher)).toBe(200);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'open' }]);
  });

  test.each(['abort', 'attempt timeout', 'deadline', 'exception'] as const)(
    'gets its probe back from a request that ends by an %s',
    async (how) => {
      const lab = await openLab([answer(503), answer(503), silence(), answer(200)]);
      const clock = new Clock();
      const retrier = createRetrier(gated, clock.ports);
      const dispatcher = retryingAgent(retrier);
      await statusOf(lab.origin, dispatcher);
      await statusOf(lab.origin, dispatcher);

      clock.now = 5_000;
      const aborter = new AbortController();
      const retry = { 'attempt timeout': { attemptTimeoutMs: 20 }, deadline: { deadlineMs: 20 } }[
        how as string
      ];
      const probe = settled(
        how === 'exception'
          ? undici.request(lab.origin, { dispatcher, method: 'PUT', body: thrower() })
          : undici.request(lab.origin, { dispatcher, signal: aborter.signal, ...(retry && { retry }) }),
      );
      if (how !== 'exception') await lab.until(({ requests }) => requests.length === 3);
      if (how === 'abort') aborter.abort();
      if (retry !== undefined) await clock.waits.strike(20);
      expect((await probe).error).toBeInstanceOf(Error);

      clock.now = 20_000;
      // The script's silence is over by the time of the next probe, whether the server saw the first one.
      lab.play(answer(200));
      expect(await statusOf(lab.origin, dispatcher)).toBe(200);
    },
  );

  describe("with whenShut: 'wait'", () => {
    async function shutGate() {
      const lab = await openLab([answer(503), answer(200)]);
      const clock = new Clock();
      const retrier = createRetrier(patient, clock.ports);
      const dispatcher = retryingAgent(retrier);
      await statusOf(lab.origin, dispatcher);
      return { lab, clock, dispatcher, waiting: () => retrier.snapshot().scopes[0]?.waiting };
    }

    test('requests wait for it, no more than maxWaiting of them', async () => {
      const { lab, clock, dispatcher, waiting } = await shutGate();
      const patients = [statusOf(lab.origin, dispatcher), statusOf(lab.origin, dispatcher)];
      await clock.waits.until(2);
      expect(waiting()).toBe(2);
      const { error } = await settled(undici.request(lab.origin, { dispatcher }));
      expect(error).toBeInstanceOf(GateShutError);
      expect(lab.requests).toHaveLength(1);

      clock.now = 5_000;
      clock.waits.wake();
      await lab.until(({ requests }) => requests.length > 1);
      clock.now = 10_000;
      while (waiting() !== 0) {
        clock.waits.wake();
        await new Promise(setImmediate);
      }
      expect(await Promise.all(patients)).toEqual([200, 200]);
    });

    test('a wait that an abort ends leaves nothing behind', async () => {
      const { lab, clock, dispatcher, waiting } = await shutGate();
      const aborter = new AbortController();
      const reason = new Error('given up');
      const patient = settled(undici.request(lab.origin, { dispatcher, signal: aborter.signal }));
      await clock.waits.until(1);

      aborter.abort(reason);

      expect((await patient).error).toBe(reason);
      expect(waiting()).toBe(0);
      expect(clock.waits.pending).toBe(0);
      expect(lab.requests).toHaveLength(1);
    });

    test('a wait that the deadline ends leaves nothing behind', async () => {
      const { lab, clock, dispatcher, waiting } = await shutGate();
      // The gate's probe would have been in time: its own timer is what is late.
      const options = { dispatcher, retry: { deadlineMs: 100 } };
      const patient = settled(undici.request(lab.origin, options));
      await clock.waits.until(1);
      await clock.waits.strike(100);
      expect((await patient).error).toBeInstanceOf(DeadlineError);
      expect(waiting()).toBe(0);
      expect(clock.waits.pending).toBe(0);
    });

    test('a wait that would end behind the deadline is not begun', async () => {
      const { lab, clock, dispatcher, waiting } = await shutGate();
      const { error } = await settled(undici.request(lab.origin, { dispatcher, retry: { deadlineMs: 1 } }));
      expect(error).toBeInstanceOf(GateShutError);
      expect(waiting()).toBe(0);
      expect(clock.waits.delays).toEqual([]);
    });
  });
});

describe('the hold', () => {
  const holding: PolicyOptions = { maxRetries: 1, hold: { refusedShare: 0 } };

  test('that one request got delays the others of its scope, and not those of another', async () => {
    const lab = await openLab([answer(429, '', { 'retry-after': '5' }), answer(200)]);
    const other = await openLab(answer(200));
    const clock = new Clock();
    const retrier = createRetrier({ ...holding, hintJitter: 0 }, clock.ports);
    const dispatcher = retryingAgent(retrier);

    const first = statusOf(lab.origin, dispatcher);
    await clock.waits.until(1);
    clock.now = 1_000;
    const others = [statusOf(lab.origin, dispatcher), statusOf(lab.origin, dispatcher)];
    await clock.waits.until(3);
    expect(await statusOf(other.origin, dispatcher)).toBe(200);

    expect(clock.waits.delays.map(Math.round)).toEqual([5_000, 4_000, 4_100]);
    expect(lab.requests).toHaveLength(1);
    expect(retrier.snapshot().scopes[0]?.holds).toEqual([{ forMs: 4_000 }]);

    clock.now = 30_000;
    clock.waits.wake();
    expect(await Promise.all([first, ...others])).toEqual([200, 200, 200]);
    expect(lab.requests).toHaveLength(4);
  });

  test('longer than the deadline fails a request at once', async () => {
    const lab = await openLab([answer(429, '', { 'retry-after': '5' }), answer(200)]);
    const clock = new Clock();
    const dispatcher = retryingAgent(createRetrier({ ...holding, maxRetries: 0 }, clock.ports));
    expect(await statusOf(lab.origin, dispatcher)).toBe(429);

    const { error } = await settled(undici.request(lab.origin, { dispatcher, retry: { deadlineMs: 4_000 } }));

    expect(error).toBeInstanceOf(HeldError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_HELD', scope: lab.origin });
    expect((error as HeldError).asked).toEqual({ status: 429, delayMs: 5_000, agoMs: 0 });
    expect((error as HeldError).cause).toMatchObject({ status: 429, hint: { delayMs: 5_000 } });
    expect(clock.waits.delays).toEqual([]);
    expect(lab.requests).toHaveLength(1);
  });

  test('is given back by who leaves: others move up', async () => {
    const lab = await openLab([answer(429, '', { 'retry-after': '5' }), answer(200)]);
    const clock = new Clock();
    const dispatcher = retryingAgent(createRetrier({ ...holding, maxRetries: 0 }, clock.ports));
    await statusOf(lab.origin, dispatcher);
    const aborter = new AbortController();
    const leaving = Array.from({ length: 50 }, () =>
      settled(undici.request(lab.origin, { dispatcher, signal: aborter.signal })),
    );
    await clock.waits.until(50);
    aborter.abort();
    await Promise.all(leaving);
    const next = statusOf(lab.origin, dispatcher);
    await clock.waits.until(51);
    expect(clock.waits.delays.at(-1)).toBe(5_000);
    clock.now = 5_000;
    clock.waits.wake();
    expect(await next).toBe(200);
  });

  test('is left by an abort at once', async () => {
    const lab = await openLab([answer(429, '', { 'retry-after': '5' }), answer(200)]);
    const clock = new Clock();
    const dispatcher = retryingAgent(createRetrier({ ...holding, maxRetries: 0 }, clock.ports));
    await statusOf(lab.origin, dispatcher);
    const aborter = new AbortController();
    const held = settled(undici.request(lab.origin, { dispatcher, signal: aborter.signal }));
    await clock.waits.until(1);
    aborter.abort();
    expect((await held).error).toMatchObject({ name: 'AbortError' });
    expect(clock.waits.pending).toBe(0);
  });
});

describe('presets.policies.service', () => {
  test('works from end to end', async () => {
    const lab = await openLab([answer(503), rst(), answer(200, 'served')]);
    const waits = new Waits();
    const retrier = createRetrier(presets.policies.service, { sleep: waits.sleep });
    const { statusCode, body } = await undici.request(lab.origin, { dispatcher: retryingAgent(retrier) });
    expect([statusCode, await body.text()]).toEqual([200, 'served']);
    expect(waits.delays).toHaveLength(2);
    expect(retrier.snapshot().scopes).toMatchObject([{ gates: [{ state: 'open' }], waiting: 0 }]);
  });

  test('gives up an attempt that nobody answers', async () => {
    const lab = await openLab([silence(), answer(200, 'served')]);
    const waits = new Waits();
    const policy: PolicyOptions = { ...presets.policies.service, attemptTimeoutMs: 50 };
    const dispatcher = retryingAgent(createRetrier(policy, { sleep: waits.sleep }));
    const asked = statusOf(lab.origin, dispatcher);
    await lab.until(({ requests }) => requests.length === 1);
    await waits.strike(50);
    expect(await asked).toBe(200);
    expect(lab.requests).toHaveLength(2);
  });
});

function thrower(): Readable {
  return new Readable({
    read() {
      this.destroy(new Error('nothing to send'));
    },
  });
}
