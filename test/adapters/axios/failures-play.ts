/** Plays the failures that can be made on loopback with axios, and says why the others cannot. */

import { expect } from 'vitest';
import type { Failures } from '../failure-rows.js';
import { settled, soon } from '../kit.js';
import { type Scene, scenes } from './failures-scenes.js';
import { retryingInstance } from './kit.js';

const ofUndici = "what a dispatcher of undici's says, which fetch keeps to itself";
const ownAgent = 'Node’s fetch takes minutes, unless it is given an agent of its own undici';
const aRace = 'whether the write or the read notices it first is a race';

const notMade: Readonly<Record<string, string>> = {
  '(any) with onRequestStart NOT yet called': ofUndici,
  'ETIMEDOUT syscall read/write': 'the kernel gives up after a quarter of an hour',
  UND_ERR_CONNECT_TIMEOUT: ownAgent,
  UND_ERR_HEADERS_TIMEOUT: ownAgent,
  UND_ERR_BODY_TIMEOUT: ownAgent,
  'ECONNRESET syscall connect': 'an RST in answer to a SYN is ECONNREFUSED',
  'ECONNRESET syscall write': aRace,
  EPIPE: aRace,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'of a body that fetch hands over; axios makes "terminated" of it',
  'UND_ERR_SOCKET HTTP/2: "GOAWAY" frame received with code N': "Node's fetch speaks HTTP/1.1",
  'UND_ERR_INFO HTTP/2: stream closed …': "Node's fetch speaks HTTP/1.1",
  'ERR_HTTP2_GOAWAY_SESSION / ERR_HTTP2_INVALID_SESSION':
    'axios opens streams on sessions that it knows to be open',
  'AbortError code 20 / TimeoutError code 23 (numbers!)': 'axios makes ERR_CANCELED of it',
  'UND_ERR_ABORTED "Proxy response (N) !== 200 when HTTP Tunneling"': ofUndici,
  'UND_ERR_DESTROYED / UND_ERR_CLOSED': ofUndici,
  'UND_ERR_BPL_MISSING_UPSTREAM, UND_ERR_MAX_ORIGINS_REACHED, UND_ERR_INVALID_ARG, UND_ERR_NOT_SUPPORTED, UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
    ofUndici,
  'UND_ERR_RES_EXCEEDED_MAX_SIZE, UND_ERR_RESPONSE, UND_ERR_REQ_RETRY': ofUndici,
  'UND_ERR_PRX_TLS, UND_ERR_SOCKS5*': ofUndici,
  'isAxiosError, code undefined, no response': 'only mocks make it: see install-mock-adapter.test.ts',
};

const play: Failures<Scene>['play'] = async ({ make, name }, method) => {
  const { config, lab, attemptTimeoutMs, afterwards } = await make();
  const policy = { ...soon, maxRetries: 1, ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }) };
  const data = method === 'GET' ? undefined : 'pay';
  const asked = settled(retryingInstance(policy).request({ url: '/', data, ...config, method }));
  await afterwards?.();
  const { error } = await asked;
  const expectOwn = (isRetried: boolean): void => {
    // At most one request arrives for each attempt; a redirect loop has more.
    if (lab === undefined || name.includes('redirect')) return;
    expect(lab.requests.length).toBeLessThanOrEqual(isRetried ? 2 : 1);
  };
  return { error, expectOwn };
};

export const failures: Failures<Scene> = { scenes, notMade, play };
