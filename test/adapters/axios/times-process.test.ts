/** What a wait or an attempt means to the process: it stays alive for it, unless told not to; nothing outlives it. */

import { describe, expect, test } from 'vitest';
import { destroySession } from '../../faults/h2-lab.js';
import { answer, refusedOrigin, silence } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { programsOf } from '../programs.js';
import { openH2Lab, survivesHttp2 } from './ways.js';

const runWithAxios = programsOf('axios');

/** In a process of its own, which has to come to its end by itself: what it printed. */
function run(baseURL: string, code: string): Promise<string> {
  return runWithAxios(`
    const { attachRetry } = undaunted;
    const fixed = (waitMs) => ({ kind: 'fixed', waitMs, jitter: 'none' });
    const get = (policy, config) => {
      const instance = client.create({ baseURL: ${JSON.stringify(baseURL)}, adapter: 'http', ...config });
      attachRetry(instance, policy);
      return instance.get('/').then(({ status }) => status, ({ code }) => code);
    };
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    ${code}`);
}

describe('a pending wait', () => {
  test('keeps the process alive', async () => {
    const code = 'get({ maxRetries: 1, schedule: fixed(300) }).then(console.log);';
    expect(await run(await refusedOrigin(), code)).toBe('ECONNREFUSED\n');
  });

  test('does not, with unref: true', async () => {
    const code = `process.on('exit', () => console.log('left'));
      get({ unref: true, schedule: fixed(never) }).then(console.log);`;
    expect(await run(await refusedOrigin(), code)).toBe('left\n');
  });

  test('that is aborted leaves nothing behind', async () => {
    const code = `const caller = new AbortController();
      const observe = ({ type }) => type === 'decision' && setImmediate(() => caller.abort());
      console.log(await get({ observe, schedule: fixed(never) }, { signal: caller.signal }), timers());`;
    expect(await run(await refusedOrigin(), code)).toBe('ERR_CANCELED 0\n');
  });
});

test.each(['http', 'fetch'])('deadlines and attempt timeouts leave nothing behind: %s', async (adapter) => {
  const lab = await openLab((request) => {
    if (request.headers['x-silent'] !== undefined) return silence();
    return request.number === 1 ? answer(503, 'busy') : answer(200, 'yes');
  });
  const printed = await run(
    lab.origin,
    `const adapter = ${JSON.stringify(adapter)};
     const silent = { adapter, headers: { 'x-silent': '1' } };
     const long = { schedule: fixed(1), deadlineMs: never, attemptTimeoutMs: never / 2 };
     console.log(await get(long, { adapter }));
     console.log(await get({ schedule: fixed(1), maxRetries: 1, attemptTimeoutMs: 50 }, silent));
     console.log(await get({ deadlineMs: 50, schedule: fixed(1) }, silent));`,
  );
  // That it came to its end is the proof: a timer of ten minutes would have kept it.
  expect(printed).toBe('200\nERR_UNDAUNTED_ATTEMPT_TIMEOUT\nERR_UNDAUNTED_DEADLINE\n');
});

test('no timer is left when the last promise is settled', async () => {
  const lab = await openLab([answer(503, 'busy'), answer(200, 'yes')]);
  const code = `const policy = { schedule: fixed(1), deadlineMs: never, attemptTimeoutMs: never / 2 };
    console.log(await get(policy), timers());`;
  expect(await run(lab.origin, code)).toBe('200 0\n');
});

test.skipIf(!survivesHttp2)(
  'a session that died keeps nobody alive, but the attempt does (HTTP/2)',
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
