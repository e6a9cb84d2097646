/** The public API, written down so that a review sees every change of it. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allEntries, libraryEntries, nameInDist, toolEntries } from '../scripts/entries.js';
import * as fetch from '../src/adapters/fetch/index.js';
import * as undici from '../src/adapters/undici/index.js';
import { hintSetNames } from '../src/core/hints/sets.js';
import * as redis from '../src/fleet/redis/index.js';
import * as main from '../src/index.js';
import * as lightAxios from '../src/light/axios.js';
import * as lightFetch from '../src/light/fetch.js';
import * as light from '../src/light/index.js';
import * as otel from '../src/otel/index.js';
import * as hints from '../src/parts/hints.js';
import * as parts from '../src/parts/index.js';
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

test('the light entries and the parts export what they promise, and nothing else', () => {
  expect(Object.keys(light).sort()).toEqual([
    'AttemptTimeoutError',
    'ConcurrencyError',
    'DeadlineError',
    'GateShutError',
    'HeldError',
    'PolicyError',
    'createRetrier',
    'definePolicy',
    'historyOf',
    'parsePolicy',
  ]);
  expect(Object.keys(lightFetch)).toEqual(['withRetry']);
  expect(Object.keys(lightAxios)).toEqual(['attachRetry']);
  expect(Object.keys(parts).sort()).toEqual([
    'adaptiveTimeout',
    'bodyDeadline',
    'channels',
    'check',
    'concurrency',
    'credentials',
    'evidence',
    'failures',
    'gate',
    'hedge',
    'hold',
    'hooks',
    'layers',
    'node',
    'overrides',
    'rules',
    'slidingWindow',
    'streamStart',
    'streams',
    'wholeAnswers',
  ]);
  // All but the two that are always there, and all vendors together, hints of one’s own, in bodies, and more dates.
  expect(Object.keys(hints)).toHaveLength(hintSetNames.length - 2 + 4);
  expect(light.PolicyError).toBe(main.PolicyError);
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

test('its exports are what is built, and two JSON files', () => {
  const { './schema.json': schema, './package.json': manifest, ...entries } = exports;
  expect([schema, manifest]).toEqual(['./dist/schema.json', './package.json']);
  expect(Object.keys(entries)).toEqual(expect.arrayContaining(Object.keys(allEntries)));
  expect(Object.keys(entries)).toHaveLength(Object.keys(allEntries).length);
});

test.each(Object.keys(libraryEntries))(
  '%s is available as ES modules and as CommonJS, of which a process loads only one',
  (entry) => {
    const esm = `./dist/${nameInDist(entry)}.js`;
    // The order matters: where `require` can load ES modules, it should, and so should bundlers, which would otherwise
    // include both.
    expect(Object.entries(exports[entry] ?? {})).toEqual([
      ['module-sync', esm],
      ['module', esm],
      ['require', esm.replace(/\.js$/, '.cjs')],
      ['default', esm],
    ]);
  },
);

test.each(Object.keys(toolEntries))('%s is available as ES modules, which Node can require', (entry) => {
  expect(exports[entry]).toEqual({ default: `./dist/${nameInDist(entry)}.js` });
});

test('the package includes what is built and the docs; `test:package` looks into the files', () => {
  expect(files).toEqual(expect.arrayContaining(['dist', 'docs']));
  expect(files).not.toContain('src');
});

test('its keywords are those that people search for', () => {
  expect(keywords).toEqual(
    expect.arrayContaining(['retry', 'fetch', 'undici', 'axios', 'retry-after', 'circuit-breaker']),
  );
});
