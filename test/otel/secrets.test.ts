/** Secrets travel in userinfo, queries, headers and bodies. No report about a request contains them. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachRetry } from '../../src/adapters/axios/index.js';
import { retry } from '../../src/adapters/undici/index.js';
import type { History } from '../../src/core/types.js';
import { createRetrier, explain, historyOf } from '../../src/index.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import { openInstance } from '../adapters/axios/kit.js';
import type { Event } from '../adapters/decisions.js';
import { openLab, settled, soon } from '../adapters/kit.js';
import { undici } from '../adapters/undici/client.js';
import { openAgent } from '../adapters/undici/kit.js';
import { refusedOrigin } from '../faults/lab.js';
import { answer, rst } from '../faults/plays.js';
import { openTelemetry } from './kit.js';

const secret = 's3cr3t';

/** Sends one request, and returns its response or error. */
type Send = (retrier: Retrier, origin: string) => Promise<unknown>;

const headers = {
  authorization: `Bearer ${secret}`,
  cookie: `session=${secret}`,
  'idempotency-key': secret,
  [`x-${secret}`]: secret,
};
const body = JSON.stringify({ password: secret });

function withUserinfo(origin: string): string {
  return origin.replace('//', `//${secret}:p@ss-${secret}@`);
}

const ways: Readonly<Record<string, Send>> = {
  'undici, by its URL': (retrier, origin) => {
    const dispatcher = openAgent().compose(retry(retrier));
    const url = `${withUserinfo(origin)}/things?token=${secret}#${secret}`;
    return undici.request(url, { dispatcher, method: 'POST', headers, body });
  },
  'undici, by origin and path': (retrier, origin) => {
    const dispatcher = openAgent().compose(retry(retrier));
    const path = `/things?token=${secret}`;
    return dispatcher.request({ origin: withUserinfo(origin), path, method: 'POST', headers, body });
  },
  fetch: (retrier, origin) => {
    const dispatcher = openAgent().compose(retry(retrier));
    return undici.fetch(`${origin}/things?token=${secret}#${secret}`, {
      dispatcher,
      method: 'POST',
      headers,
      body,
    });
  },
  'axios, by its URL': (retrier, origin) => {
    const instance = openInstance();
    attachRetry(instance, retrier);
    return instance.post(`${withUserinfo(origin)}/things?token=${secret}#${secret}`, body, { headers });
  },
  'axios, by its parts': (retrier, origin) => {
    const instance = openInstance({ baseURL: withUserinfo(origin), params: { token: secret } });
    attachRetry(instance, retrier);
    const auth = { username: secret, password: secret };
    return instance.post('/things', body, { headers, auth });
  },
};

/** Everything that was reported about one request. */
async function told(send: Send, origin: string): Promise<{ readonly text: string; readonly events: number }> {
  const events: Event[] = [];
  const published: unknown[] = [];
  const listener = (message: unknown): void => void published.push(message);
  subscribe('undaunted:decision', listener);
  onTestFinished(() => void unsubscribe('undaunted:decision', listener));
  const retrier = createRetrier({
    ...soon,
    observe: (event) => void events.push(event),
    gate: true,
    hold: true,
  });
  const telemetry = openTelemetry({ retriers: { main: retrier } });
  const { value, error } = await telemetry.inSpan('caller', () => settled(send(retrier, origin)));
  const history: History =
    historyOf(value) ?? historyOf(error) ?? historyOf((error as Error | undefined)?.cause) ?? [];
  const outputs = {
    events,
    published,
    history,
    json: JSON.stringify({ events, history }),
    sentences: history.map(({ decision }) => explain(decision)),
    snapshot: retrier.snapshot(),
    spans: telemetry.spans.map(({ attributes, events: spanEvents, status }) => ({
      attributes,
      spanEvents,
      status,
    })),
    metrics: await telemetry.metrics(),
  };
  return {
    text: inspect(outputs, { depth: null, maxArrayLength: null, showHidden: true }),
    events: events.length,
  };
}

describe.each(Object.entries(ways))('%s', (_way, send) => {
  test('reveals none of its secrets, nor of its answers’', async () => {
    const answerHeaders = { 'set-cookie': `session=${secret}`, 'x-token': secret };
    const lab = await openLab([
      answer(503, secret, { ...answerHeaders, 'retry-after': '0.001' }),
      rst(),
      answer(429, secret, answerHeaders),
      answer(403, secret, answerHeaders),
    ]);
    const { text, events } = await told(send, lab.origin);
    // The secrets were sent, and events were reported.
    for (const { headers: sent, body: sentBody, path } of lab.requests) {
      expect(sent['x-s3cr3t']).toBe(secret);
      expect(`${sentBody}${path}`).toMatch(/s3cr3t.*token=s3cr3t/s);
    }
    expect(lab.requests).toHaveLength(4);
    expect(events).toBe(5);
    expect(text).toContain('transport-error');
    expect(text).not.toContain(secret);
  });

  test('reveals none of them when the server does not answer', async () => {
    const { text, events } = await told(send, await refusedOrigin());
    expect(events).toBe(5);
    expect(text).toContain('ECONNREFUSED');
    expect(text).not.toContain(secret);
  });
});
