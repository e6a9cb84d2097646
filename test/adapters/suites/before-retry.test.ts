/** `beforeRetry`: what it sees, what it may change, and what happens to a request when it fails. */

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { BeforeRetry, RetryContext } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { RequestFacts } from '../../../src/core/types.js';
import { createRetrier, DeadlineError, historyOf } from '../../../src/index.js';
import { answer, rst } from '../../faults/plays.js';
import type { Event } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { headIn } from './causes.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

describe.each(subject.ways)('over $name', ({ client }) => {
  const retrying = (beforeRetry: BeforeRetry, policy: PolicyOptions = {}) =>
    client({ ...soon, ...policy, beforeRetry });

  describe('is shown', () => {
    test('the request, the decision, the history and where the next attempt goes', async () => {
      const lab = await openLab([answer(503), rst(), answer(200, 'ok')]);
      const shown: RetryContext[] = [];
      const send = retrying((context) => {
        shown.push({ ...context, history: [...context.history], headers: { ...context.headers } });
      });
      await send(`${lab.origin}/a/b?c=d`, { method: 'PUT', headers: { 'X-One': '1' }, body: 'x' });
      const facts = {
        request: {
          method: 'PUT',
          origin: lab.origin,
          path: expect.stringMatching(/\/a\/b(\?c=d)?$/),
          keyed: false,
        },
        url: `${lab.origin}/a/b?c=d`,
        headers: { 'x-one': '1' },
      };
      expect(shown).toMatchObject([
        {
          ...facts,
          decision: { action: 'retry', attempt: 1, reason: 'transient-status' },
          history: [{ decision: { attempt: 1, finding: { status: 503 } } }],
        },
        {
          ...facts,
          decision: { action: 'retry', attempt: 2, reason: 'transport-error' },
          history: [{ decision: { attempt: 1 } }, { decision: { attempt: 2 } }],
        },
      ]);
      // Without headers that belong to one attempt only.
      expect(shown[1]?.headers).toEqual(shown[0]?.headers);
    });

    test('what can be logged without showing a header', async () => {
      const lab = await openLab([answer(503), answer(200, 'ok')]);
      const logged: string[] = [];
      const log = (request: RequestFacts): undefined => {
        logged.push(inspect(request, { depth: 10 }), JSON.stringify(request));
      };
      const send = retrying(({ request }) => log(request), { retryIf: (_outcome, request) => log(request) });
      await send(lab.origin, { headers: { authorization: 'secret' } });
      expect(logged).toHaveLength(6);
      expect(logged.join('\n')).not.toContain('secret');
    });
  });

  test('it is called after the wait, once for each retry, and not for the last failure', async () => {
    const time = new HandTime();
    const calls: number[] = [];
    const lab = await openLab(answer(503));
    const schedule = { kind: 'fixed', waitMs: 50, jitter: 'none' } as const;
    const beforeRetry: BeforeRetry = () => void calls.push(time.now);
    const answered = client(createRetrier({ schedule, maxRetries: 2, beforeRetry }, time.ports))(lab.origin);
    await time.fire(50);
    await time.fire(50);
    expect((await answered).status).toBe(503);
    expect(calls).toEqual([50, 100]);
  });

  describe('headers', () => {
    const twice503 = [answer(503), answer(503), answer(200, 'ok')];

    test('a new token is sent, and stays for the attempts after it', async () => {
      const lab = await openLab(twice503);
      let calls = 0;
      const send = retrying(async ({ headers }) => {
        await new Promise(setImmediate);
        calls += 1;
        if (calls === 1) headers['authorization'] = 'Bearer new';
        else headers['x-calls'] = `${headers['authorization']}, ${calls}`;
      });
      const headers = { Authorization: 'Bearer old', 'X-Kept': 'yes' };
      await send(lab.origin, { method: 'PUT', body: 'sent again', headers });
      const sent = lab.requests.map((request) => [
        request.headers['authorization'],
        request.headers['x-calls'],
      ]);
      expect(sent).toEqual([
        ['Bearer old', undefined],
        ['Bearer new', undefined],
        ['Bearer new', 'Bearer new, 2'],
      ]);
      // Each header occurs once, whatever its case.
      for (const { rawHeaders } of lab.requests) {
        const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
        expect(new Set(names).size).toBe(names.length);
      }
      for (const { headers: each, body } of lab.requests) {
        expect(each).toMatchObject({ 'x-kept': 'yes', 'content-length': '10' });
        expect(String(body)).toBe('sent again');
      }
      expect(headers).toEqual({ Authorization: 'Bearer old', 'X-Kept': 'yes' });
    });

    test('a new token is sent where there was none', async () => {
      const lab = await openLab([answer(503), answer(200, 'ok')]);
      await retrying(({ headers }) => {
        headers['authorization'] = 'fresh';
      })(lab.origin);
      expect(lab.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined, 'fresh']);
    });

    test('one that is deleted is not sent any more', async () => {
      const lab = await openLab(twice503);
      const send = retrying(({ headers }) => {
        delete headers['x-stale'];
      });
      await send(lab.origin, { headers: { 'X-Stale': 'yes', 'X-Fresh': 'yes' } });
      expect(lab.requests.map(({ headers }) => headers['x-stale'])).toEqual(['yes', undefined, undefined]);
      expect(lab.requests.map(({ headers }) => headers['x-fresh'])).toEqual(['yes', 'yes', 'yes']);
    });

    test('a new object in their place: the caller’s own stays unchanged', async () => {
      const lab = await openLab([answer(503), answer(200)]);
      const send = retrying((context) => {
        context.headers = { 'x-new': ['1', '2'] };
      });
      const headers = { 'X-Old': 'old' };
      await send(lab.origin, { headers });
      expect(headers).toEqual({ 'X-Old': 'old' });
      expect(lab.requests[1]?.headers).toMatchObject({ 'x-new': expect.stringMatching(/^1, ?2$/) });
      expect(lab.requests[1]?.headers).not.toHaveProperty('x-old');
    });
  });

  describe('the URL', () => {
    test('another server, path and query: exactly as written', async () => {
      const lab = await openLab(answer(503));
      const spare = await openLab([answer(503), answer(200, 'from the spare')]);
      const seen: string[] = [];
      const send = retrying((context) => {
        seen.push(context.url);
        if (seen.length === 1) context.url = `${spare.origin}/spare?for=${encodeURIComponent('a b')}`;
      });
      expect((await send(`${lab.origin}/here?before=1`)).text).toBe('from the spare');
      expect(lab.requests.map(({ path }) => path)).toEqual(['/here?before=1']);
      // Later attempts stay there, too.
      expect(spare.requests.map(({ path }) => path)).toEqual(Array(2).fill('/spare?for=a%20b'));
      expect(spare.requests.map(({ headers }) => headers['host'])).toEqual(
        Array(2).fill(`127.0.0.1:${spare.port}`),
      );
      expect(seen).toEqual([`${lab.origin}/here?before=1`, `${spare.origin}/spare?for=a%20b`]);
    });

    test('one query parameter, with the body sent again', async () => {
      const lab = await openLab([answer(503), answer(200, 'ok')]);
      const send = retrying(async (context) => {
        const url = new URL(context.url);
        url.searchParams.set('try', '2');
        context.url = url.href;
      });
      await send(`${lab.origin}/a?b=c`, { method: 'PUT', body: 'body' });
      expect(lab.requests.map(({ path, body }) => [path, String(body)])).toEqual([
        ['/a?b=c', 'body'],
        ['/a?b=c&try=2', 'body'],
      ]);
    });

    test('an invalid one fails the request, and nothing is sent', async () => {
      const lab = await openLab(answer(503));
      const send = retrying((context) => {
        context.url = 'http://not a url';
      });
      expect((await settled(send(lab.origin))).error).toBeInstanceOf(Error);
      expect(lab.requests).toHaveLength(1);
    });
  });

  test.each<[string, (error: unknown) => BeforeRetry]>([
    [
      'throws',
      (error) => () => {
        throw error;
      },
    ],
    ['rejects', (error) => () => Promise.reject(error)],
    [
      'rejects later',
      (error) => async () => {
        await new Promise(setImmediate);
        throw error;
      },
    ],
  ])('that %s fails the request with its own error, as it is', async (_how, failing) => {
    const broken = Object.freeze(new Error('no token'));
    const lab = await openLab(answer(503));
    const events: Event[] = [];
    const send = retrying(failing(broken), { observe: (event) => void events.push(event) });
    expect((await settled(send(lab.origin))).error).toBe(broken);
    expect(lab.requests).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['decision', 'settled']);
    expect(historyOf(broken)).toHaveLength(1);
  });

  describe('while it is at work', () => {
    function working() {
      let begin = (): void => undefined;
      let end = (): void => undefined;
      let fail = (_error: Error): void => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const work = new Promise<void>((resolve, reject) => {
        end = resolve;
        fail = reject;
      });
      const beforeRetry: BeforeRetry = async (context) => {
        begin();
        await work;
        context.url = 'http://late.invalid/';
        context.headers['x-late'] = 'yes';
      };
      return { begun, beforeRetry, end: () => end(), fail: (error: Error) => fail(error) };
    }

    test.each(['forever', 'until after the deadline, before its timer fires'])(
      'the deadline ends the request (%s)',
      async (until) => {
        const time = new HandTime();
        const lab = await openLab(answer(503, '', { 'x-served-by': 'a' }));
        const { begun, beforeRetry, end } = working();
        const answered = settled(
          client(createRetrier({ ...soon, deadlineMs: 5_000, beforeRetry }, time.ports))(lab.origin),
        );
        await time.fire(1);
        await begun;
        if (until === 'forever') await time.fireAt(5_000);
        else {
          time.now = 5_001;
          end();
        }
        const { error } = await answered;
        expect(error).toBeInstanceOf(DeadlineError);
        subject.expectOwn(error, {});
        expect(headIn(error)).toMatchObject({ status: 503, headers: { 'x-served-by': 'a' } });
        expect(historyOf(error)).toMatchObject([{ decision: { finding: { status: 503 } } }]);
        end();
        await new Promise(setImmediate);
        expect(time.pending).toEqual([]);
        expect(lab.requests).toHaveLength(1);
      },
    );

    test('an abort ends the request at once, and later changes have no effect', async () => {
      const lab = await openLab(answer(503));
      const { begun, beforeRetry, end } = working();
      const aborter = new AbortController();
      const aborted = settled(retrying(beforeRetry)(lab.origin, { signal: aborter.signal }));
      await begun;
      aborter.abort();
      expect((await aborted).error).toBeInstanceOf(Error);
      end();
      await new Promise(setImmediate);
      expect(lab.requests).toHaveLength(1);
    });

    test('a rejection that comes after the end is not an unhandled one', async () => {
      const lab = await openLab(answer(503));
      const { begun, beforeRetry, fail } = working();
      const aborter = new AbortController();
      const aborted = settled(retrying(beforeRetry)(lab.origin, { signal: aborter.signal }));
      await begun;
      aborter.abort();
      await aborted;
      fail(new Error('too late'));
      // An unhandled rejection would fail the run.
      await new Promise(setImmediate);
    });
  });
});

test('that throws something other than an Error fails the request with it', async () => {
  const lab = await openLab(answer(503));
  const send = subject.client({ ...soon, beforeRetry: () => Promise.reject('a string') });
  expect(await settled(send(lab.origin))).toEqual({ error: 'a string' });
  expect(historyOf('a string')).toBeUndefined();
});
