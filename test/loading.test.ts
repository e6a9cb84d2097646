/**
 * Edge runtimes, workers and browsers load us, too: no entry but undici's and Redis's asks the platform for anything while it
 * is loaded. Each is bundled and run where there is only the language and what the whole Web has.
 */

import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { suppressRetries } from '../src/index.js';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | { readonly default: string }>;
};

/** By the name of the entry; of undici, Node's streams are a part, and Redis is reached from where there are sockets. */
const sources: readonly (readonly [string, string])[] = Object.entries(exports).flatMap(([entry, files]) =>
  typeof files === 'string' || entry === './undici' || entry === './redis'
    ? []
    : [[entry, files.default.replace('./dist/', './src/').replace(/\.js$/, '.ts')]],
);

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.', loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'entry',
    target: 'es2022',
    // Nothing of Node's can be resolved.
    platform: 'browser',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

const web = { TextDecoder, TextEncoder, URL, clearTimeout, console, performance, setTimeout };

/** What is looked at while it is loaded, of what is not the language's own. */
function askedBy(code: string, among: readonly string[]): string[] {
  const asked: string[] = [];
  const world = createContext({ ...web });
  for (const name of among) {
    const get = (): undefined => void asked.push(name);
    Object.defineProperty(world, name, { get, configurable: true });
  }
  runInContext(`${code}; if (Object.keys(entry).length === 0) throw new Error('empty')`, world);
  return asked;
}

const platform = ['process', 'Buffer', 'require', 'module', 'navigator', 'window', 'self', 'Deno', 'Bun'];

describe('while it is loaded, nothing is asked of the platform', () => {
  test('by any entry of the package but two', () => {
    expect(sources.map(([entry]) => entry)).toEqual(
      expect.arrayContaining(['.', './axios', './otel', './sim']),
    );
  });

  test.each(sources)('by %s', async (_, file) => {
    const code = await bundle(`export * from '${file}'`);
    expect(code).not.toMatch(/\bimport\.meta\b/);
    expect(askedBy(code, platform)).toEqual([]);
  });

  test('and the test would see it', async () => {
    expect(askedBy(await bundle('export const here = typeof process'), platform)).toEqual(['process']);
    await expect(bundle("import { stringify } from 'node:querystring'; stringify()")).rejects.toThrow(
      /Could not resolve "node:querystring"/,
    );
  });
});

describe('where there is only the Web', () => {
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

  test('a request is judged, and what needs more says what it lacks', async () => {
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

  test('a stand-in for `process` that throws for what it lacks is no obstacle', async () => {
    const process = {
      get getBuiltinModule(): never {
        throw new Error('not supported in the Edge Runtime');
      },
    };
    expect((await run({ process })).action).toBe('retry');
  });

  test('an AsyncLocalStorage in the open is used, as edge runtimes have it', async () => {
    const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
    expect((await run({ AsyncLocalStorage })).missing[0]).toBe('done');
    expect(suppressRetries(() => 'here, too')).toBe('here, too');
  });
});
