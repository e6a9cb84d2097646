/** A resume is a retry like any other: it is counted, it costs a token, and it is reported. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { RequestEvent } from '../../../src/index.js';
import { createRetrier, definePolicy, historyOf } from '../../../src/index.js';
import { answer, contentOf, type Lab } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { openAgent, retryingAgent } from './kit.js';
import { errorsBelow, readAll, record } from './recorder.js';
import { etag, file, partly } from './resume-file.js';

const bytes = 1000;
const content = contentOf('a', 0, bytes);

function told(events: readonly RequestEvent[]): unknown[] {
  return events.map((event) => {
    if (event.type === 'hedge') return [event.type, event.attempt];
    if (event.type === 'renewal') return [event.type, event.ok];
    return event.type === 'decision'
      ? [event.decision.action, event.decision.reason, event.decision.attempt]
      : ['settled', event.outcome, event.attempts];
  });
}

describe('maxRetries', () => {
  test('counts each resume: the error that could not be afforded surfaces', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200, 300, 400] }));
    const below: unknown[] = [];
    const agent = openAgent().compose(errorsBelow(below), retry({ ...soon, maxRetries: 2 }));
    const recorder = await record(agent, { origin: lab.origin }).end();
    expect(recorder.errors).toEqual([below[2]]);
    expect(recorder.bytes.equals(content.subarray(0, 300))).toBe(true);
    expect(lab.requests).toHaveLength(3);
  });

  test('… together with the retries before the head', async () => {
    const serve = file({ bytes, cuts: [0, 0, 100, 200] });
    const lab = await openLab((request) =>
      request.number <= 2 || typeof serve !== 'function' ? answer(503) : serve(request),
    );
    const agent = retryingAgent({ ...soon, maxRetries: 3 });
    const recorder = await record(agent, { origin: lab.origin }).end();
    expect(recorder.errors).toHaveLength(1);
    expect(lab.requests.map(({ headers }) => headers['range'])).toEqual([
      undefined,
      undefined,
      undefined,
      'bytes=0-999',
    ]);
  });

  test('0: nothing is resumed', async () => {
    const lab = await openLab(file({ bytes, cuts: [100] }));
    const recorder = await record(retryingAgent({ ...soon, maxRetries: 0 }), { origin: lab.origin }).end();
    expect(recorder.errors).toHaveLength(1);
    expect(lab.requests).toHaveLength(1);
  });
});

describe('budget', () => {
  const budget = { capacity: 2, perSuccess: 0, perSecond: 0 };

  test('each resume costs a token, and none is left to go on', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200, 300, 400] }));
    const retrier = createRetrier({ ...soon, maxRetries: 9, budget });
    const recorder = await record(retryingAgent(retrier), { origin: lab.origin }).end();
    expect(recorder.errors).toHaveLength(1);
    expect(recorder.bytes.equals(content.subarray(0, 300))).toBe(true);
    expect(lab.requests).toHaveLength(3);
    expect(historyOf(recorder.errors[0])?.at(-1)?.decision.reason).toBe('budget-spent');
    expect(retrier.snapshot().scopes).toMatchObject([{ name: lab.origin, budgets: [{ tokens: 0 }] }]);
  });

  test('it is the same one that other requests spend', async () => {
    const lab = await openLab((request) =>
      request.path === '/down'
        ? answer(503)
        : partly(
            200,
            { 'content-length': '1000', 'accept-ranges': 'bytes', etag },
            { sent: 100, ends: 'fin' },
          ),
    );
    const agent = retryingAgent({ ...soon, maxRetries: 9, budget });
    await record(agent, { origin: lab.origin, path: '/down' }).end();
    const recorder = await record(agent, { origin: lab.origin, path: '/file' }).end();
    expect(recorder.errors).toHaveLength(1);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/down', '/down', '/down', '/file']);
  });
});

describe('being seen', () => {
  test('settled with the head, once; each break and each continuation is a decision', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200] }));
    const events: RequestEvent[] = [];
    const agent = retryingAgent({ ...soon, observe: (event) => events.push(event) });
    await record(agent, { origin: lab.origin }).end();
    expect(told(events)).toEqual([
      ['settled', 200, 1],
      ['retry', 'transport-error', 1],
      ['stop', 'success', 2],
      ['retry', 'transport-error', 2],
      ['stop', 'success', 3],
    ]);
  });

  test.each([
    ['no ETag', { 'content-length': '1000', 'accept-ranges': 'bytes' }, 'not-resumable'],
    ['a weak ETag', { 'content-length': '1000', 'accept-ranges': 'bytes', etag: 'W/"1"' }, 'not-resumable'],
  ])('why it was not asked for: %s', async (_name, headers, reason) => {
    const lab = await openLab(partly(200, headers, { sent: 100, ends: 'fin' }));
    const events: RequestEvent[] = [];
    const agent = retryingAgent({ ...soon, observe: (event) => events.push(event) });
    const { errors } = await record(agent, { origin: lab.origin }).end();
    expect(told(events)).toEqual([
      ['settled', 200, 1],
      ['stop', reason, 1],
    ]);
    expect(historyOf(errors[0])).toMatchObject([{ decision: { attempt: 1, action: 'stop', reason } }]);
  });

  test('an answer that is not the rest is in the history, as a failure', async () => {
    const head = { 'content-length': '1000', 'accept-ranges': 'bytes', etag };
    const lab = await openLab([
      partly(200, head, { sent: 100, ends: 'fin' }),
      partly(200, { ...head, etag: '"v2"' }, { sent: 1000, ends: 'end', mark: 'other' }),
    ]);
    const { errors } = await record(retryingAgent(), { origin: lab.origin }).end();
    expect(historyOf(errors[0])).toMatchObject([
      { decision: { attempt: 1, finding: { kind: 'error', code: 'UND_ERR_SOCKET' }, action: 'retry' } },
      { decision: { attempt: 2, action: 'stop' } },
    ]);
    expect(historyOf(errors[0])).toHaveLength(2);
  });

  test('historyOf() a result of request() knows the resumes once its body is read', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200] }));
    const result = await retryingAgent().request({ origin: lab.origin, path: '/', method: 'GET' });
    expect((await readAll(result.body)).bytes.equals(content)).toBe(true);
    expect(historyOf(result)?.map(({ decision }) => [decision.attempt, decision.action])).toEqual([
      [1, 'retry'],
      [2, 'retry'],
      [3, 'stop'],
    ]);
  });
});

describe('the rest of the policy', () => {
  test('the attempt header counts resumes', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200] }));
    await record(retryingAgent({ ...soon, attemptHeader: true }), { origin: lab.origin }).end();
    expect(attemptsSaid(lab)).toEqual([undefined, '1', '2']);
  });

  test('beforeRetry may bring a fresh token, and cannot change the range', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200] }));
    const policy = definePolicy({
      ...soon,
      beforeRetry: async (context) => {
        context.headers['authorization'] = `token ${context.decision.attempt}`;
        context.headers['range'] = 'bytes=0-1';
      },
    });
    const recorder = await record(retryingAgent(policy), { origin: lab.origin }).end();
    expect(recorder.bytes.equals(content)).toBe(true);
    expect(lab.requests.map(({ headers }) => [headers['authorization'], headers['range']])).toEqual([
      [undefined, undefined],
      ['token 1', 'bytes=100-999'],
      ['token 2', 'bytes=200-999'],
    ]);
  });

  test('retryIf is asked about the break, and can stop the resume', async () => {
    const lab = await openLab(file({ bytes, cuts: [100] }));
    const recorder = await record(
      retryingAgent({ ...soon, retryIf: ({ kind }) => (kind === 'error' ? false : undefined) }),
      { origin: lab.origin },
    ).end();
    expect(historyOf(recorder.errors[0])?.at(-1)?.decision.reason).toBe('caller-forbids');
    expect(lab.requests).toHaveLength(1);
  });

  test('an async retryIf holds everything back until it has answered', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200] }));
    const retryIf = async (): Promise<undefined> =>
      new Promise((resolve) => setImmediate(resolve, undefined));
    const recorder = await record(retryingAgent({ ...soon, retryIf }), { origin: lab.origin }).end();
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes.equals(content)).toBe(true);
    expect(lab.requests).toHaveLength(3);
  });

  test('broken bodies count for the gate, and if it refuses, the caller gets the error', async () => {
    const lab = await openLab(file({ bytes, cuts: [100, 200] }));
    const below: unknown[] = [];
    const policy = { ...soon, gate: { failures: 1, deadForMs: 0, probeMs: 60_000 } };
    const agent = openAgent().compose(errorsBelow(below), retry(policy));
    const recorder = await record(agent, { origin: lab.origin }).end();
    expect(recorder.errors).toEqual([below[0]]);
    expect(recorder.bytes.equals(content.subarray(0, 100))).toBe(true);
    expect(lab.requests).toHaveLength(1);
  });
});

function attemptsSaid({ requests }: Lab): unknown[] {
  return requests.map(({ headers }) => headers['retry-attempt']);
}
