/** HTTP/2 sessions that die: axios does not notice, so one of our own timeouts ends the attempt. */

import { constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { destroySession, type H2Play, rstStream } from '../../faults/h2-lab.js';
import { answer, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { settled, soon } from '../kit.js';
import { openH2Lab, overH2, retryingOver, survivesHttp2 } from './ways.js';

const policy: PolicyOptions = { ...soon, attemptTimeoutMs: 5_000, maxRetries: 1 };
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = constants;

/** The session ends in the middle of a body with a content-length. */
const afterHead: H2Play = {
  steps: [
    { do: 'head', status: 200, headers: { 'content-length': '100' } },
    { do: 'body', text: 'half' },
    { do: 'destroy-session', how: 'fin' },
  ],
};

const sessionEnds = destroySession('fin');

const deaths: readonly [string, H2Play][] = [
  ['the session ends without a word', sessionEnds],
  ['the stream is cancelled', rstStream(NGHTTP2_CANCEL)],
  ['the stream is closed without an error', rstStream(NGHTTP2_NO_ERROR)],
];

describe.skipIf(!survivesHttp2)('axios over HTTP/2 (since 1.20)', () => {
  test.each(deaths)('where axios never settles, the attempt’s time ends it: %s', async (_, play) => {
    const lab = await openH2Lab([play, answer(200, 'yes')]);
    const time = new HandTime();
    const instance = retryingOver(overH2, lab.origin, createRetrier(policy, time.ports));
    const asked = instance.get('/');
    await lab.until(({ requests }) => requests.length === 1);
    // On a session that is about to end, the next attempt would die, too.
    if (play === sessionEnds) await lab.until(({ openSockets }) => openSockets === 0);
    await time.fire(5_000);
    await time.fire(1);
    expect((await asked).data).toBe('yes');
    expect(historyOf(await asked)?.map(({ decision }) => decision.reason)).toEqual([
      'attempt-timeout',
      'success',
    ]);
    expect(time.pending).toEqual([]);
  });

  test.each(deaths)('or the request’s: %s', async (_, play) => {
    const lab = await openH2Lab([play, answer(200, 'yes')]);
    const time = new HandTime();
    const instance = retryingOver(overH2, lab.origin, createRetrier({ deadlineMs: 10_000 }, time.ports));
    const asked = settled(instance.get('/'));
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(10_000);
    expect((await asked).error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE', isAxiosError: true });
    expect(lab.requests).toHaveLength(1);
  });

  test.each(deaths)('a POST is not sent again: %s', async (_, play) => {
    const lab = await openH2Lab([play, answer(200, 'yes')]);
    const time = new HandTime();
    const instance = retryingOver(overH2, lab.origin, createRetrier(policy, time.ports));
    const asked = settled(instance.post('/', 'money'));
    await lab.until(({ requests }) => requests[0]?.complete === true);
    await time.fire(5_000);
    expect((await asked).error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' });
    expect(lab.requests).toHaveLength(1);
  });

  // Node ends the body as if it were complete, and axios does not check its length; the stream knows better.
  test('an answer that the end of its session cuts off is seen to be cut off', async () => {
    const lab = await openH2Lab([afterHead, answer(200, 'yes')]);
    const instance = retryingOver(overH2, lab.origin, { ...policy, attemptTimeoutMs: 500 });
    expect((await instance.get('/')).data).toBe('yes');
    expect(lab.connections).toBe(2);
  });

  test('streams beside it on a session that is silent to one are not disturbed by its end', async () => {
    const lab = await openH2Lab(({ path, number }) => {
      if (path === '/other') return { steps: [{ do: 'cue', name: 'go' }, ...answer(200, 'other').steps] };
      return number < 3 ? silence() : answer(200, 'yes');
    });
    const time = new HandTime();
    const other = retryingOver(overH2, lab.origin, soon).get('/other');
    await lab.until(({ requests }) => requests.length === 1);
    const asked = retryingOver(overH2, lab.origin, createRetrier(policy, time.ports)).get('/');
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(5_000);
    await time.fire(1);
    expect((await asked).data).toBe('yes');
    lab.cue('go');
    expect((await other).data).toBe('other');
    expect(lab.connections).toBe(1);
  });
});
