/** Every row of the fixture that can be made on loopback is made; the others say why not. */

import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import { type Scene, scenes } from './failures-scenes.js';
import { settled, soon } from './kit.js';
import { readAll } from './recorder.js';

interface Row {
  readonly code: string;
  readonly where: string;
  readonly class: string;
  readonly evidence: string;
}

const { rows } = JSON.parse(
  readFileSync(new URL('../../../fixtures/failures.json', import.meta.url), 'utf8'),
) as { readonly rows: readonly Row[] };

const ofAxios = 'what axios makes of it';

const notMade: Readonly<Record<string, string>> = {
  'ETIMEDOUT syscall connect': 'the kernel gives up after two minutes',
  'ETIMEDOUT syscall read/write': 'the kernel gives up after a quarter of an hour',
  'ETIMEDOUT/ECONNABORTED without syscall (AxiosError)': ofAxios,
  'ECONNRESET syscall connect': 'an RST in answer to a SYN is ECONNREFUSED',
  'ECONNRESET syscall write': 'undici reads all the time, and is told when it does',
  'ECONNRESET "socket hang up" (no syscall)': "node:http's, and so axios's",
  EPIPE: 'undici reads all the time, and is told when it does',
  'HPE_*': "node:http's, and so axios's; undici's have no code",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'undici sees UND_ERR_SOCKET',
  'ERR_HTTP2_GOAWAY_SESSION / ERR_HTTP2_INVALID_SESSION':
    'undici opens streams on sessions that it knows to be open',
  '(promise never settles)': ofAxios,
  ERR_CANCELED: ofAxios,
  'response from proxy to CONNECT': ofAxios,
  'UND_ERR_PRX_TLS, UND_ERR_SOCKS5*':
    'PRX_TLS is a certificate that is checked before; SOCKS5 needs another server',
  'ERR_HTTP2_SESSION_ERROR / ERR_HTTP2_STREAM_CANCEL': '',
  'ERR_BAD_RESPONSE with response.status>=500': ofAxios,
  'ERR_BAD_RESPONSE "stream has been aborted", response.status 200': ofAxios,
  'ERR_BAD_RESPONSE "maxContentLength size of N exceeded"': ofAxios,
  ERR_BAD_REQUEST: ofAxios,
  ERR_NETWORK: ofAxios,
  'code undefined, name TypeError "terminated"': ofAxios,
  'ERR_FR_TOO_MANY_REDIRECTS, ERR_INVALID_URL, ERR_NOT_SUPPORT, ERR_BAD_OPTION*': ofAxios,
};

test('each row is made, or says why not, and nothing else is', () => {
  const known = [...Object.keys(scenes), ...Object.keys(notMade)].sort();
  expect(known).toEqual(rows.map(({ code }) => code).sort());
});

async function play({ make }: Scene, method: string) {
  const { dispatcher, origin, options, then } = await make();
  const agent = dispatcher.compose(retry({ ...soon, maxRetries: 1 }));
  const body = method === 'POST' ? 'pay' : null;
  const asked = settled<Dispatcher.ResponseData>(
    agent.request({ path: '/', body, ...options, origin, method } as Dispatcher.RequestOptions),
  );
  await then?.();
  const { value, error } = await asked;
  const broken = value === undefined ? error : (await readAll(value.body)).error;
  return { error: broken, history: historyOf(broken) ?? [], delivered: value !== undefined };
}

for (const [code, all] of Object.entries(scenes)) {
  describe(code, () => {
    test.each(all.filter(({ missing }) => !missing))('$name', async (scene) => {
      for (const method of ['GET', 'POST']) {
        const { error, history, delivered } = await play(scene, method);
        const { name, code: given } = error as { name: string; code?: unknown };
        console.log(
          'SCENE',
          scene.name,
          method,
          name,
          given,
          JSON.stringify(history.map((h) => ({ o: h.outcome, r: h.decision.reason }))),
        );
      }
    });
  });
}
