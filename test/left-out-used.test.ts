/** A bundle without one of the parts that can be left out (docs/runtimes.md): the rest works, and using the part is a clear error. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axios, { type AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import { bundle, everything, type LeftOut } from '../bench/bundling.js';

type Undaunted = typeof import('../src/index.js') &
  typeof import('../src/adapters/fetch/index.js') &
  typeof import('../src/adapters/axios/index.js');

const all = `export * from 'undaunted'; export { withRetry } from 'undaunted/fetch'; export { attachRetry } from 'undaunted/axios';`;

async function load(leftOut: LeftOut): Promise<Undaunted> {
  const { text } = await bundle(all, { leftOut });
  const folder = mkdtempSync(join(tmpdir(), 'left-out-'));
  try {
    const file = join(folder, 'bundle.mjs');
    writeFileSync(file, text);
    return (await import(pathToFileURL(file).href)) as Undaunted;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function failingOnce(headers: HeadersInit = {}): { fetch: typeof fetch; count: () => number } {
  let sent = 0;
  const send = (): Promise<Response> => {
    sent += 1;
    return Promise.resolve(new Response('', sent === 1 ? { status: 503, headers } : { status: 200 }));
  };
  return { fetch: send, count: () => sent };
}

const json = {
  hints: 'github',
  gate: true,
  hold: true,
  schedule: { kind: 'fixed', waitMs: 1 },
  rules: [{ match: 'GET api.example.com/users/:id', maxRetries: 1 }],
} as const;

const attemptTimeoutMs = { maxMs: 5_000 };

describe.each([
  { leftOut: [] },
  { leftOut: ['vendors'] },
  { leftOut: ['gateAndHold'] },
  { leftOut: ['check'] },
  { leftOut: ['rules'] },
  { leftOut: ['tail'] },
  { leftOut: ['streams'] },
  { leftOut: everything },
] as const)('without $leftOut', ({ leftOut }) => {
  const undaunted = load(leftOut);
  const lacks = (part: (typeof everything)[number]): boolean => leftOut.some((other) => other === part);
  const schedule = json.schedule;

  test('retries, and reports how often', async () => {
    const { withRetry } = await undaunted;
    const server = failingOnce();
    const response = await withRetry(server.fetch, { schedule, maxRetries: 1 })(
      'https://api.example.com/users/7',
    );
    expect([response.status, server.count()]).toEqual([200, 2]);
  });

  test.runIf(lacks('rules'))('rules are refused, in words', async () => {
    const { definePolicy, PolicyError } = await undaunted;
    expect(() => definePolicy({ rules: json.rules })).toThrow(/made without rules \(__UNDAUNTED_RULES__\)/);
    expect(() => definePolicy({ rules: json.rules })).toThrow(PolicyError);
    expect(() => definePolicy({ rules: [] })).not.toThrow();
  });

  test.skipIf(lacks('rules'))('retries, as a rule says', async () => {
    const { withRetry } = await undaunted;
    const server = failingOnce();
    const response = await withRetry(server.fetch, { schedule, rules: json.rules })(
      'https://api.example.com/users/7',
    );
    expect([response.status, server.count()]).toEqual([200, 2]);
  });

  test('obeys standard hints, and overrides', async () => {
    const { withRetry } = await undaunted;
    const server = failingOnce({ 'retry-after': '60' });
    const response = await withRetry(server.fetch)('https://api.example.com/', {
      retry: { maxHintMs: 1_000 },
    });
    expect([response.status, server.count()]).toEqual([503, 1]);
  });

  test('a policy is frozen, and a copy', async () => {
    const { definePolicy } = await undaunted;
    const rules = lacks('rules') ? [] : [{ match: '/a' }];
    const options = { maxRetries: 2, deadlineMs: undefined, rules, statuses: [502] } as const;
    const policy = definePolicy(options as object);
    expect(policy.toJSON()).toEqual({ maxRetries: 2, rules, statuses: [502] });
    expect('deadlineMs' in policy.toJSON()).toBe(false);
    expect(Object.isFrozen(policy.toJSON().statuses)).toBe(true);
    expect(Object.isFrozen(options.statuses)).toBe(false);
  });

  test.skipIf(lacks('vendors'))('hints of a vendor', async () => {
    const { definePolicy } = await undaunted;
    expect(() => definePolicy({ hints: json.hints })).not.toThrow();
  });

  test.runIf(lacks('vendors'))('hints of a vendor are refused, in words', async () => {
    const { definePolicy, readHint } = await undaunted;
    const words = /made without those of vendors \(__UNDAUNTED_VENDORS__\)/;
    expect(() => definePolicy({ rules: [{ match: '/a', hints: ['github'] }] })).toThrow(words);
    expect(() => readHint({ status: 429, headers: {} }, { hints: 'github', date: 0 })).toThrow(words);
    expect(() => definePolicy({ hints: ['standard', 'common', 'heuristic'] })).not.toThrow();
  });

  test.skipIf(lacks('gateAndHold'))('gate and hold', async () => {
    const { definePolicy } = await undaunted;
    expect(definePolicy({ gate: true, hold: true }).fallback.settings).toMatchObject({
      gate: { failures: 20 },
      hold: { refusedShare: 0.5 },
    });
  });

  test.runIf(lacks('gateAndHold'))('gate and hold are refused, in words', async () => {
    const { definePolicy, presets, withRetry, PolicyError } = await undaunted;
    const words = /made without gate and hold \(__UNDAUNTED_GATE_AND_HOLD__\)/;
    for (const options of [
      { gate: true },
      { hold: true },
      { hold: { minMs: 1 } },
      presets.policies.service,
    ]) {
      expect(() => definePolicy(options)).toThrow(words);
    }
    expect(() => definePolicy({ rules: [{ match: '/a', gate: true }] })).toThrow(PolicyError);
    expect(() => definePolicy({ gate: false, hold: false })).not.toThrow();
    expect(() => withRetry(fetch, { gate: true })).toThrow(words);
  });

  test.skipIf(lacks('tail'))('hedges, and adaptive timeouts', async () => {
    const { withRetry } = await undaunted;
    const told: string[] = [];
    const observe = ({ type }: { readonly type: string }): void => void told.push(type);
    const options = { hedge: { afterMs: 1, share: 1, capacity: 1 }, attemptTimeoutMs, observe } as const;
    let isSlow = false;
    const send = (): Promise<Response> =>
      new Promise((resolve) => setTimeout(resolve, isSlow ? 500 : 0, new Response('')));
    const fetch = withRetry(send as typeof globalThis.fetch, options);
    for (isSlow of [false, true]) await fetch('https://api.example.com/');
    expect(told).toEqual(['settled', 'hedge', 'decision', 'settled']);
  });

  test.runIf(lacks('tail'))('hedges and adaptive timeouts are refused, in words', async () => {
    const { definePolicy, parsePolicy, withRetry, PolicyError } = await undaunted;
    const words = /made without hedges and adaptive timeouts \(__UNDAUNTED_TAIL__\)/;
    for (const options of [{ hedge: true }, { hedge: { afterMs: 80 } }, { attemptTimeoutMs }]) {
      expect(() => definePolicy(options)).toThrow(words);
      expect(() => definePolicy({ rules: [{ match: '/a', ...options }] })).toThrow(PolicyError);
      expect(() => parsePolicy(options)).toThrow(words);
      expect(() => withRetry(fetch, options)).toThrow(words);
    }
    expect(definePolicy({ hedge: false, attemptTimeoutMs: 100 }).fallback.settings).toMatchObject({
      hedge: false,
      attemptTimeoutMs: 100,
    });
  });

  const streamOf = (text: string): ReadableStream =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    });
  const url = 'https://api.example.com/';
  const put = (body: BodyInit): RequestInit => ({ method: 'PUT', body, duplex: 'half' }) as RequestInit;
  const uploads: readonly (readonly [of: string, upload: () => Parameters<typeof globalThis.fetch>])[] = [
    ['a stream', () => [url, put(streamOf('abc'))]],
    ['an iterable', () => [url, put(streamOf('abc').values() as unknown as BodyInit)]],
    ['a Request', () => [new Request(url, put('abc'))]],
  ];

  test.each(uploads)(`an upload of %s is sent ${lacks('streams') ? 'once' : 'again'}`, async (_, upload) => {
    const { withRetry } = await undaunted;
    const got: string[] = [];
    const send: typeof globalThis.fetch = async (input, init) => {
      got.push(await new Request(input, { duplex: 'half', ...init } as RequestInit).text());
      return new Response('', { status: 503 });
    };
    const { status } = await withRetry(send, { schedule, maxRetries: 1 })(...upload());
    expect([status, got]).toEqual([503, lacks('streams') ? ['abc'] : ['abc', 'abc']]);
  });

  test(`axios sends a stream ${lacks('streams') ? 'once' : 'again'}`, async () => {
    const { attachRetry } = await undaunted;
    const got: string[] = [];
    const adapter: AxiosAdapter = async (config) => {
      got.push(await new Response(config.data).text());
      const response = { status: 503, statusText: '', data: '', headers: {}, config };
      throw new AxiosError('503', AxiosError.ERR_BAD_RESPONSE, config, undefined, response);
    };
    const api = axios.create({ adapter });
    attachRetry(api, { schedule, maxRetries: 1 });
    await expect(api.put(url, streamOf('abc'))).rejects.toThrow('503');
    expect(got).toEqual(lacks('streams') ? ['abc'] : ['abc', 'abc']);
  });

  test('text and what a function makes are sent again', async () => {
    const { withRetry } = await undaunted;
    for (const body of ['abc', () => streamOf('abc')]) {
      const server = failingOnce();
      await withRetry(server.fetch, { schedule })(url, { method: 'PUT', body });
      expect(server.count()).toBe(2);
    }
  });

  test.runIf(lacks('streams'))('buffers for streams are refused, in words', async () => {
    const { definePolicy, withRetry, PolicyError } = await undaunted;
    const words = /made without buffers for streams \(__UNDAUNTED_STREAMS__\)/;
    expect(() => definePolicy({ bufferBodyBytes: 1 })).toThrow(words);
    expect(() => withRetry(fetch, { bufferBodyBytes: 1 })).toThrow(PolicyError);
    expect(definePolicy({ bufferBodyBytes: 0 }).fallback.settings.bufferBodyBytes).toBe(0);
    expect(definePolicy({}).fallback.settings.bufferBodyBytes).toBe(0);
  });

  test('an attempt timeout', async () => {
    const { withRetry } = await undaunted;
    let sent = 0;
    const send = (_: unknown, init?: RequestInit): Promise<Response> => {
      sent += 1;
      if (sent > 1) return Promise.resolve(new Response(''));
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    };
    const fetch = withRetry(send as typeof globalThis.fetch, { schedule, attemptTimeoutMs: 5 });
    expect([(await fetch('https://api.example.com/')).status, sent]).toEqual([200, 2]);
  });

  test('parsePolicy checks its input', async () => {
    const { parsePolicy, PolicyError } = await undaunted;
    expect(() => parsePolicy({ maxRetrys: 1 })).toThrow(/Did you mean "maxRetries"/);
    expect(() => parsePolicy({ rules: [{ match: 'GET https://a/' }] })).toThrow(PolicyError);
    expect(parsePolicy({ maxRetries: 1 }).fallback.settings.maxRetries).toBe(1);
  });

  test(`${lacks('check') ? 'only that' : 'and so is everything else'}`, async () => {
    const { definePolicy } = await undaunted;
    const define = (): unknown => definePolicy({ maxRetrys: 1 } as object);
    if (lacks('check')) expect(define).not.toThrow();
    else expect(define).toThrow(/Did you mean "maxRetries"/);
  });
});
