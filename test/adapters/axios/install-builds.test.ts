/** Both builds of axios in one process, whose classes do not know each other; and `axios` itself. */

import { Agent } from 'node:http';
import type { AxiosInstance, AxiosStatic } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { definePolicy, GateShutError, historyOf, PolicyError } from '../../../src/index.js';
import { answer, refusedOrigin, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { axios, axiosEsm, minor } from './client.js';

const builds: [string, AxiosStatic, AxiosStatic][] = [
  ['CommonJS', axios, axiosEsm],
  ['ESM', axiosEsm, axios],
];

function instanceOf(build: AxiosStatic, defaults: object = {}): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true });
  onTestFinished(() => httpAgent.destroy());
  return build.create({ httpAgent, ...defaults });
}

test('the two builds are strangers', () => {
  expect(axios).not.toBe(axiosEsm);
  expect(axios.AxiosError).not.toBe(axiosEsm.AxiosError);
  expect(axios.AxiosHeaders).not.toBe(axiosEsm.AxiosHeaders);
});

describe.each(builds)('with the %s build:', (_name, build, other) => {
  test.each(['http', 'fetch'])('retries by %s, and gives what this build makes', async (adapter) => {
    const lab = await openLab([answer(503), rst(), answer(200, 'ok', { 'x-a': '1' }), answer(404)]);
    const instance = instanceOf(build, { adapter });
    attachRetry(instance, soon);
    const response = await instance.get(lab.origin);
    expect(response.data).toBe('ok');
    expect(response.headers).toBeInstanceOf(build.AxiosHeaders);
    expect(response.config.headers).toBeInstanceOf(build.AxiosHeaders);
    expect(historyOf(response)).toHaveLength(3);
    const { error } = await settled(instance.get(lab.origin));
    expect(error).toBeInstanceOf(build.AxiosError);
    expect(error).not.toBeInstanceOf(other.AxiosError);
    expect(error).toMatchObject({ response: { status: 404 } });
  });

  test('the error of a connection is of this build, whole, and once', async () => {
    const origin = await refusedOrigin();
    const instance = instanceOf(build);
    attachRetry(instance, { ...soon, maxRetries: 1 });
    const { error } = await settled(instance.get(origin));
    expect(error).toBeInstanceOf(build.AxiosError);
    expect(error).toMatchObject({
      code: 'ECONNREFUSED',
      config: { url: origin, adapter: build.defaults.adapter },
    });
  });

  test('its stack leads to the caller, as without retries', async () => {
    const origin = await refusedOrigin();
    const plain = instanceOf(build);
    const retrying = instanceOf(build);
    attachRetry(retrying, { ...soon, maxRetries: 1 });
    const linesOf = async (instance: AxiosInstance): Promise<number> => {
      const { error } = await settled(instance.get(origin));
      const { stack = '' } = error as Error;
      expect(stack).toContain('install-builds.test');
      return stack.split('\n').length;
    };
    expect(await linesOf(retrying)).toBeLessThanOrEqual((await linesOf(plain)) + 3);
  });

  test("our own errors are axios's to both builds", async () => {
    const lab = await openLab(answer(503));
    const instance = instanceOf(build);
    attachRetry(instance, { ...soon, maxRetries: 0, gate: { failures: 1, deadForMs: 0 } });
    await settled(instance.get(lab.origin));
    const errors = [
      (await settled(instance.get(lab.origin))).error,
      (await settled(instance.get(lab.origin, { retry: { maxRetries: -1 } }))).error,
    ];
    expect(errors.map((error) => (error as Error).constructor)).toEqual([GateShutError, PolicyError]);
    for (const error of errors) {
      expect([build.isAxiosError(error), other.isAxiosError(error)]).toEqual([true, true]);
      expect(build.isCancel(error)).toBe(false);
    }
  });

  test('`axios` itself can be had, and given back', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok'), answer(503)]);
    const detach = attachRetry(build, soon);
    onTestFinished(detach);
    const httpAgent = new Agent({ keepAlive: true });
    onTestFinished(() => httpAgent.destroy());
    expect((await build(lab.origin, { httpAgent })).data).toBe('ok');
    const { error } = await settled(instanceOf(build).get(lab.origin));
    expect(error).toMatchObject({ response: { status: 503 } });
    expect(lab.requests).toHaveLength(3);
    detach();
    await settled(build.get(lab.origin, { httpAgent }));
    expect(lab.requests).toHaveLength(4);
  });

  test.each<[string, object]>([
    ['the default adapter', {}],
    ["'http'", { adapter: 'http' }],
    ["'fetch'", { adapter: 'fetch' }],
  ])('an instance of the bare class retries by %s', async (_what, defaults) => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const instance = new build.Axios({ headers: {} as never, ...defaults });
    attachRetry(instance, { ...soon, beforeRetry: () => undefined });
    expect((await instance.get(lab.origin)).data).toBe('ok');
    expect(lab.requests).toHaveLength(2);
  });

  test("may use the other build's adapter", async () => {
    const lab = await openLab([answer(503), answer(200, '{"a":1}')]);
    const instance = instanceOf(build, { adapter: other.getAdapter('http') });
    attachRetry(instance, { ...soon, idempotencyKey: true });
    const response = await instance.post(lab.origin, { b: 2 });
    expect(response.data).toEqual({ a: 1 });
    expect(response.headers).toBeInstanceOf(build.AxiosHeaders);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(2).fill('{"b":2}'));
  });

  // Older versions of axios drop the headers of another copy.
  test.skipIf(minor < 13)("may re-issue the other build's configuration", async () => {
    const lab = await openLab([answer(404), answer(503), answer(200, 'ok')]);
    const theirs = instanceOf(other);
    const ours = instanceOf(build);
    attachRetry(theirs, soon);
    attachRetry(ours, soon);
    const { error } = await settled(theirs.put(lab.origin, { a: 1 }, { headers: { 'x-a': '1' } }));
    const { config } = error as { config: object };
    expect((await ours.request(config)).data).toBe('ok');
    expect(lab.requests.map(({ headers, body }) => [headers['x-a'], String(body)])).toEqual(
      Array(3).fill(['1', '{"a":1}']),
    );
  });
});

test('one policy for both builds is one budget', async () => {
  const lab = await openLab(answer(503));
  const policy = definePolicy({ ...soon, maxRetries: 9, budget: { capacity: 3, perSecond: 0 } });
  const instances = [instanceOf(axios), instanceOf(axiosEsm)];
  for (const instance of instances) {
    attachRetry(instance, policy);
    await settled(instance.get(lab.origin));
  }
  expect(lab.requests).toHaveLength(4 + 1);
});
