/** The number of a retry, read from the request that instrumentations get. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Span } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resendCount } from '../../src/otel/index.js';
import { retryingInstance } from '../adapters/axios/kit.js';
import { openLab, soon } from '../adapters/kit.js';
import { answer, silence } from '../faults/plays.js';

function countOf(request: object, attemptHeader?: string): unknown {
  const attributes: Record<string, unknown> = {};
  const span = { setAttribute: (key: string, value: unknown) => Object.assign(attributes, { [key]: value }) };
  resendCount(attemptHeader)(span as unknown as Span, request);
  return attributes['http.request.resend_count'];
}

describe('of a request of undici', () => {
  test.each<[string, unknown[], unknown]>([
    ['a retry', ['a', 'b', 'retry-attempt', '2'], 2],
    ['a first attempt', ['a', 'b'], undefined],
    ['a value of that name', ['a', 'retry-attempt', '2', 'b'], undefined],
    ['no number', ['retry-attempt', 'twice'], undefined],
    ['zero', ['retry-attempt', '0'], undefined],
    ['another case', ['Retry-Attempt', '3'], 3],
  ])('%s', (_what, headers, count) => {
    expect(countOf({ headers })).toBe(count);
  });
});

/** Of the whole process: nothing else goes out through Node's client meanwhile. */
function countsOfRequests(): readonly unknown[] {
  const counts: unknown[] = [];
  const onStart = (message: unknown): void => {
    counts.push(countOf((message as { readonly request: ClientRequest }).request));
  };
  subscribe('http.client.request.start', onStart);
  onTestFinished(() => void unsubscribe('http.client.request.start', onStart));
  return counts;
}

describe('of a request of Node', () => {
  test('that goes out through axios', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    const counts = countsOfRequests();
    await retryingInstance({ ...soon, attemptHeader: true }).get(lab.origin);
    expect(counts).toEqual([undefined, 1, 2]);
  });

  test('that is hedged through axios', async () => {
    const lab = await openLab([answer(200), silence(), answer(200)]);
    const counts = countsOfRequests();
    // A success pays for a hedge.
    const instance = retryingInstance({ attemptHeader: true, hedge: { afterMs: 20, share: 1 } });
    for (let request = 0; request < 2; request += 1) await instance.get(lab.origin);
    expect(counts).toEqual([undefined, undefined, 1]);
  });

  test('that came in: it is not ours to count', () => {
    const incoming = new IncomingMessage(new Socket());
    onTestFinished(() => void incoming.destroy());
    incoming.headers['retry-attempt'] = '2';
    expect(countOf(incoming)).toBeUndefined();
  });
});
