/** The option `retry` of one request: its own settings. */

import { describe, expect, test } from 'vitest';
import type { OverrideOptions } from '../../../src/core/policy/options.js';
import { historyOf, PolicyError } from '../../../src/index.js';
import { answer, rst } from '../../faults/plays.js';
import { type Event, reasons } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();
const ways = subject.ways.filter(({ takesOverride }) => takesOverride);

describe.each(ways)('over $name, the key `retry`', ({ client }) => {
  test.each<[string, OverrideOptions | false, number]>([
    ['{}', {}, 4],
    ['false', false, 1],
    ['{ retry: false }', { retry: false }, 1],
    ['{ maxRetries: 0 }', { maxRetries: 0 }, 1],
    ['{ maxRetries: 1 }', { maxRetries: 1 }, 2],
    ['{ statuses: [500] }', { statuses: [500] }, 1],
    ['{ statuses: ["5xx", "!503"] }', { statuses: ['5xx', '!503'] }, 1],
    ['{ retryIf: () => false }', { retryIf: () => false }, 1],
  ])('%s', async (_written, retry, sent) => {
    const lab = await openLab(answer(503));
    await client()(lab.origin, { retry });
    expect(lab.requests).toHaveLength(sent);
  });

  test('that is undefined has no effect', async () => {
    const lab = await openLab(answer(503));
    await client()(lab.origin, { retry: undefined } as object);
    expect(lab.requests).toHaveLength(4);
  });

  test('lies over the rule that the request meets, and over nothing else of it', async () => {
    const lab = await openLab(answer(429));
    const events: Event[] = [];
    const send = client({
      ...soon,
      maxRetries: 5,
      rules: [
        { match: 'PUT /a', name: 'writes', maxRetries: 3 },
        { match: '/none', maxRetries: 0 },
      ],
      observe: (event) => {
        if (event.type === 'settled') events.push(event);
      },
    });
    await send(`${lab.origin}/a`, { method: 'PUT', retry: { maxRetries: 2 } });
    expect(events).toMatchObject([{ rule: 'writes', attempts: 3 }]);
    await send(`${lab.origin}/none`, { retry: { maxRetries: 1 } });
    await send(`${lab.origin}/none`, { retry: { statuses: [429] } });
    expect(events.slice(1)).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
  });

  test('of one request does not affect another', async () => {
    const lab = await openLab(answer(503));
    const send = client();
    await Promise.all([
      send(`${lab.origin}/none`, { retry: false }),
      send(`${lab.origin}/all`),
      send(`${lab.origin}/two`, { retry: { maxRetries: 1 } }),
    ]);
    const sent = (path: string): number => lab.requests.filter((request) => request.path === path).length;
    expect([sent('/none'), sent('/all'), sent('/two')]).toEqual([1, 4, 2]);
  });

  test('may be one object for many requests, and is not changed', async () => {
    const lab = await openLab(answer(503));
    const send = client({ ...soon, rules: [{ match: '/b', maxRetries: 5, statuses: [500] }] });
    const retry = Object.freeze({ maxRetries: 1 });
    for (const path of ['/a', '/b', '/a', '/b']) await send(lab.origin + path, { retry });
    expect(lab.requests.map(({ path }) => path)).toEqual(['/a', '/a', '/b', '/a', '/a', '/b']);
  });

  test('may be one object that the caller changes: its values at the time of the request count', async () => {
    const lab = await openLab(answer(503));
    const seen: string[] = [];
    const retry = { maxRetries: 1, statuses: [503], beforeRetry: () => void seen.push('first') };
    const send = client();
    const sent = async (): Promise<number> => {
      const before = lab.requests.length;
      await send(lab.origin, { retry });
      return lab.requests.length - before;
    };
    expect(await sent()).toBe(2);
    retry.maxRetries = 3;
    retry.beforeRetry = () => void seen.push('second');
    expect(await sent()).toBe(4);
    retry.statuses[0] = 500;
    expect(await sent()).toBe(1);
    retry.statuses.push(503);
    expect(await sent()).toBe(4);
    expect(seen).toEqual(['first', ...Array(6).fill('second')]);
    retry.maxRetries = -1;
    await expect(sent()).rejects.toBeInstanceOf(PolicyError);
  });

  test('can make a POST safe to repeat', async () => {
    const lab = await openLab([rst(), answer(200)]);
    const asked = { method: 'POST', body: 'x', retry: { idempotent: true } };
    const { status } = await client()(lab.origin, asked);
    expect([status, lab.requests.length]).toEqual([200, 2]);
  });

  test('false leaves the answer as it is, with a history that says why', async () => {
    const lab = await openLab(answer(503, 'why'));
    const { status, text, given } = await client()(lab.origin, { retry: false });
    expect([status, text]).toEqual([503, 'why']);
    expect(reasons(given)).toEqual(['1 retries-off']);
  });

  describe('that cannot be used', () => {
    test.each<[string, unknown, string]>([
      ['a misspelt key', { maxRetrys: 1 }, 'maxRetrys'],
      ['a value that is none', { maxRetries: -1 }, 'maxRetries'],
      ['a key that belongs to a policy', { rules: [] }, 'rules'],
      ['a key that belongs to rules', { budget: { capacity: 1 } }, 'budget'],
      ['a word', 'often', ''],
      ['a number', 3, ''],
      ['true', true, ''],
      ['null', null, ''],
    ])('(%s) is reported, and nothing is sent', async (_what, retry, path) => {
      const lab = await openLab(answer(200));
      const send = client();
      const { error } = await settled(send(lab.origin, { retry } as object));
      expect(error).toBeInstanceOf(PolicyError);
      expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_POLICY' });
      expect((error as PolicyError).problems.map((problem) => problem.path)).toEqual([path]);
      expect(historyOf(error)).toBeUndefined();
      expect([lab.requests.length, lab.connections]).toEqual([0, 0]);
      expect((await send(lab.origin)).status).toBe(200);
    });

    test.each<[string, unknown, string]>([
      ['a number', 1, 'found the number 1; allowed: an object or false. Write { maxRetries: 1 }; if'],
      ['a misspelt key', { maxRetrys: 1 }, 'unknown setting. Did you mean "maxRetries"?'],
    ])('(%s) is an error that says where it stands, and what to do', async (_what, retry, says) => {
      const { error } = await settled(client()('http://127.0.0.1:1/', { retry } as object));
      const place = subject.overrideStandsIn;
      const path = typeof retry === 'object' ? `${place}.maxRetrys` : place;
      expect(String(error)).toContain(`${place} has 1 problem:\n  - ${path}: ${says}`);
    });

    test('is an error that can be logged without the contents of the request', async () => {
      const headers = { authorization: 'secret' };
      const retry = { maxRetries: -1 };
      const { error } = await settled(client()('http://127.0.0.1:1/', { headers, retry }));
      expect(`${error} ${JSON.stringify(error)}`).toContain('maxRetries');
      expect(JSON.stringify(error)).not.toContain('secret');
    });

    test('is an error of its own for each request', async () => {
      const send = client();
      const ask = async (): Promise<unknown> =>
        (await settled(send('http://127.0.0.1:1/', { retry: { maxRetries: -1 } }))).error;
      const [one, other] = await Promise.all([ask(), ask()]);
      expect(one).not.toBe(other);
    });
  });
});
