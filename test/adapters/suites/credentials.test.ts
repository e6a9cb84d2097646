/**
 * `credentials`: headers that carry a token, its renewal once a server has refused it, and the one attempt more that a
 * request is sent for with the new one.
 */

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions, Renew, RequestEvent } from '../../../src/index.js';
import {
  type CredentialsOptions,
  createRetrier,
  DeadlineError,
  GateShutError,
  historyOf,
} from '../../../src/index.js';
import { type Answer, answer, cutBody, type Received, silence } from '../../faults/lab.js';
import { brief, reasons } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { headIn } from './causes.js';
import { hedgeMs, hedging, onCue } from './hedged.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code);

const fresh = 'Bearer token-1';

/** Answers 200 to the token that is good now, and otherwise 401. */
const guarded =
  (isGood: (token: string | undefined) => boolean = (token) => token === fresh) =>
  ({ headers }: Received): Answer =>
    isGood(headers['authorization'])
      ? answer(200, 'ok')
      : answer(401, 'no', { 'www-authenticate': 'Bearer' });

/** A login that gives out token-1, token-2 and so on, and what it was asked. */
function login(renew: (number: number) => unknown = () => undefined) {
  const asked: Parameters<Renew>[0][] = [];
  let token = 'token-0';
  const credentials = {
    headers: () => ({ Authorization: `Bearer ${token}` }),
    renew: async (context: Parameters<Renew>[0]) => {
      asked.push(context);
      const number = asked.length;
      await renew(number);
      token = `token-${number}`;
    },
  } satisfies CredentialsOptions;
  return { asked, credentials, spoil: () => (token = 'spoilt') };
}

const tokensIn = (requests: readonly Received[]) =>
  requests.map(({ headers }) => headers['authorization']?.replace('Bearer ', ''));

describe.each(subject.ways)('over $name', ({ name, client, open, takesOverride, knowsHistory = true }) => {
  const sending = (credentials: PolicyOptions['credentials'], policy: PolicyOptions = {}) => {
    const told: string[] = [];
    const events: RequestEvent[] = [];
    const observe = (event: RequestEvent): void => {
      told.push(brief(event));
      events.push(event);
    };
    const send = client({ ...soon, observe, ...policy, ...(credentials !== undefined && { credentials }) });
    return { send, told, events };
  };

  // -------------------------------------------------------------- the headers

  test('each attempt gets the headers, over those of the request', async () => {
    const lab = await open([answer(503), answer(200, 'ok')]);
    let asked = 0;
    const headers = async () => {
      asked += 1;
      return { AUTHORIZATION: `Bearer ${asked}`, 'x-tenant': 'seven' };
    };
    const { send } = sending({ headers, renew: () => undefined });
    const reply = await send(lab.origin, { headers: { Authorization: 'mine', 'X-Other': 'kept' } });
    expect(reply.text).toBe('ok');
    expect(lab.requests.map(({ headers: sent }) => sent)).toMatchObject([
      { authorization: 'Bearer 1', 'x-tenant': 'seven', 'x-other': 'kept' },
      { authorization: 'Bearer 2', 'x-tenant': 'seven', 'x-other': 'kept' },
    ]);
  });

  test.each([
    ['pairs', () => [['authorization', fresh]] as const],
    ['Headers', () => new Headers({ authorization: fresh })],
    ['one that is undefined', () => ({ authorization: fresh, 'x-more': undefined })],
  ])('they may be %s', async (_what, headers) => {
    const lab = await open(guarded());
    const { send } = sending({ headers, renew: () => undefined });
    expect((await send(lab.origin)).status).toBe(200);
    expect(lab.requests[0]?.headers).not.toHaveProperty('x-more');
  });

  test('there may be none yet', async () => {
    const lab = await open(guarded());
    let token: string | undefined;
    const headers = () => (token === undefined ? undefined : { authorization: token });
    const renew = () => {
      token = fresh;
    };
    const { send } = sending({ headers, renew });
    expect((await send(lab.origin)).status).toBe(200);
    expect(tokensIn(lab.requests)).toEqual([undefined, 'token-1']);
  });

  test('they are told the request', async () => {
    const lab = await open(guarded());
    const { send } = sending({
      headers: ({ origin, path, method }) => ({
        authorization: fresh,
        'x-told': `${method} ${origin} ${path}`,
      }),
      renew: () => undefined,
    });
    await send(`${lab.origin}/a?b=c`);
    expect(lab.requests[0]?.headers['x-told']).toBe(`GET ${lab.origin} /a?b=c`);
  });

  test.each([
    [
      'throws',
      () => {
        throw new RangeError('no token');
      },
    ],
    [
      'rejects',
      async () => {
        throw new RangeError('no token');
      },
    ],
  ])(
    'a function for them that %s fails the request with its error, before anything is sent',
    async (_, headers) => {
      const lab = await open(guarded());
      const { send, told } = sending({ headers, renew: () => undefined });
      const { error } = await settled(send(lab.origin));
      expect(subject.unwrapped?.(error) ?? error).toMatchObject({ name: 'RangeError', message: 'no token' });
      expect(lab.requests).toHaveLength(0);
      expect(told).toEqual(['settled RangeError after 0']);
    },
  );

  test.each([
    ['a text', () => 'Bearer secret'],
    ['a number for one of them', () => ({ authorization: 4711 })],
    ['a list', () => ['Bearer secret']],
  ])('%s in their place is a mistake, which is not shown', async (_what, headers) => {
    const lab = await open(guarded());
    const { send } = sending({ headers: headers as never, renew: () => undefined });
    const { error } = await settled(send(lab.origin));
    expect(String(subject.unwrapped?.(error) ?? error)).toMatch(
      /credentials\.headers returned a .*must return headers/,
    );
    expect(inspect(error, { depth: 5 })).not.toMatch(/secret|4711/);
  });

  // -------------------------------------------------------------- a token that has expired

  test('the caller does not see the 401', async () => {
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const { send, told, events } = sending(credentials, { maxRetries: 0, budget: { capacity: 1 } });
    const reply = await send(lab.origin, { method: 'PUT', body: 'x' });
    expect([reply.status, reply.text]).toEqual([200, 'ok']);
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-1']);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['x', 'x']);
    expect(asked.map(({ response }) => [response.status, response.header('WWW-Authenticate')])).toEqual([
      [401, 'Bearer'],
    ]);
    expect(told).toEqual([
      'renewal succeeded',
      'retry 1: fresh-credentials',
      'stop 2: success',
      'settled 200 after 2',
    ]);
    if (knowsHistory) expect(reasons(reply.given)).toEqual(['1 fresh-credentials', '2 success']);
    expect(JSON.stringify(events)).not.toContain('token-');
    expect(events[0]).toMatchObject({
      type: 'renewal',
      ok: true,
      tookMs: expect.any(Number),
      request: { method: 'PUT' },
    });
    subject.expectOwn(reply.given, { method: 'PUT', body: 'x' });
  });

  test('a 401 is judged by its head, also where answers wait for their bodies', async ({ skip }) => {
    // Before 1.16, axios rejects with an error that has no answer, and its other adapters do so still.
    const [, minor = 0] = subject.underTest.version.split('.').map(Number);
    skip(subject.name === 'axios' && (name !== subject.ways[0].name || minor < 16));
    const [, ...rest] = cutBody(1_000, 10, 'fin').steps;
    const head = { do: 'head', status: 401, headers: { 'content-length': '1000' } } as const;
    const lab = await open((request) => {
      return tokensIn([request])[0] === 'token-0'
        ? ({ steps: [head, ...rest] } as Answer)
        : guarded()(request);
    });
    const { asked, credentials } = login();
    const { send, told } = sending(credentials, { wholeBodyBytes: 2_000 });
    expect((await send(lab.origin)).text).toBe('ok');
    expect(asked).toHaveLength(1);
    expect(told).toContain('retry 1: fresh-credentials');
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-1']);
  });

  test('a second 401 is the caller’s, and renews nothing', async () => {
    const lab = await open(guarded(() => false));
    const { asked, credentials } = login();
    const { send, told } = sending(credentials);
    const reply = await send(lab.origin);
    expect([reply.status, reply.text]).toEqual([401, 'no']);
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-1']);
    expect(asked).toHaveLength(1);
    expect(told.at(-2)).toBe('stop 2: final-status');
  });

  test('it is outside of maxRetries, waits and budget', async () => {
    const plays = [answer(503), answer(401), answer(503), answer(200, 'ok')];
    const lab = await open(plays);
    const { credentials } = login();
    const time = new HandTime();
    const schedule = { kind: 'table', waitsMs: [50, 70] } as const;
    const budget = { capacity: 2, perSuccess: 0, perSecond: 0, refund: false } as const;
    const retrier = createRetrier({ credentials, schedule, budget, maxRetries: 2 }, time.ports);
    const asked = client(retrier)(lab.origin);
    await time.fire(50);
    await time.fire(0);
    await time.fire(70);
    expect((await asked).status).toBe(200);
    expect(retrier.snapshot().scopes[0]?.budgets[0]?.tokens).toBe(0);
    expect(lab.requests).toHaveLength(4);
  });

  test('many at once: one renewal, and two attempts each', async () => {
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const { send } = sending(credentials);
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(lab.origin)));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(asked).toHaveLength(1);
    expect(lab.requests.length).toBeLessThanOrEqual(40);
  });

  test('rules and retriers that have the same functions have one renewal', async () => {
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const rules = [
      { match: '/a', credentials: { ...credentials, timeoutMs: 500 } },
      { match: '/b', credentials },
    ];
    const [one, other] = [client({ ...soon, rules }), client({ ...soon, credentials })];
    const urls = [`${lab.origin}/a`, `${lab.origin}/b`];
    const replies = await Promise.all([...urls.map((url) => one(url)), other(lab.origin)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked).toHaveLength(1);
  });

  test('an attempt that was sent before the renewal goes again at once', async () => {
    const slow = onCue('slow', answer(401));
    const lab = await open((request) =>
      request.path === '/slow' && request.number === 1 ? slow : guarded()(request),
    );
    const { asked, credentials } = login();
    const { send } = sending(credentials);
    const first = send(`${lab.origin}/slow`);
    await lab.until(({ requests }) => requests.length === 1);
    const second = lab.origin;
    expect((await client({ ...soon, credentials })(second)).status).toBe(200);
    lab.cue('slow');
    expect((await first).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test('headers that were asked for before a renewal and came after it are asked for again', async () => {
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const late: (() => void)[] = [];
    const headers = async () => {
      const now = credentials.headers();
      if (asked.length === 0 && late.length === 0) await new Promise<void>((resolve) => late.push(resolve));
      return now;
    };
    const { send } = sending({ headers, renew: credentials.renew });
    const first = send(`${lab.origin}/first`);
    await comesTrue(() => late.length === 1);
    expect((await send(`${lab.origin}/second`)).status).toBe(200);
    late[0]?.();
    expect((await first).status).toBe(200);
    expect(lab.requests.filter(({ path }) => path === '/first')).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  test('`renew` may be a plain function', async () => {
    const lab = await open(guarded());
    let token = 'old';
    const { send } = sending({
      headers: () => ({ authorization: token }),
      renew: () => {
        token = fresh;
      },
    });
    expect((await send(lab.origin)).status).toBe(200);
  });

  test('other statuses may say so, too; 401 then is like any other', async () => {
    const lab = await open([answer(419), answer(200, 'ok'), answer(401)]);
    const { asked, credentials } = login();
    const { send } = sending({ ...credentials, statuses: [419] });
    expect([(await send(lab.origin)).status, (await send(lab.origin)).status]).toEqual([200, 401]);
    expect(asked).toHaveLength(1);
  });

  test('false in a rule switches it off', async () => {
    const lab = await open(answer(401));
    const { asked, credentials } = login();
    const { send } = sending(credentials, { rules: [{ match: '/public', credentials: false }] });
    expect((await send(`${lab.origin}/public`)).status).toBe(401);
    expect(tokensIn(lab.requests)).toEqual([undefined]);
    expect(asked).toHaveLength(0);
  });

  test.runIf(takesOverride)('one request may have its own, or none', async () => {
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const { send } = sending(undefined);
    expect((await send(lab.origin, { retry: { credentials } })).status).toBe(200);
    expect((await send(lab.origin, { retry: { credentials: false } })).status).toBe(401);
    expect(asked).toHaveLength(1);
  });

  test('beforeRetry is called for the attempt more, without seeing the token', async () => {
    const lab = await open(guarded());
    const { credentials } = login();
    const seen: unknown[] = [];
    const { send } = sending(credentials, {
      beforeRetry: ({ headers, decision }) => {
        seen.push([decision.reason, { ...headers }]);
        headers['x-more'] = 'yes';
      },
    });
    expect((await send(lab.origin, { headers: { 'x-own': '1' } })).status).toBe(200);
    expect(JSON.stringify(seen)).toContain('fresh-credentials');
    expect(JSON.stringify(seen)).not.toContain('token');
    expect(lab.requests[1]?.headers).toMatchObject({ 'x-more': 'yes', 'x-own': '1' });
  });

  // -------------------------------------------------------------- what renews nothing

  test.each([
    'Bearer error="insufficient_scope", scope="write"',
    'Basic realm="x", Bearer realm="y", error = insufficient_scope',
  ])('%s renews nothing', async (challenge) => {
    const lab = await open(answer(401, 'no', { 'www-authenticate': challenge }));
    const { asked, credentials } = login();
    const { send } = sending(credentials);
    expect((await send(lab.origin)).status).toBe(401);
    expect([lab.requests.length, asked.length]).toEqual([1, 0]);
  });

  test('retryIf that returns false renews nothing', async () => {
    const lab = await open(answer(401));
    const { asked, credentials } = login();
    const { send } = sending(credentials, { retryIf: () => false });
    expect((await send(lab.origin)).status).toBe(401);
    expect([lab.requests.length, asked.length]).toEqual([1, 0]);
  });

  test('a renewal that makes requests with the same credentials does not wait for itself', async () => {
    const lab = await open(answer(401, 'no'));
    const { credentials } = login();
    const inner: number[] = [];
    const { send } = sending({
      headers: credentials.headers,
      renew: async () => {
        await Promise.resolve();
        inner.push((await send(`${lab.origin}/login`)).status);
        throw new Error('no login');
      },
    });
    expect((await send(lab.origin)).status).toBe(401);
    expect(inner).toEqual([401]);
    expect(lab.requests).toHaveLength(2);
  });

  // -------------------------------------------------------------- writes

  test('a POST goes again where the 401 is known to be the first server’s', async ({ skip }) => {
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const { send } = sending(credentials, { maxRetries: 0 });
    const way = subject.ways.find((one) => one.client === client);
    if (way?.provesNothing === true) skip();
    const reply = await send(lab.origin, { method: 'POST', body: 'x' });
    expect(reply.status).toBe(200);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['x', 'x']);
    expect(asked).toHaveLength(1);
  });

  test('one that must not go again leaves the token to the others', async () => {
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const { send } = sending(credentials, { unsafeMethods: 'unsent' });
    expect((await send(lab.origin, { method: 'POST', body: 'x' })).status).toBe(401);
    await comesTrue(() => asked.length === 1);
    expect((await send(lab.origin)).status).toBe(200);
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-1']);
  });

  // -------------------------------------------------------------- a renewal that fails

  test('the requests that wait get their own 401, and the next renewal waits 1 s, then 2 s, up to 30 s', async () => {
    const lab = await open((request) => answer(401, request.path));
    const time = new HandTime();
    const { asked, credentials } = login(() => {
      throw new Error('the login is down');
    });
    const events: RequestEvent[] = [];
    const observe = (event: RequestEvent) => void (event.type === 'renewal' && events.push(event));
    const send = client(createRetrier({ ...soon, credentials, observe }, time.ports));
    const replies = await Promise.all(['/a', '/b', '/c'].map((path) => send(lab.origin + path)));
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [401, '/a'],
      [401, '/b'],
      [401, '/c'],
    ]);
    expect(lab.requests).toHaveLength(3);
    for (const [waitMs, renewals] of [
      [999, 1],
      [1, 2],
      [1_999, 2],
      [1, 3],
      [4_000, 4],
      [8_000, 5],
      [16_000, 6],
      [30_000, 7],
      [30_000, 8],
    ] as const) {
      time.now += waitMs;
      await send(lab.origin);
      await send(lab.origin);
      expect([time.now, asked.length]).toEqual([time.now, renewals]);
    }
    expect(events.map((event) => event.type === 'renewal' && event.ok)).toEqual(Array(8).fill(false));
    expect(time.pending).toEqual([]);
  });

  test('all recover after the second renewal', async () => {
    const lab = await open(guarded((token) => token === 'Bearer token-2'));
    const time = new HandTime();
    const { asked, credentials } = login((number) => {
      if (number === 1) throw new Error('the login is down');
    });
    const send = client(createRetrier({ ...soon, credentials }, time.ports));
    const ten = async () => {
      const all = Promise.all(Array.from({ length: 10 }, () => send(lab.origin)));
      const seen = new Promise<void>((resolve) => void all.finally(resolve).catch(() => undefined));
      void fireAll(time, seen);
      return (await all).map(({ status }) => status);
    };
    expect(await ten()).toEqual(Array(10).fill(401));
    time.now += 1_000;
    expect(await ten()).toEqual(Array(10).fill(200));
    expect(asked).toHaveLength(2);
  });

  test('one that takes too long has failed, and its signal aborts', async () => {
    const lab = await open(answer(401, 'no'));
    const time = new HandTime();
    const { asked, credentials } = login(() => new Promise(() => undefined));
    const send = client(
      createRetrier({ ...soon, credentials: { ...credentials, timeoutMs: 700 } }, time.ports),
    );
    const both = Promise.all([send(lab.origin), send(lab.origin)]);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(700);
    expect((await both).map(({ status, text }) => [status, text])).toEqual([
      [401, 'no'],
      [401, 'no'],
    ]);
    expect(asked.map(({ signal }) => [signal.aborted, signal.reason?.name])).toEqual([
      [true, 'TimeoutError'],
    ]);
    expect(time.pending).toEqual([]);
  });

  test('… and if it succeeds after all, that counts', async () => {
    const lab = await open(guarded());
    const time = new HandTime();
    let finish: () => void = () => undefined;
    const { credentials } = login(() => new Promise<void>((resolve) => (finish = resolve)));
    const send = client(
      createRetrier({ ...soon, credentials: { ...credentials, timeoutMs: 700 } }, time.ports),
    );
    const first = send(lab.origin);
    await time.fire(700);
    expect((await first).status).toBe(401);
    finish();
    await comesTrue(() => credentials.headers().Authorization === fresh);
    expect((await send(lab.origin)).status).toBe(200);
  });

  test('a login whose tokens are refused is not asked by each request', async () => {
    const lab = await open(answer(401));
    const time = new HandTime();
    const { asked, credentials } = login();
    const send = client(createRetrier({ ...soon, credentials }, time.ports));
    const ask = async () => {
      const reply = send(lab.origin);
      const over = reply.then(() => undefined);
      void fireAll(time, over);
      return (await reply).status;
    };
    expect([await ask(), await ask(), await ask()]).toEqual([401, 401, 401]);
    expect(asked).toHaveLength(1);
    time.now += 1_000;
    expect([await ask(), await ask(), await ask()]).toEqual([401, 401, 401]);
    expect(asked).toHaveLength(2);
  });

  // -------------------------------------------------------------- the caller's abort, and the deadline

  test('an abort ends the request at once, and leaves the renewal to the others', async () => {
    const lab = await open(guarded());
    let finish: () => void = () => undefined;
    const { asked, credentials } = login(() => new Promise<void>((resolve) => (finish = resolve)));
    const { send } = sending(credentials);
    const control = new AbortController();
    const first = settled(send(lab.origin, { signal: control.signal }));
    await comesTrue(() => asked.length === 1);
    const second = send(lab.origin);
    await lab.until(({ requests }) => requests.length === 2);
    control.abort();
    expect(codeOf((await first).error)).toBe(subject.abortCode);
    expect(asked[0]?.signal.aborted).toBe(false);
    finish();
    expect((await second).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test('an abort while the headers are awaited ends the request at once, and nothing is sent', async () => {
    const lab = await open(guarded());
    let isAsked = false;
    const headers = () => {
      isAsked = true;
      return new Promise<never>(() => undefined);
    };
    const { send } = sending({ headers, renew: () => undefined });
    const control = new AbortController();
    const asked = settled(send(lab.origin, { signal: control.signal }));
    await comesTrue(() => isAsked);
    control.abort();
    expect(codeOf((await asked).error)).toBe(subject.abortCode);
    expect(lab.requests).toHaveLength(0);
  });

  test('the deadline ends the wait, with the 401 as the cause', async () => {
    const lab = await open(answer(401));
    const time = new HandTime();
    const { asked, credentials } = login(() => new Promise(() => undefined));
    const send = client(createRetrier({ ...soon, credentials, deadlineMs: 300 }, time.ports));
    const answered = settled(send(lab.origin));
    await comesTrue(() => asked.length === 1);
    await time.until(({ pending }) => pending.includes(10_000));
    await time.fireAt(300);
    const { error } = await answered;
    expect(error).toBeInstanceOf(DeadlineError);
    expect(headIn(error).status).toBe(401);
    expect(asked[0]?.signal.aborted).toBe(false);
  });

  test('the attempt more is inside the deadline', async () => {
    const lab = await open((request) => (request.number === 1 ? answer(401) : silence()));
    const time = new HandTime();
    const { credentials } = login();
    const send = client(createRetrier({ ...soon, credentials, deadlineMs: 300 }, time.ports));
    const answered = settled(send(lab.origin));
    await time.fire(0);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fireAt(300);
    expect((await answered).error).toBeInstanceOf(DeadlineError);
  });

  test('its timer lets the process exit if unref says so', async () => {
    const lab = await open(guarded());
    for (const unref of [true, false]) {
      const time = new HandTime();
      const { credentials } = login();
      const reply = client(createRetrier({ ...soon, credentials, unref }, time.ports))(lab.origin);
      await time.fire(0);
      await reply;
      expect(time.timers.find(({ delayMs }) => delayMs === 10_000)?.unref).toBe(unref);
    }
  });

  // -------------------------------------------------------------- gate and hold

  test('it asks for admission: a gate that has shut meanwhile keeps it out', async () => {
    const lab = await open([answer(401), answer(503)]);
    const { credentials } = login();
    const time = new HandTime();
    const gate = { failures: 1, deadForMs: 0 } as const;
    const beforeRetry = async (): Promise<void> => void (await send(lab.origin));
    const send = client(
      createRetrier({ ...soon, maxRetries: 0, gate, credentials, beforeRetry }, time.ports),
    );
    const answered = settled(send(lab.origin));
    await time.fire(0);
    const { error } = await answered;
    expect(error).toBeInstanceOf(GateShutError);
    expect(headIn(error).status).toBe(401);
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-1']);
  });

  test('a gate hears of the 401 before the renewal, which may need it to be open', async () => {
    const lab = await open(({ path, number, headers }) => {
      if (number === 1) return answer(503);
      return path === '/login' ? answer(200) : guarded()({ headers } as Received);
    });
    const { credentials } = login();
    const time = new HandTime();
    const policy: PolicyOptions = {
      ...soon,
      maxRetries: 0,
      gate: { failures: 1, deadForMs: 0, rampMs: 0 },
      rules: [{ match: '/login', credentials: false }],
      credentials: {
        headers: credentials.headers,
        renew: async (context) => {
          await send(`${lab.origin}/login`);
          await credentials.renew(context);
        },
      },
    };
    const retrier = createRetrier(policy, time.ports);
    const send = client(retrier);
    expect((await send(lab.origin)).status).toBe(503);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'shut' }]);
    time.now += 5_000;
    const probe = send(lab.origin);
    await time.fire(0);
    expect((await probe).status).toBe(200);
    expect(time.pending).toEqual([]);
  });

  test('a login through the same client gets a place among the attempts in flight', async () => {
    const lab = await open((request) => (request.path === '/login' ? answer(200) : guarded()(request)));
    const { asked, credentials } = login();
    const send = client({
      ...soon,
      concurrency: 1,
      rules: [{ match: '/login', credentials: false }],
      credentials: {
        headers: credentials.headers,
        renew: async (context) => {
          await send(`${lab.origin}/login`);
          await credentials.renew(context);
        },
      },
    });
    const replies = await Promise.all([send(lab.origin), send(lab.origin), send(lab.origin)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked).toHaveLength(1);
  });

  test('one route that refuses every token does not keep the others from renewing theirs for long', async () => {
    const lab = await open((request) => (request.path === '/closed' ? answer(401) : guarded()(request)));
    const time = new HandTime();
    const { asked, credentials, spoil } = login();
    const send = client(createRetrier({ ...soon, credentials }, time.ports));
    const ask = async (path: string) => {
      const reply = send(lab.origin + path);
      void fireAll(
        time,
        reply.then(() => undefined),
      );
      return (await reply).status;
    };
    for (let second = 0; second < 40; second += 1) {
      expect(await ask('/closed')).toBe(401);
      time.now += 1_000;
    }
    // After 0, 1, 3, 7, 15 and 31 seconds.
    expect(asked).toHaveLength(6);
    asked.length = 0;
    spoil();
    time.now += 30_000;
    expect(await ask('/')).toBe(200);
    spoil();
    time.now += 1_000;
    asked.length = 0;
    expect(await ask('/')).toBe(200);
  });

  test('neither the 401 nor the attempt more is a failure, and each gives its permit back', async () => {
    const lab = await open(guarded());
    const { credentials } = login();
    const retrier = createRetrier({ ...soon, gate: { failures: 1, deadForMs: 0 }, hold: true, credentials });
    const send = client(retrier);
    expect((await send(lab.origin)).status).toBe(200);
    const snapshot = retrier.snapshot();
    expect(snapshot.scopes[0]).toMatchObject({ waiting: 0, gates: [{ state: 'open' }] });
    expect(inspect(snapshot, { depth: 9 })).not.toContain('token-');
  });

  test.runIf(subject.hedges)('a hedge has the headers of the attempt beside it', async () => {
    const lab = await open([onCue('first', answer(200, 'first')), answer(200, 'hedge')]);
    const { credentials } = login();
    let asked = 0;
    const headers = () => {
      asked += 1;
      return { ...credentials.headers(), 'x-asked': String(asked) };
    };
    const { time, ask } = hedging({ client }, { credentials: { headers, renew: credentials.renew } });
    const answered = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    expect((await answered).value?.text).toBe('hedge');
    expect(lab.requests.map((request) => request.headers['x-asked'])).toEqual(['1', '1']);
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-0']);
    lab.cue('first');
  });

  test.runIf(subject.hedges)('two attempts that are both refused: one renewal, and one more', async () => {
    const refused = answer(401, 'no');
    const lab = await open(({ number, headers }) => {
      if (number > 2) return guarded()({ headers } as Received);
      return onCue(number === 1 ? 'first' : 'hedge', refused);
    });
    let finish: () => void = () => undefined;
    const renewing = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { asked, credentials } = login(() => renewing);
    const { time, ask } = hedging({ client }, { credentials });
    const answered = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    lab.cue('first');
    await comesTrue(() => asked.length === 1);
    lab.cue('hedge');
    finish();
    await time.fire(0);
    expect((await answered).value?.text).toBe('ok');
    expect(asked).toHaveLength(1);
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-0', 'token-1']);
  });

  test.runIf(subject.hedges)('… and the login gets a place among the attempts in flight', async () => {
    const lab = await open((request) => {
      if (request.path === '/login') return answer(200);
      const { number } = request;
      return number > 2 ? guarded()(request) : onCue(number === 1 ? 'first' : 'hedge', answer(401, 'no'));
    });
    const { asked, credentials } = login(async () => {
      expect((await ask(`${lab.origin}/login`)).value?.status).toBe(200);
    });
    const { time, ask, retrier } = hedging(
      { client },
      { credentials, concurrency: 2, rules: [{ match: '/login', credentials: false, hedge: false }] },
    );
    const answered = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    lab.cue('first');
    await comesTrue(() => asked.length === 1);
    // The hedge is still out.
    await lab.until(({ requests }) => requests.length === 3);
    lab.cue('hedge');
    await time.fire(0);
    expect((await answered).value?.text).toBe('ok');
    const inFlight = () => retrier.snapshot().scopes[0]?.concurrencies?.map((one) => one.inFlight);
    await comesTrue(() => inFlight()?.every((count) => count === 0) === true);
  });

  // -------------------------------------------------------------- other origins

  test('beforeRetry that goes to another origin goes without', async () => {
    const away = await openLab(answer(401, 'away'));
    const home = await open(answer(503));
    const { asked, credentials } = login();
    const { send } = sending(credentials, {
      beforeRetry: (context) => {
        context.url = `${away.origin}/there`;
      },
    });
    const reply = await send(home.origin);
    expect([reply.status, reply.text]).toEqual([401, 'away']);
    expect([tokensIn(home.requests), tokensIn(away.requests)]).toEqual([['token-0'], [undefined]]);
    expect(asked).toHaveLength(0);
  });

  test('… also if all origins share a scope, and back home it has them again', async () => {
    const away = await openLab(answer(503));
    const home = await open([answer(503), answer(200, 'ok')]);
    const { credentials } = login();
    const { send } = sending(credentials, {
      scope: 'all',
      beforeRetry: (context) => {
        context.url = context.history.length === 1 ? `${away.origin}/there` : `${home.origin}/back`;
      },
    });
    expect((await send(home.origin)).text).toBe('ok');
    expect([tokensIn(home.requests), tokensIn(away.requests)]).toEqual([['token-0', 'token-0'], [undefined]]);
  });

  // -------------------------------------------------------------- bodies

  test('a stream that was kept is sent again', async ({ skip }) => {
    const way = subject.uploading.find((one) => one.client === client);
    if (way === undefined) skip();
    const { Readable } = await import('node:stream');
    const lab = await open(guarded());
    const { credentials } = login();
    const { send } = sending(credentials, { maxRetries: 0 });
    const reply = await send(lab.origin, { method: 'PUT', body: Readable.from([Buffer.from('ab')]) });
    expect(reply.status).toBe(200);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['ab', 'ab']);
  });

  test('one that is too long to be kept cannot: the 401 is the caller’s, and the token is renewed for the others', async ({
    skip,
  }) => {
    const way = subject.uploading.find((one) => one.client === client);
    if (way === undefined) skip();
    const { Readable } = await import('node:stream');
    const lab = await open(guarded());
    const { asked, credentials } = login();
    const { send } = sending(credentials, { bufferBodyBytes: 0 });
    const reply = await send(lab.origin, { method: 'PUT', body: Readable.from([Buffer.from('ab')]) });
    expect([reply.status, reply.text]).toEqual([401, 'no']);
    await comesTrue(() => asked.length === 1);
    expect((await send(lab.origin)).status).toBe(200);
    expect(tokensIn(lab.requests)).toEqual(['token-0', 'token-1']);
  });

  test('no secret is in what can be logged', async () => {
    const lab = await open(answer(401));
    const { credentials } = login();
    const { send } = sending(credentials);
    const { given } = await send(lab.origin);
    const history = historyOf(given);
    expect(inspect(history, { depth: 9 })).not.toContain('token-');
  });
});

/** Fires the timers that send at once, until it is over. */
async function fireAll(time: HandTime, over: Promise<void>): Promise<void> {
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!isOver) {
    if (time.pending.includes(0)) await time.fire(0);
    else await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
