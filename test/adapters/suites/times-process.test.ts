/** Waits and attempts keep the process alive, unless told not to, and nothing outlives them. */

import { describe, expect, test } from 'vitest';
import { answer, refusedOrigin, silence } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { programsOf } from '../programs.js';
import { theSubject } from './subject.js';

const subject = await theSubject();
const runWithClient = programsOf(subject.name);

/**
 * Runs the code in a process of its own, which must end by itself, and returns its output. `get(policy, asked, way)`
 * resolves with a status or an error code.
 */
function run(origin: string, code: string): Promise<string> {
  return runWithClient(`
    const origin = ${JSON.stringify(origin)};
    ${subject.program}
    const fixed = (waitMs) => ({ kind: 'fixed', waitMs, jitter: 'none' });
    let called = () => {};
    const hangs = () => new Promise(() => called());
    const sayLeft = () => process.on('exit', () => console.log('left'));
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    ${code}`);
}

describe('a pending wait', () => {
  test('keeps the process alive', async () => {
    const code = 'get({ maxRetries: 1, schedule: fixed(300) }).then(console.log);';
    expect(await run(await refusedOrigin(), code)).toBe('ECONNREFUSED\n');
  });

  test('does not, with unref: true', async () => {
    const code = 'sayLeft(); get({ unref: true, schedule: fixed(never) }).then(console.log);';
    expect(await run(await refusedOrigin(), code)).toBe('left\n');
  });

  test('that is aborted leaves nothing behind', async () => {
    const code = `const caller = new AbortController();
      const observe = ({ type }) => type === 'decision' && setImmediate(() => caller.abort());
      console.log(await get({ observe, schedule: fixed(never) }, { signal: caller.signal }), timers());`;
    expect(await run(await refusedOrigin(), code)).toBe(`${subject.abortCode} 0\n`);
  });
});

describe('a function of the caller that hangs, with nothing else alive', () => {
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
  ])('%s: the process stays until the time is up', async (_name, policy, asked, code) => {
    const printed = await run(
      await refusedOrigin(),
      `sayLeft(); get({ schedule: fixed(1), ${policy} }, { ${asked} }).then(console.log);`,
    );
    expect(printed).toBe(`${code}\nleft\n`);
  });

  test.each([
    ['beforeRetry', 'deadlineMs: 3_000, beforeRetry: hangs', ''],
    ['the factory of a body', 'attemptTimeoutMs: 3_000', "method: 'PUT', body: hangs"],
  ])('%s: with unref: true, the process does not wait for it', async (_name, policy, asked) => {
    const printed = await run(
      await refusedOrigin(),
      `sayLeft();
       // Keeps the process alive on a slow machine until then.
       const hold = setInterval(() => {}, never);
       called = () => setTimeout(() => console.log('until here'), 100, clearInterval(hold));
       get({ unref: true, schedule: fixed(1), ${policy} }, { ${asked} }).then(console.log);`,
    );
    expect(printed).toBe('until here\nleft\n');
  });
});

test.each(subject.programWays)('deadlines and attempt timeouts leave nothing behind: %s', async (way) => {
  const lab = await openLab((request) => {
    if (request.headers['x-silent'] !== undefined) return silence();
    return request.number === 1 ? answer(503, 'busy') : answer(200, 'yes');
  });
  const printed = await run(
    lab.origin,
    `const silent = { headers: { 'x-silent': '1' } };
     const long = { deadlineMs: never, deadlineCovers: 'body', attemptTimeoutMs: never / 2 };
     const ask = (policy, asked) => get({ schedule: fixed(1), ...policy }, asked, ${JSON.stringify(way)});
     console.log(await ask(long));
     console.log(await ask({ maxRetries: 1, attemptTimeoutMs: 50 }, silent));
     console.log(await ask({ deadlineMs: 50 }, silent));
     await close();`,
  );
  // The end of the process is the proof: a timer of ten minutes would have kept it alive.
  expect(printed).toBe('200\nERR_UNDAUNTED_ATTEMPT_TIMEOUT\nERR_UNDAUNTED_DEADLINE\n');
});

test('no timer is left when the last promise is settled', async () => {
  const lab = await openLab([answer(503, 'busy'), answer(200, 'yes')]);
  const code = `const policy = { schedule: fixed(1), deadlineMs: never, attemptTimeoutMs: never / 2 };
    console.log(await get(policy));
    await close();
    console.log(timers());`;
  expect(await run(lab.origin, code)).toBe('200\n0\n');
});
