/**
 * The library also loads in edge runtimes, workers and browsers: while it is loaded, no entry point but undici's and
 * Redis's asks the platform for anything. Each is bundled and run in a context that has only the language.
 */

import { execFileSync } from 'node:child_process';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { allEntries } from '../scripts/entries.js';
import { type PolicyOptions, suppressRetries } from '../src/index.js';

/**
 * The source of each entry point. undici is left out because it needs Node's streams, and Redis because it needs
 * sockets.
 */
const sources: readonly (readonly [string, string])[] = Object.entries(allEntries).flatMap(
  ([entry, source]) => (entry === './undici' || entry === './redis' ? [] : [[entry, `./${source}`]]),
);

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.', loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'entry',
    target: 'es2022',
    // With this platform, Node's modules cannot be resolved.
    platform: 'browser',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

const web = { TextDecoder, TextEncoder, URL, clearTimeout, console, performance, setTimeout };

/** The globals among these that the code reads while it is loaded. */
function askedBy(code: string, among: readonly string[]): string[] {
  const asked: string[] = [];
  const world = createContext();
  for (const name of among) {
    const get = (): undefined => void asked.push(name);
    Object.defineProperty(world, name, { get, configurable: true });
  }
  runInContext(`${code}; if (Object.keys(entry).length === 0) throw new Error('empty')`, world);
  return asked;
}

/** jsdom has no TextEncoder; React Native and older Workers have no FinalizationRegistry. */
const platform = [
  ...['process', 'Buffer', 'require', 'module', 'navigator', 'window', 'self', 'Deno', 'Bun'],
  ...[...Object.keys(web), 'fetch', 'Response', 'AbortSignal', 'ReadableStream', 'FinalizationRegistry'],
];

describe('loading asks nothing of the platform', () => {
  test('for every entry point but two', () => {
    expect(sources.map(([entry]) => entry)).toEqual(
      expect.arrayContaining(['.', './axios', './otel', './schemes', './sim']),
    );
  });

  test.each(sources)('for %s', async (_, file) => {
    const code = await bundle(`export * from '${file}'`);
    expect(code).not.toMatch(/\bimport\.meta\b/);
    expect(askedBy(code, platform)).toEqual([]);
  });

  test('nor a global object that takes new properties', async () => {
    const source = "export * from './src/index.ts'; export * from './src/adapters/fetch/index.ts'";
    const code = `'use strict'; ${await bundle(source)}; return entry`;
    const program = `
      const answer = new Response('ok')
      Object.preventExtensions(globalThis)
      const { suppressRetries, withRetry } = new Function(${JSON.stringify(code)})()
      const fetch = withRetry(withRetry(async () => answer))
      suppressRetries(() => fetch('https://a.example')).then(({ status }) => console.log(status))`;
    expect(execFileSync(process.execPath, ['-'], { input: program, encoding: 'utf8' })).toBe('200\n');
  });

  test('and this test would notice it', async () => {
    expect(askedBy(await bundle('export const here = typeof process'), platform)).toEqual(['process']);
    await expect(bundle("import { stringify } from 'node:querystring'; stringify()")).rejects.toThrow(
      /Could not resolve "node:querystring"/,
    );
  });
});

describe('on a platform with nothing but web APIs', () => {
  const used = `
    import { createRetrier, suppressRetries } from './src/index.ts';
    import { instrument } from './src/otel/index.ts';
    const session = createRetrier({ observe: () => undefined }).open({ method: 'GET', origin: 'https://a', path: '/', keyed: false });
    export const { action } = session.next({ kind: 'response', status: 503, headers: {} }, { replayable: true });
    export const missing = [() => suppressRetries(() => 'done'), instrument].map((work) => {
      try { return work() } catch (error) { return error.message }
    });
  `;

  async function run(globals: object): Promise<{ action: string; missing: string[] }> {
    const world = createContext({ ...web, ...globals });
    return runInContext(`${await bundle(used)}; entry`, world) as { action: string; missing: string[] };
  }

  test('a request is decided on, and functions that need more say what is missing', async () => {
    const { action, missing } = await run({});
    expect(action).toBe('retry');
    expect(missing).toEqual([
      expect.stringMatching(
        /^undaunted: suppressRetries needs AsyncLocalStorage, which this platform does not have/,
      ),
      expect.stringMatching(
        /^undaunted\/otel: instrument\(\) needs node:diagnostics_channel, which this platform does not have/,
      ),
    ]);
  });

  test('a stand-in for `process` that throws does no harm', async () => {
    const process = {
      get getBuiltinModule(): never {
        throw new Error('not supported in the Edge Runtime');
      },
    };
    expect((await run({ process })).action).toBe('retry');
  });

  test('a global AsyncLocalStorage is used, as edge runtimes have it', async () => {
    const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
    expect((await run({ AsyncLocalStorage })).missing[0]).toBe('done');
    expect(suppressRetries(() => 'here, too')).toBe('here, too');
  });
});

describe('on a platform that lacks what React Native, jsdom and older browsers and Workers lack', () => {
  class OldURL extends URL {
    static override canParse: never = undefined as never;
  }
  const lesser = { AbortController, Promise, URL: OldURL, clearTimeout, console, performance, setTimeout };

  interface Used {
    readonly withRetry: typeof import('../src/adapters/fetch/index.js').withRetry;
  }

  async function retrying(doFetch: () => Promise<unknown>, policy: PolicyOptions): Promise<typeof fetch> {
    const world = createContext({ ...lesser });
    runInContext('delete globalThis.FinalizationRegistry', world);
    const code = await bundle("export { withRetry } from './src/adapters/fetch/index.ts'");
    const { withRetry } = runInContext(`${code}; entry`, world) as Used;
    return withRetry(doFetch as typeof fetch, { ...policy, schedule: { kind: 'fixed', waitMs: 1 } });
  }

  test('a failure is retried, and the last one reaches the caller', async () => {
    let calls = 0;
    const failure = new TypeError('Network request failed');
    const doFetch = (): Promise<never> => {
      calls += 1;
      return Promise.reject(failure);
    };
    const own = await retrying(doFetch, { maxRetries: 1, observe: () => undefined });
    await expect(own('https://user@a.example/')).rejects.toBe(failure);
    expect(calls).toBe(2);
  });

  test.each([{ attemptTimeoutMs: 60_000 }, { deadlineMs: 60_000, deadlineCovers: 'body' } as const])(
    'an answer is handed over, with %o',
    async (policy) => {
      const response = { status: 200, headers: new Headers(), body: {} };
      const own = await retrying(async () => response, policy);
      const { signal } = new AbortController();
      expect(await own('https://a.example/', { signal })).toBe(response);
    },
  );
});
