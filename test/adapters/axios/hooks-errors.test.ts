/** The caller's own errors are passed on unchanged; ours are in the form that axios's callers expect. */

import { getEventListeners, once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import {
  AttemptTimeoutError,
  createRetrier,
  DeadlineError,
  GateShutError,
  PolicyError,
  type PolicyOptions,
  type RequestEvent,
} from '../../../src/index.js';
import { answer, rst, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { axios, axiosEsm } from './client.js';
import { retryingInstance } from './kit.js';

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

type Event = RequestEvent;

/** A frozen error: writing to it fails. */
const broken = Object.freeze(new Error('the caller’s own'));
const fail = (): never => {
  throw broken;
};

describe('functions of the policy that throw', () => {
  test('idempotencyKey.generate: the end is reported, and the body is closed', async () => {
    const events: Event[] = [];
    const lab = await openLab(answer(200));
    const body = Readable.from(['never sent']);
    const closed = once(body, 'close').catch((error: unknown) => error);
    const policy: PolicyOptions = {
      idempotencyKey: { generate: fail },
      observe: (event) => events.push(event),
    };
    const { error } = await settled(retryingInstance(policy).post(lab.origin, body));
    expect(error).toBe(broken);
    await closed;
    expect(body.destroyed).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(['settled']);
  });
});

describe('observe', () => {
  test('that throws changes nothing, and is reported', async () => {
    const lab = await openLab([answer(503), rst(), answer(200, 'fine')]);
    const warned = once(process, 'warning');
    const { data } = await retryingInstance({ ...soon, observe: fail }).get(lab.origin);
    expect(data).toBe('fine');
    const [warning] = (await warned) as [Error];
    expect(warning).toMatchObject({ message: expect.stringContaining('observe threw'), cause: broken });
  });

  const refusing = answer(503);
  const stops: readonly [string, PolicyOptions, ReturnType<typeof answer> | ReturnType<typeof rst>][] = [
    ['retries-spent', { maxRetries: 2 }, refusing],
    ['retries-off', { retry: false }, refusing],
    ['final-status', {}, answer(404)],
    ['unsafe-method', { methods: [] }, rst()],
    ['caller-forbids', { retryIf: () => false }, refusing],
    ['server-forbids', {}, answer(503, '', { 'x-should-retry': 'false' })],
    ['hint-too-long', {}, answer(503, '', { 'retry-after': '3600' })],
    ['wait-past-deadline', { deadlineMs: 10_000, schedule: () => 10_001 }, answer(503)],
    ['budget-spent', { budget: { capacity: 1, perSecond: 0, cost: 1 } }, refusing],
  ];
  test.each(stops)('sees every stop: %s', async (reason, policy, play) => {
    const events: Event[] = [];
    const lab = await openLab(play);
    const observe = (event: Event): unknown => events.push(event);
    const { error } = await settled(retryingInstance({ ...soon, ...policy, observe }).get(lab.origin));
    expect(axios.isAxiosError(error)).toBe(true);
    const decisions = events.flatMap((event) => (event.type === 'decision' ? [event.decision] : []));
    expect(decisions.at(-1)).toMatchObject({ action: 'stop', reason });
    expect(decisions.filter(({ action }) => action === 'stop')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'settled', attempts: lab.requests.length });
    expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  });

  test('a success after retries has a last event, and one at once has no decision', async () => {
    const events: Event[] = [];
    const lab = await openLab([answer(503), answer(200), answer(200)]);
    const instance = retryingInstance({ ...soon, observe: (event) => events.push(event) });
    await instance.get(lab.origin);
    await instance.get(lab.origin);
    const told = events.map((event) => {
      if (event.type === 'hedge' || event.type === 'renewal') return event.type;
      return event.type === 'decision' ? event.decision.reason : event.outcome;
    });
    expect(told).toEqual(['transient-status', 'success', 200, 200]);
  });
});

describe('our own errors', () => {
  const headers = { Authorization: 'Bearer secret' };

  async function deadlineError(): Promise<unknown> {
    const time = new HandTime();
    const lab = await openLab([answer(503), silence()]);
    const instance = retryingInstance(createRetrier({ ...soon, deadlineMs: 100 }, time.ports));
    const answered = settled(instance.get(lab.origin, { headers }));
    await time.fire(1);
    await time.fire(99);
    return (await answered).error;
  }

  async function attemptTimeoutError(): Promise<unknown> {
    const time = new HandTime();
    const lab = await openLab(silence());
    const policy = { ...soon, attemptTimeoutMs: 100, maxRetries: 0 };
    const answered = settled(
      retryingInstance(createRetrier(policy, time.ports)).get(lab.origin, { headers }),
    );
    await time.fire(100);
    return (await answered).error;
  }

  async function gateShutError(): Promise<unknown> {
    const lab = await openLab(answer(503));
    const { sleep } = new Waits();
    const instance = retryingInstance(
      createRetrier({ gate: { failures: 1, deadForMs: 0 }, maxRetries: 0 }, { sleep }),
    );
    await settled(instance.get(lab.origin));
    return (await settled(instance.get(lab.origin, { headers }))).error;
  }

  async function policyError(): Promise<unknown> {
    const lab = await openLab(answer(200));
    const retry = { maxRetires: 1 } as object;
    return (await settled(retryingInstance().get(lab.origin, { headers, retry }))).error;
  }

  test.each([
    ['DeadlineError', DeadlineError, 'ERR_UNDAUNTED_DEADLINE', deadlineError],
    ['AttemptTimeoutError', AttemptTimeoutError, 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', attemptTimeoutError],
    ['GateShutError', GateShutError, 'ERR_UNDAUNTED_GATE_SHUT', gateShutError],
    ['PolicyError', PolicyError, 'ERR_UNDAUNTED_POLICY', policyError],
  ])('%s passes as an error of axios, and can be printed', async (name, type, code, provoke) => {
    const error = await provoke();
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ name, code });
    expect(axios.isAxiosError(error)).toBe(true);
    expect(axiosEsm.isAxiosError(error)).toBe(true);
    expect(axios.isCancel(error)).toBe(false);
    const { config } = error as { config: { method: string; headers: { get(name: string): unknown } } };
    expect(config.method).toBe('get');
    expect(config.headers.get('authorization')).toBe('Bearer secret');
    const printed = JSON.stringify(error);
    expect(JSON.parse(printed)).toMatchObject({ name, code, message: (error as Error).message });
    expect(printed).not.toContain('secret');
  });

  test('retryIf is asked about an attempt’s timeout, and decides', async () => {
    const seen: unknown[] = [];
    const time = new HandTime();
    const lab = await openLab([silence(), answer(200)]);
    const policy: PolicyOptions = {
      ...soon,
      attemptTimeoutMs: 100,
      retryIf: (outcome) => {
        seen.push(outcome.kind === 'error' ? outcome.error : outcome.status);
        return outcome.kind === 'error' ? false : undefined;
      },
    };
    const answered = settled(retryingInstance(createRetrier(policy, time.ports)).get(lab.origin));
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(100);
    const { error } = await answered;
    expect(seen).toEqual([error]);
    expect(error).toBeInstanceOf(AttemptTimeoutError);
  });
});

describe('an adapter of the caller that throws at once', () => {
  test.each([
    ['without limits', {}],
    ['with limits', { attemptTimeoutMs: 100, deadlineMs: 1_000 }],
  ])('%s: like one that rejects, and nothing is left of the attempt', async (_limited, limits) => {
    const time = new HandTime();
    const { signal } = new AbortController();
    let calls = 0;
    const adapter = (): never => {
      calls += 1;
      throw Object.assign(new Error('thrown, not rejected'), { code: 'ECONNRESET' });
    };
    const policy = { ...soon, ...limits, maxRetries: 1 };
    const instance = retryingInstance(createRetrier(policy, time.ports), { adapter });
    const config = { signal, url: 'http://x.invalid/' };
    let left: object = {};
    instance.interceptors.request.use((whole) => {
      left = whole;
      return whole;
    });
    const answered = settled(instance.request(config));
    await time.fire(1);
    expect((await answered).error).toMatchObject({ message: 'thrown, not rejected' });
    expect(calls).toBe(2);
    expect(time.pending).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(left).toMatchObject({ signal });
  });
});
