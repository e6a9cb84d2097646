/** The public API, written down so that a review sees every change of it. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as fetch from '../src/adapters/fetch/index.js';
import * as undici from '../src/adapters/undici/index.js';
import * as redis from '../src/fleet/redis/index.js';
import * as main from '../src/index.js';
import * as otel from '../src/otel/index.js';
import * as schemes from '../src/schemes.js';

test('undaunted exports what it promises, and nothing else', () => {
  expect(Object.keys(main).sort()).toEqual([
    'AttemptTimeoutError',
    'ConcurrencyError',
    'DeadlineError',
    'GateShutError',
    'HeldError',
    'PolicyError',
    'attempts',
    'createRetrier',
    'decide',
    'definePolicy',
    'explain',
    'historyOf',
    'parsePolicy',
    'presets',
    'readHint',
    'suppressRetries',
    'suppressWhenRetried',
  ]);
});

test('undaunted/undici exports what it promises, and nothing else', () => {
  expect(Object.keys(undici)).toEqual(['retry']);
});

test('undaunted/fetch exports what it promises, and nothing else', () => {
  expect(Object.keys(fetch)).toEqual(['withRetry']);
});

test('undaunted/otel exports what it promises, and nothing else', () => {
  expect(Object.keys(otel).sort()).toEqual(['instrument', 'resendCount']);
});

test('undaunted/schemes exports what it promises, and nothing else', () => {
  expect(Object.keys(schemes).sort()).toEqual([
    'afterExpiry',
    'afterRoundTrip',
    'attempts',
    'noRoundTrips',
    'roundTripTimeoutMs',
    'schemes',
  ]);
  expect(schemes.attempts).toBe(main.attempts);
});

test('undaunted/redis exports what it promises, and nothing else', () => {
  expect(Object.keys(redis)).toEqual(['redisFleet']);
});

const { exports, files, keywords } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | Record<string, string>>;
  files: readonly string[];
  keywords: readonly string[];
};

test.each(Object.entries(exports))(
  '%s is available as ES modules and as CommonJS, of which a process loads only one',
  (_, files) => {
    if (typeof files === 'string') {
      expect(files).toMatch(/^\.\/(package|dist\/schema)\.json$/);
      return;
    }
    const { default: esm = '' } = files;
    expect(esm).toMatch(/^\.\/dist\/[\w./-]+\.js$/);
    // The order matters: where `require` can load ES modules, it should, and so should bundlers, which would otherwise
    // include both.
    expect(Object.entries(files)).toEqual([
      ['module-sync', esm],
      ['module', esm],
      ['require', esm.replace('./dist/', './dist/cjs/')],
      ['default', esm],
    ]);
  },
);

test('the package includes the sources, their source maps and the docs; `test:package` follows the maps', () => {
  expect(files).toEqual(expect.arrayContaining(['dist', 'src', 'docs']));
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as {
    compilerOptions: object;
  };
  expect(compilerOptions).toMatchObject({ declarationMap: true, sourceMap: true });
});

test('its keywords are those that people search for', () => {
  expect(keywords).toEqual(
    expect.arrayContaining(['retry', 'fetch', 'undici', 'axios', 'retry-after', 'circuit-breaker']),
  );
});
