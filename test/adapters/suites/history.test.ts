/** `historyOf` returns every attempt of a result, with its outcome and decision. */

import { describe, expect, test } from 'vitest';
import { createRetrier, DeadlineError, GateShutError, historyOf, PolicyError } from '../../../src/index.js';
import { refusedOrigin } from '../../faults/lab.js';
import { answer, rst, silence } from '../../faults/plays.js';
import { reasons } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return (await settled(promise)).error;
}

describe.each(subject.ways.filter(({ knowsHistory = true }) => knowsHistory))(
  'over $name, of',
  ({ client }) => {
    test.each<[string, number[], string[]]>([
      ['success at once', [200], ['1 success']],
      ['success after retries', [503, 429, 200], ['1 transient-status', '2 throttled', '3 success']],
      ['the last failure', [503, 503], ['1 transient-status', '2 retries-spent']],
      ['a final failure', [404], ['1 final-status']],
    ])('%s', async (_what, statuses, told) => {
      const lab = await openLab(statuses.map((status) => answer(status)));
      const send = client({ ...soon, maxRetries: Math.max(1, statuses.length - 1) });
      const { given } = await send(lab.origin);
      expect(reasons(given)).toEqual(told);
      expect(historyOf(given)?.map(({ decision }) => decision)).toMatchObject(
        statuses.map((status, index) => ({ attempt: index + 1, finding: { kind: 'response', status } })),
      );
    });

    test('two requests at once: each has its own', async () => {
      const lab = await openLab(({ path, headers }) =>
        path === '/bad' && headers['retry-attempt'] !== '2' ? rst() : answer(200),
      );
      const send = client({ ...soon, attemptHeader: true });
      const [bad, good] = await Promise.all([send(`${lab.origin}/bad`), send(`${lab.origin}/good`)]);
      expect(reasons(good.given)).toEqual(['1 success']);
      expect(reasons(bad.given)).toEqual(['1 transport-error', '2 transport-error', '3 success']);
    });
  },
);

describe.each(subject.ways)('over $name, of an error:', ({ client }) => {
  test("the client's own", async () => {
    const origin = await refusedOrigin();
    const error = await errorOf(client({ ...soon, maxRetries: 1 })(origin));
    expect(reasons(error)).toEqual(['1 transport-error', '2 retries-spent']);
    expect(historyOf(error)?.[0]?.decision.finding).toMatchObject({
      kind: 'error',
      code: 'ECONNREFUSED',
      evidence: 'unsent',
    });
  });

  test('DeadlineError', async () => {
    const lab = await openLab([answer(503), silence()]);
    const time = new HandTime();
    const pending = errorOf(client(createRetrier({ ...soon, deadlineMs: 5_000 }, time.ports))(lab.origin));
    await time.fire(1);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fireAt(5_000);
    const error = await pending;
    expect(error).toBeInstanceOf(DeadlineError);
    expect(historyOf(error)?.[0]).toMatchObject({ decision: { finding: { status: 503 } } });
    expect(reasons(error)).toEqual(['1 transient-status', '2 wait-past-deadline']);
  });

  test('GateShutError, when nothing was sent', async () => {
    const lab = await openLab(answer(503));
    const send = client({ maxRetries: 0, gate: { failures: 1, deadForMs: 0 } });
    await send(lab.origin);
    const error = await errorOf(send(lab.origin));
    expect(error).toBeInstanceOf(GateShutError);
    expect(historyOf(error)).toEqual([]);
  });

  test('that of a hook', async () => {
    const lab = await openLab(answer(503));
    const broken = new Error('no token');
    await errorOf(client({ ...soon, beforeRetry: () => Promise.reject(broken) })(lab.origin));
    expect(reasons(broken)).toEqual(['1 transient-status']);
  });

  test('an abort in an attempt', async () => {
    const lab = await openLab([answer(503), silence(), silence()]);
    const send = client();
    for (const told of [['1 transient-status', '2 aborted'], ['1 aborted']]) {
      const before = lab.requests.length;
      const aborter = new AbortController();
      const pending = errorOf(send(lab.origin, { signal: aborter.signal }));
      await lab.until(({ requests }) => requests.length === before + told.length);
      aborter.abort();
      expect(reasons(await pending)).toEqual(told);
    }
  });

  test('an abort in a wait', async () => {
    const lab = await openLab(answer(503));
    const waits = new Waits('when told');
    const aborter = new AbortController();
    const send = client(createRetrier({}, { sleep: waits.sleep }));
    const waiting = errorOf(send(lab.origin, { signal: aborter.signal }));
    await waits.until(1);
    aborter.abort();
    expect(reasons(await waiting)).toEqual(['1 transient-status']);
  });
});

test('anything else has no history', async () => {
  const invalid = await errorOf(subject.client()('http://127.0.0.1:1/', { retry: { maxRetries: -1 } }));
  expect(invalid).toBeInstanceOf(PolicyError);
  for (const target of [invalid, null, undefined, 'a string', 7, Symbol('x')]) {
    expect(historyOf(target)).toBeUndefined();
  }
});

test.each([null, undefined, 'a string', 7, Symbol('x')])(
  'an abort with no error for a reason (%s)',
  async (reason) => {
    const lab = await openLab(silence());
    const aborter = new AbortController();
    const pending = settled(subject.client()(lab.origin, { signal: aborter.signal }));
    await lab.until(({ requests }) => requests.length === 1);
    aborter.abort(reason);
    expect(await pending).toHaveProperty('error');
  },
);
