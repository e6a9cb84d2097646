/** The process stays alive for an attempt, even if nothing else keeps it alive. */

import { expect, test } from 'vitest';
import { destroySession } from '../../faults/h2-lab.js';
import { answer } from '../../faults/lab.js';
import { programsOf } from '../programs.js';
import { openH2Lab, survivesHttp2 } from './ways.js';

const runWithAxios = programsOf('axios');

/** Runs the code in a process of its own, which must end by itself, and returns its output. */
function run(baseURL: string, code: string): Promise<string> {
  return runWithAxios(`
    const { attachRetry } = undaunted;
    const fixed = (waitMs) => ({ kind: 'fixed', waitMs, jitter: 'none' });
    const get = (policy, config) => {
      const instance = client.create({ baseURL: ${JSON.stringify(baseURL)}, adapter: 'http', ...config });
      attachRetry(instance, policy);
      return instance.get('/').then(({ status }) => status, ({ code }) => code);
    };
    ${code}`);
}

test.skipIf(!survivesHttp2)(
  'a dead session does not keep the process alive, but the attempt does (HTTP/2)',
  async () => {
    const lab = await openH2Lab([destroySession('fin'), answer(200)]);
    const code = `const config = { httpVersion: 2, http2Options: { rejectUnauthorized: false } };
    get({ schedule: fixed(1), attemptTimeoutMs: 500 }, config).then(console.log);`;
    expect(await run(lab.origin, code)).toBe('200\n');
  },
);

test('an adapter that holds nothing open and never settles is given its time', async () => {
  const code = `const adapter = () => new Promise(() => undefined);
    get({ maxRetries: 0, attemptTimeoutMs: 300 }, { adapter }).then(console.log);`;
  expect(await run('http://nowhere.invalid', code)).toBe('ERR_UNDAUNTED_ATTEMPT_TIMEOUT\n');
});
