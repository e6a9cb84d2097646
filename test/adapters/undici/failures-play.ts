/** Plays the failures that can be made on loopback, and says why the others cannot. */

import type { Dispatcher } from 'undici';
import { expect } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { Failures } from '../failure-rows.js';
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

const play: Failures<Scene>['play'] = async ({ make, inBody }, method) => {
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
  const expectOwn = (): void => {
    // The caller gets the very error that undici reported last.
    expect(broken).toBe(below.at(-1));
    expect(value !== undefined).toBe(inBody === true);
  };
  return { error: broken, expectOwn };
};

export const failures: Failures<Scene> = { scenes, notMade, play };
