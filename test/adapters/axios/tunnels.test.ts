/** A proxy's own answer to CONNECT proves that the request never left, and only that answer does. */

import { Agent } from 'node:https';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { historyOf } from '../../../src/index.js';
import { answer, ca, connectTunnel, type Lab } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { tunnelAgent } from './client.js';
import { retryingInstance } from './kit.js';

type Through = (proxy: Lab) => AxiosRequestConfig;

const ways: readonly (readonly [string, Through])[] = [
  ["axios's own proxy", ({ port }) => ({ proxy: { protocol: 'http', host: '127.0.0.1', port } })],
  [
    'https-proxy-agent',
    ({ origin }) => ({
      proxy: false,
      httpsAgent: tunnelAgent === undefined ? undefined : new tunnelAgent(origin),
    }),
  ],
];

async function post(
  url: string,
  config: AxiosRequestConfig,
): Promise<{ readonly status: number | undefined; readonly decisions: readonly string[] | undefined }> {
  const { value, error } = await settled(
    retryingInstance({ ...soon, maxRetries: 2 }).post(url, 'pay', config),
  );
  const decisions = historyOf(value ?? error)?.map(
    ({ decision: { reason, finding } }) => `${reason}: ${finding.evidence}`,
  );
  const { status } = value ?? (error as { response?: { status: number } }).response ?? {};
  return { status, decisions };
}

describe.skipIf(tunnelAgent === undefined).each(ways)(
  '%s (older axios opens no tunnels)',
  (_name, through) => {
    test.each([undefined, 0])(
      'a POST whose tunnel is refused was never sent: maxRedirects %s',
      async (maxRedirects) => {
        const proxy = await openLab(connectTunnel(502));
        const config = { ...through(proxy), ...(maxRedirects === undefined ? {} : { maxRedirects }) };
        const { status, decisions } = await post('https://origin.test/pay', config);
        expect([status, decisions]).toEqual([
          502,
          ['transient-status: unsent', 'transient-status: unsent', 'retries-spent: unsent'],
        ]);
        expect(proxy.requests.map(({ method }) => method)).toEqual(['CONNECT', 'CONNECT', 'CONNECT']);
      },
    );

    test.each([403, 407])('a refusal for good stays one: %i', async (refusal) => {
      const proxy = await openLab(connectTunnel(refusal));
      const { status, decisions } = await post('https://origin.test/pay', through(proxy));
      expect([status, decisions]).toEqual([refusal, ['final-status: unsent']]);
    });

    test('a tunnel that is refused after a redirect proves nothing', async () => {
      const first = await openLab(answer(303, '', { location: 'https://origin.test/done' }));
      const proxy = await openLab(({ method }) =>
        method === 'CONNECT' ? connectTunnel(502) : answer(303, '', { location: 'https://origin.test/done' }),
      );
      const { decisions } = await post(`${first.origin}/pay`, through(proxy));
      expect(decisions).toEqual(['unsafe-method: unknown']);
      expect([...first.requests, ...proxy.requests].map(({ method }) => method)).toEqual(['POST', 'CONNECT']);
    });
  },
);

test.skipIf(tunnelAgent === undefined)("the origin's own 502 proves nothing", async () => {
  const origin = await openLab(answer(502), { tls: 'trusted' });
  const proxy = await openLab(connectTunnel());
  const config = {
    proxy: { protocol: 'http', host: '127.0.0.1', port: proxy.port },
    httpsAgent: new Agent({ ca }),
  };
  // Node 26 takes no address for the name of a TLS server.
  const { status, decisions } = await post(`https://localhost:${origin.port}/pay`, config);
  expect([status, decisions]).toEqual([502, ['unsafe-method: unknown']]);
  expect(origin.requests.map(({ method }) => method)).toEqual(['POST']);
  expect(proxy.requests.map(({ method }) => method)).toEqual(['CONNECT']);
});

test('the 502 of a proxy that gets the request itself proves nothing', async () => {
  const proxy = await openLab(answer(502));
  const config = { proxy: { protocol: 'http', host: '127.0.0.1', port: proxy.port } };
  const { status, decisions } = await post('http://origin.test/pay', config);
  expect([status, decisions]).toEqual([502, ['unsafe-method: unknown']]);
  expect(proxy.requests.map(({ method }) => method)).toEqual(['POST']);
});
