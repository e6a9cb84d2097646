/** axios-retry and retry-axios on the same instance, and options that were left there for them: one warning each. */

import axiosRetry from 'axios-retry';
import * as rax from 'retry-axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { openInstance } from './kit.js';

const patient = { ...soon, maxRetries: 3, budget: false } as const;

function warnings(): string[] {
  const told: string[] = [];
  const onWarning = ({ message }: Error): void => void told.push(message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return told;
}

/** The warnings after three requests to a server that fails, and how many attempts it got. */
async function told(
  instance: ReturnType<typeof openInstance>,
  config: object = {},
): Promise<{ readonly said: string[]; readonly attempts: number }> {
  const said = warnings();
  const lab = await openLab(answer(503));
  for (let request = 0; request < 3; request += 1) await settled(instance.get(lab.origin, config));
  await new Promise(setImmediate);
  return { said, attempts: lab.requests.length };
}

describe('axios-retry', () => {
  test.each(['before', 'after'])('attached %s ours: one warning, for all requests', async (when) => {
    const instance = openInstance();
    if (when === 'before') axiosRetry(instance as never, { retries: 1, retryDelay: () => 1 });
    attachRetry(instance, patient);
    if (when === 'after') axiosRetry(instance as never, { retries: 1, retryDelay: () => 1 });
    const { said, attempts } = await told(instance);
    expect(attempts).toBeGreaterThan(3 * 4);
    expect(said).toEqual([
      'undaunted: axios-retry is attached to this instance, too, and its retries multiply with ours; remove it, or set its retries to 0',
    ]);
  });

  test('attached without retries of its own: none', async () => {
    const instance = openInstance();
    axiosRetry(instance as never, { retries: 0 });
    attachRetry(instance, patient);
    expect(await told(instance)).toEqual({ said: [], attempts: 3 * 4 });
    expect(await told(instance, { 'axios-retry': { retries: 0 } })).toEqual({ said: [], attempts: 3 * 4 });
  });

  test('options of a request that were left behind: one warning', async () => {
    const instance = openInstance();
    attachRetry(instance, patient);
    const { said, attempts } = await told(instance, { 'axios-retry': { retries: 0 } });
    expect(attempts).toBe(3 * 4);
    expect(said).toEqual([
      "undaunted: config['axios-retry'] is ignored, since axios-retry is not attached; write config.retry instead, such as { maxRetries: 0 }",
    ]);
  });
});

describe('retry-axios', () => {
  test('attached beside ours: one warning', async () => {
    const instance = openInstance();
    attachRetry(instance, patient);
    rax.attach(instance as never);
    const { said, attempts } = await told(instance, {
      raxConfig: { retry: 1, retryDelay: 1, backoffType: 'static' },
    });
    expect(attempts).toBeGreaterThan(3 * 4);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^undaunted: .*retry-axios/);
  });

  test('that has counted a retry of its own in the request: it is attached', async () => {
    const instance = openInstance();
    attachRetry(instance, { ...patient, maxRetries: 1 });
    const { said } = await told(instance, { raxConfig: { currentRetryAttempt: 1 } });
    expect(said).toEqual([
      'undaunted: retry-axios is attached to this instance, too, and its retries multiply with ours; detach it',
    ]);
  });

  test('options that were left behind: one warning', async () => {
    const instance = openInstance();
    attachRetry(instance, patient);
    const { said, attempts } = await told(instance, { raxConfig: { retry: 0 } });
    expect(attempts).toBe(3 * 4);
    expect(said).toEqual([
      'undaunted: config.raxConfig is ignored here; write config.retry instead, and detach retry-axios, whose retries multiply with ours',
    ]);
  });
});

test('neither: no warning', async () => {
  const instance = openInstance();
  attachRetry(instance, patient);
  for (const config of [
    {},
    { 'axios-retry': undefined, raxConfig: undefined },
    { 'axios-retry': null, raxConfig: null },
  ]) {
    expect((await told(instance, config)).said).toEqual([]);
  }
});

describe('auth of axios’s own', () => {
  const credentials = {
    headers: () => ({ Authorization: 'Bearer new' }),
    renew: () => undefined,
  };

  test.each(['http', 'fetch'])(
    'beside credentials that set it, wins in the adapter %s: one warning',
    async (adapter) => {
      const instance = openInstance({ adapter, auth: { username: 'a', password: 'b' } });
      attachRetry(instance, { ...patient, credentials });
      const said = warnings();
      const lab = await openLab(answer(401));
      for (let request = 0; request < 2; request += 1) await settled(instance.get(lab.origin));
      await new Promise(setImmediate);
      expect(new Set(lab.requests.map(({ headers }) => headers['authorization']))).toEqual(
        new Set(['Basic YTpi']),
      );
      // Once in a process, and the first of these tests has it.
      const warning = expect.stringMatching(/^undaunted: config\.auth takes the place of the authorization/);
      expect(said).toEqual(adapter === 'http' ? [warning] : []);
    },
  );

  test('beside others: none', async () => {
    const instance = openInstance({ auth: { username: 'a', password: 'b' } });
    attachRetry(instance, { ...patient, credentials: { ...credentials, headers: () => ({ 'x-key': '1' }) } });
    expect((await told(instance)).said).toEqual([]);
  });
});
