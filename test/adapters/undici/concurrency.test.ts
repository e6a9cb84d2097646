/** How long an attempt over undici is in flight, and what becomes of requests that wait when its dispatcher goes. */

import { setTimeout } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, cutBody, type LabScript, silence } from '../../faults/lab.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { onCue } from '../suites/hedged.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';
import { file } from './resume-file.js';

const long = 'x'.repeat(1_000_000);

async function open(script: LabScript, policy: PolicyOptions = {}) {
  const lab = await openLab(script);
  const retrier = createRetrier({ ...soon, concurrency: 1, ...policy });
  const agent = openAgent();
  const retrying = agent.compose(retry(retrier));
  const counts = (): readonly unknown[] =>
    retrier.snapshot().scopes.flatMap((scope) => scope.concurrencies ?? []);
  const isEmpty = (): Promise<boolean> =>
    comesTrue(() => counts().every((one) => JSON.stringify(one) === '{"limit":1,"inFlight":0,"waiting":0}'));
  const ask = (path = '/') => retrying.request({ origin: lab.origin, path, method: 'GET' });
  return { lab, agent, retrying, counts, isEmpty, ask };
}

describe('a body of request()', () => {
  test.each<[string, (body: Dispatcher.ResponseData['body']) => unknown]>([
    ['read', (body) => body.text()],
    ['dumped', (body) => body.dump()],
    ['destroyed unread', (body) => body.on('error', () => undefined).destroy()],
    [
      'left in the middle',
      async (body) => {
        for await (const _piece of body) break;
      },
    ],
  ])('keeps the next request waiting until it is %s', async (_name, end) => {
    const { ask, lab, isEmpty } = await open([answer(200, long), answer(200, 'next')]);
    const { body } = await ask();
    const next = ask();
    await setTimeout(20);
    expect(lab.requests).toHaveLength(1);
    await end(body);
    expect(await (await next).body.text()).toBe('next');
    expect(await isEmpty()).toBe(true);
  });

  test('does so for as long as it occupies its connection, if nobody reads it', async () => {
    const { ask, agent, counts, isEmpty } = await open(answer(200, long));
    const { body } = await ask();
    await setTimeout(1_200);
    expect(counts()).toEqual([{ limit: 1, inFlight: 1, waiting: 0 }]);
    body.on('error', () => undefined);
    await agent.destroy();
    expect(await isEmpty()).toBe(true);
  });

  test('that breaks off', async () => {
    const { ask, isEmpty } = await open([cutBody(1_000, 10, 'rst'), answer(200, 'next')]);
    const { body } = await ask();
    const next = ask();
    expect((await settled(body.text())).error).toBeDefined();
    expect(await (await next).body.text()).toBe('next');
    expect(await isEmpty()).toBe(true);
  });

  test('whose rest is requested stands in line for that', async () => {
    const { ask, lab, isEmpty } = await open(file({ bytes: 1_000, cuts: [400, 700] }));
    const { body } = await ask();
    expect((await body.arrayBuffer()).byteLength).toBe(1_000);
    expect(lab.requests).toHaveLength(3);
    expect(await isEmpty()).toBe(true);
  });
});

test('a dispatcher that is destroyed leaves nothing in flight', async () => {
  const { ask, agent, lab, isEmpty } = await open([silence()]);
  const all = [settled(ask()), settled(ask()), settled(ask())];
  await lab.until(({ requests }) => requests.length === 1);
  await agent.destroy();
  for (const { error } of await Promise.all(all)) expect(error).toBeDefined();
  expect(await isEmpty()).toBe(true);
});

test('a dispatcher that is closed finishes what is in flight, and refuses what waits', async () => {
  const { ask, agent, lab, isEmpty } = await open([onCue('first', answer(200))]);
  const all = [settled(ask()), settled(ask()), settled(ask())];
  await lab.until(({ requests }) => requests.length === 1);
  void agent.close();
  lab.cue('first');
  const [first, ...others] = await Promise.all(all);
  await first?.value?.body.dump();
  for (const { error } of others) expect(error).toBeDefined();
  expect(await isEmpty()).toBe(true);
});

test('a redirect is a part of its attempt', async () => {
  const lab = await openLab([
    answer(302, '', { location: '/there' }),
    onCue('there', answer(200, 'there')),
    answer(200, 'next'),
  ]);
  const retrier = createRetrier({ ...soon, concurrency: 1 });
  const { redirect } = undici.interceptors;
  const agent = openAgent().compose(redirect({ maxRedirections: 2 }), retry(retrier));
  const ask = () => agent.request({ origin: lab.origin, path: '/', method: 'GET' });
  const first = ask();
  const next = ask();
  await lab.until(({ requests }) => requests.length === 2);
  expect(lab.requests[1]?.path).toBe('/there');
  expect(retrier.snapshot().scopes[0]?.concurrencies).toEqual([{ limit: 1, inFlight: 1, waiting: 1 }]);
  lab.cue('there');
  expect(await (await first).body.text()).toBe('there');
  expect(await (await next).body.text()).toBe('next');
});

test('requests that wait are called in their own async context', async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const storage = new AsyncLocalStorage<string>();
  const lab = await openLab([onCue('first', answer(200)), answer(503), answer(200)]);
  const seen: (string | undefined)[] = [];
  const retrier = createRetrier({
    ...soon,
    concurrency: 1,
    retryIf: () => void seen.push(storage.getStore()),
  });
  const agent = openAgent().compose(retry(retrier));
  const ask = (name: string) =>
    storage.run(name, async () => {
      const { body } = await agent.request({ origin: lab.origin, path: '/', method: 'GET' });
      await body.dump();
    });
  const both = [ask('one'), ask('two')];
  await lab.until(({ requests }) => requests.length === 1);
  lab.cue('first');
  await Promise.all(both);
  expect(new Set(seen.slice(1))).toEqual(new Set(['two']));
});

test('what times out in a row lets the others go', async () => {
  const { ask, isEmpty, lab } = await open([silence(), silence(), answer(200, 'ok')], {
    attemptTimeoutMs: 20,
    maxRetries: 0,
  });
  const all = [settled(ask()), settled(ask()), ask()] as const;
  expect(await (await all[2]).body.text()).toBe('ok');
  await Promise.all(all);
  expect(lab.requests).toHaveLength(3);
  expect(await isEmpty()).toBe(true);
});
