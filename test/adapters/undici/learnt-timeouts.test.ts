/** A timeout that is learnt begins when the attempt is on the wire; the longest one, when it is dispatched. */

import { expect, test } from 'vitest';
import { answer, silence } from '../../faults/lab.js';
import { openLab, settled } from '../kit.js';
import { onCue, warmedUp } from '../suites/hedged.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

const attemptTimeoutMs = { factor: 1, minMs: 50, maxMs: 2_000 };
/** Pays for one retry after a timeout, and no more. */
const budget = { capacity: 2, perSuccess: 0, perSecond: 0 };

test('an attempt that waited for a connection has the longest timeout all the same, and no more', async () => {
  const lab = await openLab([onCue('first', answer(200, 'first')), silence()]);
  const { time, retrier, told } = warmedUp({ hedge: false, attemptTimeoutMs, budget });
  const dispatcher = retryingAgent(retrier, { connections: 1 });
  const ask = () => undici.request(lab.origin, { dispatcher });
  const first = ask();
  await lab.until(({ requests }) => requests.length === 1);
  const dispatchedAt = time.now;
  const second = settled(ask());
  time.now += 1_000;
  lab.cue('first');
  await (await first).body.dump();
  await lab.until(({ requests }) => requests.length === 2);
  expect(time.pendingAt).toEqual([dispatchedAt + 1_000 + attemptTimeoutMs.minMs]);
  const other = retrier.open({ method: 'GET', path: '/', origin: undefined, keyed: false });
  other.next({ kind: 'response', status: 503, headers: {} }, { replayable: true });
  await time.fire(attemptTimeoutMs.minMs);
  expect(time.pendingAt).toEqual([dispatchedAt + attemptTimeoutMs.maxMs]);
  await time.fireAt(dispatchedAt + attemptTimeoutMs.maxMs);
  expect((await second).error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' });
  expect(told.at(-1)).toBe('settled ERR_UNDAUNTED_ATTEMPT_TIMEOUT after 1');
});
