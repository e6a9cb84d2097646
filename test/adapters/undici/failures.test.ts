/** Every row of the fixture that can be made on loopback is made; the others say why not. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import { rows } from '../failure-rows.js';
import { settled, soon } from '../kit.js';
import { type Scene, scenes } from './failures-scenes.js';
import { errorsBelow, readAll } from './recorder.js';

const ofAxios = 'what axios makes of it';

const notMade: Readonly<Record<string, string>> = {
  'ETIMEDOUT syscall read/write': 'the kernel gives up after a quarter of an hour',
  'ETIMEDOUT/ECONNABORTED without syscall (AxiosError)': ofAxios,
  'isAxiosError, code undefined, no response': ofAxios,
  'ECONNRESET syscall connect': 'an RST in answer to a SYN is ECONNREFUSED',
  'ECONNRESET syscall write': 'undici reads all the time, and is told when it does',
  'ECONNRESET "socket hang up" (no syscall)': "node:http's, and so axios's",
  EPIPE: 'undici reads all the time, and is told when it does',
  'HPE_*': "node:http's, and so axios's; undici 6 has it as the code of its HTTPParserError",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'undici sees UND_ERR_SOCKET',
  'ERR_HTTP2_GOAWAY_SESSION / ERR_HTTP2_INVALID_SESSION':
    'undici opens streams on sessions that it knows to be open',
  '(promise never settles)': ofAxios,
  ERR_CANCELED: ofAxios,
  'response from proxy to CONNECT': ofAxios,
  'UND_ERR_PRX_TLS, UND_ERR_SOCKS5*':
    'PRX_TLS is a certificate that is checked before; SOCKS5 needs another server',
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
  expect(Object.values(notMade)).not.toContain('');
});

/** Rows that say it in words ("as its status") leave it to the scene. */
test.each(rows.filter(({ code }) => code in scenes))(
  'what is expected is what the fixture says: $code',
  (row) => {
    for (const scene of scenes[row.code] ?? []) {
      if (scene.unlike !== undefined) continue;
      if (['transient', 'final'].includes(row.class)) expect(scene.class, scene.name).toBe(row.class);
      if (scene.neverBegan) expect(scene.evidence, scene.name).toBe('unsent');
      else if (['unsent', 'unknown'].includes(row.evidence))
        expect(scene.evidence, scene.name).toBe(row.evidence);
    }
  },
);

async function play({ make }: Scene, method: string) {
  const { dispatcher, origin, options, before, afterwards } = await make();
  const below: unknown[] = [];
  const agent = dispatcher.compose(errorsBelow(below), retry({ ...soon, maxRetries: 1 }));
  const body = method === 'GET' ? null : 'pay';
  before?.();
  const asked = settled(
    agent.request({ path: '/', body, ...options, origin, method } as Dispatcher.RequestOptions),
  );
  await afterwards?.();
  const { value, error } = await asked;
  const broken = value === undefined ? error : (await readAll(value.body)).error;
  return { error: broken as Error & { code?: unknown }, below, hasHead: value !== undefined };
}

function isWorthIt({ class: found, evidence, inBody }: Scene, method: string): boolean {
  return found === 'transient' && inBody !== true && (method !== 'POST' || evidence === 'unsent');
}

const all = Object.entries(scenes).flatMap(([row, some]) => some.map((scene) => ({ row, ...scene })));

describe.each(all)('$row: $name', (scene) => {
  async function expectAsSaid(method: string): Promise<void> {
    const { error, below, hasHead } = await play(scene, method);
    const history = historyOf(error) ?? [];
    const finding = { class: scene.class, evidence: scene.evidence };
    const retried = isWorthIt(scene, method);

    // The caller gets what undici said last, itself.
    expect(error).toBe(below.at(-1));
    expect(typeof error.code === 'string' ? error.code : error.name).toMatch(scene.error);
    expect(hasHead).toBe(scene.inBody === true);
    expect(history.map(({ decision }) => decision.finding)).toMatchObject(
      retried ? [finding, finding] : [finding],
    );
    expect(history.at(-1)?.decision.action).toBe('stop');
  }

  const methods = [scene.method ?? 'GET', 'POST'];
  // Both at once: undici's timeouts take a second each.
  test.skipIf(scene.missing)(`${methods.join(' and ')} ${scene.missing || ''}`, async () => {
    await Promise.all(methods.map(expectAsSaid));
  });
});
