/** The public surface, written down: a change of it is seen in a review. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as undici from '../src/adapters/undici/index.js';
import * as main from '../src/index.js';
import * as otel from '../src/otel/index.js';

test('undaunted exports what it promises, and nothing else', () => {
  expect(Object.keys(main).sort()).toEqual([
    'AttemptTimeoutError',
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

test('undaunted/otel exports what it promises, and nothing else', () => {
  expect(Object.keys(otel).sort()).toEqual(['instrument', 'resendCount']);
});

test('every entry of the package is a plain path into dist', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, unknown>;
  };
  for (const [entry, file] of Object.entries(exports)) {
    expect(file).toMatch(entry === './package.json' ? /^\.\/package\.json$/ : /^\.\/dist\/[\w./-]+$/);
  }
});
