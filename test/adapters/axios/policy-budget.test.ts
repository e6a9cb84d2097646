/** The budget of a scope: how many retries all its requests may still cost. */

import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, definePolicy } from '../../../src/index.js';
import { answer, refusedOrigin } from '../../faults/lab.js';
import { openLab, settled } from '../kit.js';
import { lean } from '../scope-policies.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';
import { statusOf } from './shared-state.js';

describe('the budget', () => {
  test.each([
    ['the same policy object', definePolicy(lean)],
    ['the same retrier', createRetrier(lean)],
  ])('is shared by two instances that were given %s', async (_what, given) => {
    const lab = await openLab(answer(503, 'the last answer'));
    const [one, other] = [retryingInstance(given), retryingInstance(given)];
    expect(await statusOf(one, lab.origin)).toBe(503);
    expect(lab.requests).toHaveLength(4);
    const { error } = await settled(other.get(lab.origin));
    expect(error).toMatchObject({ isAxiosError: true, response: { status: 503, data: 'the last answer' } });
    expect(lab.requests).toHaveLength(5);
  });

  test('is not shared by those that were given the same options', async () => {
    const lab = await openLab(answer(503));
    for (const instance of [retryingInstance(lean), retryingInstance(lean)])
      await statusOf(instance, lab.origin);
    expect(lab.requests).toHaveLength(8);
  });

  test('of one policy is one for axios and undici', async () => {
    const lab = await openLab(answer(503));
    const policy = definePolicy(lean);
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    await statusOf(retryingInstance(policy), lab.origin);
    expect(lab.requests).toHaveLength(4);
    const { body } = await agent
      .compose(retry(policy))
      .request({ origin: lab.origin, path: '/', method: 'GET' });
    await body.dump();
    expect(lab.requests).toHaveLength(5);
  });

  test('that is spent leaves the last error as it is', async () => {
    const origin = await refusedOrigin();
    const instance = retryingInstance({ ...lean, budget: { capacity: 1, perSecond: 0 } });
    await settled(instance.get(origin));
    const { error } = await settled(instance.get(origin));
    expect(error).toBeInstanceOf(axios.AxiosError);
    expect(error).toMatchObject({ code: 'ECONNREFUSED', cause: { syscall: 'connect' } });
  });

  test('of one origin is not that of another, unless a rule names their scope', async () => {
    const labs = [await openLab(answer(503)), await openLab(answer(503))];
    const apart = retryingInstance(lean);
    for (const { origin } of labs) await statusOf(apart, origin);
    expect(labs.map(({ requests }) => requests.length)).toEqual([4, 4]);
    const together = retryingInstance({ ...lean, rules: [{ match: '127.0.0.1', scope: 'both' }] });
    for (const { origin } of labs) await statusOf(together, origin);
    expect(labs.map(({ requests }) => requests.length)).toEqual([8, 5]);
  });

  test('is one for an origin, however it is reached', async () => {
    const lab = await openLab(answer(503));
    const retrier = createRetrier(lean);
    const instance = retryingInstance(retrier);
    const { port } = lab;
    await statusOf(instance, '/a', { baseURL: lab.origin });
    await statusOf(instance, `http://me:secret@127.0.0.1:${port}/b`);
    await statusOf(instance, `HTTP://127.0.0.1:${port}/c`, { adapter: 'fetch' });
    expect(lab.requests).toHaveLength(4 + 1 + 1);
    expect(retrier.snapshot().scopes).toHaveLength(1);
  });

  test('is refilled by successes, and snapshot() counts', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    const retrier = createRetrier(lean);
    const instance = retryingInstance(retrier);
    const seen: unknown[] = [];
    for (let request = 0; request < 3; request += 1) {
      await statusOf(instance, lab.origin);
      seen.push(retrier.snapshot().scopes[0]?.budgets);
    }
    retrier.reset();
    // 3 - 2 + 1, + 1, and full.
    expect(seen).toEqual([[{ tokens: 2 }], [{ tokens: 3 }], [{ tokens: 3 }]]);
    expect(retrier.snapshot()).toEqual({ scopes: [] });
  });
});
