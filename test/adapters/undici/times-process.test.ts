/** What a pending wait means to the process: it stays alive for it, unless told not to; and nothing outlives it. */

import { describe, expect, test } from 'vitest';
import { answer, refusedOrigin, silence } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { programsOf } from '../programs.js';

const runWithUndici = programsOf('undici');

/** In a process of its own, which has to come to its end by itself: what it printed. */
function run(origin: string, code: string): Promise<string> {
  return runWithUndici(`
    const { retry } = undaunted;
    const { Agent } = client;
    const origin = ${JSON.stringify(origin)};
    const agent = new Agent();
    const get = (policy, more) =>
      agent.compose(retry(policy)).request({ origin, path: '/', method: 'GET', ...more });
    const ended = (promise) => promise.then(({ statusCode }) => statusCode, (error) => error.code ?? error.name);
    ${code}`);
}

describe('a pending wait', () => {
  test('keeps the process alive', async () => {
    const printed = await run(
      await refusedOrigin(),
      `ended(get({ maxRetries: 1, schedule: { kind: 'fixed', waitMs: 300, jitter: 'none' } })).then(console.log);`,
    );
    expect(printed).toBe('ECONNREFUSED\n');
  });

  test('does not, with unref: true', async () => {
    const printed = await run(
      await refusedOrigin(),
      `process.on('exit', () => console.log('left'));
       ended(get({ unref: true, schedule: { kind: 'fixed', waitMs: never, jitter: 'none' } })).then(console.log);`,
    );
    expect(printed).toBe('left\n');
  });

  test('that is aborted leaves nothing behind', async () => {
    const printed = await run(
      await refusedOrigin(),
      `const caller = new AbortController();
       const observe = ({ type }) => type === 'decision' && setImmediate(() => caller.abort());
       const policy = { observe, schedule: { kind: 'fixed', waitMs: never, jitter: 'none' } };
       console.log(await ended(get(policy, { signal: caller.signal })));
       console.log(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length);`,
    );
    // The code of a DOMException.
    expect(printed).toBe('20\n0\n');
  });
});

describe('a function of the caller that hangs, with nothing else alive', () => {
  const hangs = `const hangs = () => new Promise(() => {});
    const soon = { kind: 'fixed', waitMs: 1, jitter: 'none' };
    process.on('exit', () => console.log('left'));`;

  test.each([
    ['retryIf', 'deadlineMs: 300, retryIf: hangs', '', 'ERR_UNDAUNTED_DEADLINE'],
    ['beforeRetry', 'deadlineMs: 300, beforeRetry: hangs', '', 'ERR_UNDAUNTED_DEADLINE'],
    ['the factory of a body', 'deadlineMs: 300', "method: 'PUT', body: hangs", 'ERR_UNDAUNTED_DEADLINE'],
    [
      'the factory of a body, in its attempt',
      'maxRetries: 1, attemptTimeoutMs: 300',
      "method: 'PUT', body: hangs",
      'ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
    ],
  ])('%s: the process stays until the time is up', async (_name, policy, request, code) => {
    const printed = await run(
      await refusedOrigin(),
      `${hangs} ended(get({ schedule: soon, ${policy} }, { ${request} })).then(console.log);`,
    );
    expect(printed).toBe(`${code}\nleft\n`);
  });

  test.each([
    ['beforeRetry', 'deadlineMs: never, beforeRetry: hangs', ''],
    ['the factory of a body', 'attemptTimeoutMs: never', "method: 'PUT', body: hangs"],
  ])('%s: with unref: true, nobody waits for it', async (_name, policy, request) => {
    const printed = await run(
      await refusedOrigin(),
      `${hangs} ended(get({ unref: true, schedule: soon, ${policy} }, { ${request} })).then(console.log);
       setTimeout(() => console.log('until here'), 100);`,
    );
    expect(printed).toBe('until here\nleft\n');
  });
});

test('deadlines and attempt timeouts leave nothing behind', async () => {
  const lab = await openLab((request) => {
    if (request.headers['x-silent'] !== undefined) return silence();
    return request.number === 1 ? answer(503, 'busy') : answer(200, 'yes');
  });
  const printed = await run(
    lab.origin,
    `const soon = { kind: 'fixed', waitMs: 1, jitter: 'none' };
     const policy = { schedule: soon, deadlineMs: never, deadlineCovers: 'body', attemptTimeoutMs: never / 2 };
     const { statusCode, body } = await get(policy);
     console.log(statusCode, await body.text());
     const silent = { headers: { 'x-silent': '1' } };
     console.log(await ended(get({ schedule: soon, maxRetries: 1, attemptTimeoutMs: 50 }, silent)));
     console.log(await ended(get({ schedule: soon, deadlineMs: 50 }, silent)));
     await agent.close();
     console.log(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length);`,
  );
  expect(printed).toBe('200 yes\nERR_UNDAUNTED_ATTEMPT_TIMEOUT\nERR_UNDAUNTED_DEADLINE\n0\n');
});
