/** A POST that provably never left is sent again, whatever the proof, and arrives once. */

import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import {
  answer,
  ca,
  connectTunnel,
  hangUpIdle,
  type Lab,
  refusedOrigin,
  startFullBacklog,
  type TlsKind,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { checksIdle, showsQueued, undici } from './client.js';
import { retryingAgent } from './kit.js';

type Connect = NonNullable<Agent.Options['connect']>;

function post(
  dispatcher: Dispatcher,
  origin: string,
  body: unknown = 'once',
): Promise<Dispatcher.ResponseData> {
  const given = { origin, path: '/', method: 'POST', headers: { 'x-id': 'a' }, body };
  return dispatcher.request(given as Dispatcher.RequestOptions);
}

/** The outcome of each attempt as the policy saw it. */
function watching(more: PolicyOptions = {}) {
  const seen: string[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type !== 'decision') return;
    const { finding, action } = event.decision;
    seen.push(
      finding.kind === 'error' ? `${finding.code}: ${finding.evidence}, ${action}` : String(finding.status),
    );
  };
  return { seen, policy: { ...soon, ...more, observe } satisfies PolicyOptions };
}

/**
 * Connects the n-th connection to the n-th of these ports, and later ones to the server. Only the former have a
 * timeout: the others take as long as a busy machine needs.
 */
function via(ports: readonly (number | string)[], timeout?: number, more: object = {}): Connect {
  const astray = undici.buildConnector({ ...more, ...(timeout !== undefined && { timeout }) });
  const usual = undici.buildConnector(more);
  let count = 0;
  return (options, callback) => {
    const port = ports[count];
    count += 1;
    if (port === undefined) usual(options, callback);
    else astray({ ...options, port: String(port) }, callback);
  };
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}

async function expectOnce(lab: Lab, asked: Promise<Dispatcher.ResponseData>): Promise<void> {
  const { value, error } = await settled(asked);
  expect([value?.statusCode, error]).toEqual([200, undefined]);
  expect(lab.requests.map(({ body, complete }) => [body.toString(), complete])).toEqual([['once', true]]);
  expect(lab.applied('a')).toBe(1);
}

describe.each<PolicyOptions>([{ unsafeMethods: 'unsent' }, { unsafeMethods: 'refused' }])('%o', (more) => {
  test('a refused connection', async () => {
    const lab = await openLab(answer(200));
    const refused = portOf(await refusedOrigin());
    const { seen, policy } = watching(more);
    await expectOnce(lab, post(retryingAgent(policy, { connect: via([refused, refused]) }), lab.origin));
    expect(seen.slice(0, 2)).toEqual(['ECONNREFUSED: unsent, retry', 'ECONNREFUSED: unsent, retry']);
  });

  test('a name that is not found, the first time', async () => {
    const lab = await openLab(answer(200));
    let lookups = 0;
    const flaky: LookupFunction = (hostname, options, callback) => {
      lookups += 1;
      if (lookups > 1) return void lookup('127.0.0.1', options, callback);
      const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), {
        code: 'ENOTFOUND',
        syscall: 'getaddrinfo',
        hostname,
      });
      process.nextTick(callback, error, '', 4);
    };
    const { seen, policy } = watching(more);
    const agent = retryingAgent(policy, { connect: { lookup: flaky } });
    await expectOnce(lab, post(agent, `http://service.test:${lab.port}`));
    expect(seen[0]).toBe('ENOTFOUND: unsent, retry');
  });

  test('a connection that takes too long', async () => {
    await using full = await startFullBacklog();
    const lab = await openLab(answer(200));
    const { seen, policy } = watching(more);
    const connect = via([portOf(full.origin)], 300);
    await expectOnce(lab, post(retryingAgent(policy, { connect }), lab.origin));
    expect(seen[0]).toBe('UND_ERR_CONNECT_TIMEOUT: unsent, retry');
  });

  test.each<[TlsKind, RegExp]>([
    ['handshake-fin', /^ECONNRESET: unsent, retry$/],
    ['handshake-rst', /^ECONNRESET: unsent, retry$/],
  ])('TLS: %s', async (fault, expected) => {
    const lab = await openLab(answer(200), { tls: [fault, 'trusted'] });
    const { seen, policy } = watching(more);
    await expectOnce(lab, post(retryingAgent(policy, { connect: { ca } }), lab.origin));
    expect(seen[0]).toMatch(expected);
  });

  test('TLS: a handshake that never ends', async () => {
    const lab = await openLab(answer(200), { tls: ['handshake-stall', 'trusted'] });
    const { seen, policy } = watching(more);
    const agent = retryingAgent(policy, { connect: via([lab.port], 500, { ca }) });
    await expectOnce(lab, post(agent, lab.origin));
    expect(seen[0]).toBe('UND_ERR_CONNECT_TIMEOUT: unsent, retry');
  });

  test('a proxy that refuses the tunnel, and then does not', async () => {
    const lab = await openLab(answer(200), { tls: 'trusted' });
    const proxy = await openLab([connectTunnel(503), connectTunnel(200)]);
    const { seen, policy } = watching(more);
    const base = new undici.ProxyAgent({ uri: proxy.origin, requestTls: { ca } });
    onTestFinished(() => base.destroy());
    await expectOnce(lab, post(base.compose(retry(policy)), lab.origin));
    expect(seen[0]).toMatch(/: unsent, retry$/);
    expect(proxy.requests.map(({ method }) => method)).toEqual(['CONNECT', 'CONNECT']);
  });

  test('a proxy that is not there, the first time', async () => {
    const lab = await openLab(answer(200), { tls: 'trusted' });
    const proxy = await openLab(connectTunnel(200));
    const refused = portOf(await refusedOrigin());
    const { seen, policy } = watching(more);
    const base = new undici.ProxyAgent({
      uri: proxy.origin,
      requestTls: { ca },
      clientFactory: (origin: URL, options: object) =>
        new undici.Pool(origin, { ...options, connect: via([refused]) }),
    });
    onTestFinished(() => base.destroy());
    await expectOnce(lab, post(base.compose(retry(policy)), lab.origin));
    expect(seen[0]).toBe('ECONNREFUSED: unsent, retry');
  });

  // Where undici does not check it before it writes, nothing proves that nothing left.
  test.each(checksIdle ? (['fin', 'rst'] as const) : (['fin'] as const))(
    'an idle connection that the server has ended (%s)',
    async (how) => {
      const lab = await openLab([hangUpIdle({ cue: 'end' }, how), answer(200)]);
      const { seen, policy } = watching(more);
      const agent = retryingAgent(policy);
      await (await agent.request({ origin: lab.origin, path: '/', method: 'GET' })).body.dump();
      lab.cue('end');
      await lab.until(({ openSockets }) => openSockets === 0);
      const response = await post(agent, lab.origin);
      expect(response.statusCode).toBe(200);
      expect(lab.applied('a')).toBe(1);
      expect(seen.filter((each) => !each.includes('unsent') && each !== '200')).toEqual([]);
    },
  );
});

test('the timeout of an attempt proves it too, as long as there was no connection', async () => {
  await using full = await startFullBacklog();
  const lab = await openLab(answer(200));
  const time = new HandTime();
  const { seen, policy } = watching({ attemptTimeoutMs: 5_000 });
  const connect = via([portOf(full.origin)]);
  const agent = retryingAgent(createRetrier(policy, time.ports), { connect });
  const asked = post(agent, lab.origin);
  await time.fire(5_000);
  if (!showsQueued) {
    expect((await settled(asked)).error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' });
    expect(lab.requests).toEqual([]);
    return;
  }
  await time.fire(1);
  // The first attempt was given up, and does not block the next one.
  expect(seen[0]).toBe('ERR_UNDAUNTED_ATTEMPT_TIMEOUT: unsent, retry');
  await expectOnce(lab, asked);
});

test('twenty that all meet a refused connection all arrive, each once', async () => {
  const lab = await openLab(answer(200));
  const refused = portOf(await refusedOrigin());
  const connect = via(Array.from({ length: 20 }, () => refused));
  const agent = retryingAgent({ ...soon, budget: false }, { connect });
  const ids = Array.from({ length: 20 }, (_, index) => `id ${index}`);
  const all = ids.map((id) =>
    agent.request({ origin: lab.origin, path: '/', method: 'POST', headers: { 'x-id': id }, body: id }),
  );
  for (const each of all) expect((await each).statusCode).toBe(200);
  expect(ids.map((id) => lab.applied(id))).toEqual(ids.map(() => 1));
});
