/** Which answers wait for their bodies, and for how long. */

import { describe, expect, test } from 'vitest';
import { bytesToAwait, isOfOtherLength, msToAwait } from '../../../src/core/decide/whole.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Settings } from '../../../src/core/policy/settings.js';
import { defaultSettings, fillIn } from '../../../src/parts/all.js';

const limit = 1_000;

function settingsOf(options: PolicyOptions = {}): Settings {
  return fillIn({ wholeBodyBytes: limit, ...options }, defaultSettings());
}

function held(
  headers: Readonly<Record<string, string>>,
  status = 200,
  method = 'GET',
  options?: PolicyOptions,
) {
  const settings = settingsOf(options);
  const bytes = bytesToAwait(settings, { method, path: '/' }, status, headers);
  expect(bytesToAwait(settings, { method, path: '/' }, status, new Headers(headers))).toBe(bytes);
  return bytes;
}

describe('waits for its body', () => {
  test.each([
    ['without a type', {}],
    ['JSON', { 'content-type': 'application/json; charset=utf-8' }],
    ['problem JSON', { 'content-type': 'application/problem+json' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['as long as the limit', { 'content-length': '1000' }],
    ['with a length that is none', { 'content-length': 'x' }],
  ])('an answer %s', (_what, headers) => {
    expect(held(headers)).toBe(limit);
  });

  test.each([200, 201, 203, 206, 301, 400, 404, 410, 501])('a %s', (status) => {
    expect(held({}, status)).toBe(limit);
  });

  test.each(['POST', 'get', 'QUERY'])('%s', (method) => {
    expect(held({}, 200, method)).toBe(limit);
  });
});

describe('is handed over at once', () => {
  test.each([
    'text/event-stream',
    'Text/Event-Stream;charset=utf-8',
    'application/x-ndjson',
    'application/ndjson; charset=utf-8',
    'application/jsonl',
    'application/x-jsonlines',
    'application/json-lines',
    'application/json-seq',
    'application/geo+json-seq',
    'application/stream+json',
    'text/x-ndjson',
    'multipart/x-mixed-replace; boundary=frame',
    'multipart/mixed; boundary="-"; deferSpec=20220824',
    'application/vnd.amazon.eventstream',
    'application/grpc-web+proto',
    'application/grpc',
    'application/connect+json',
  ])('%s', (type) => {
    expect(held({ 'content-type': type })).toBe(0);
  });

  test('an answer that is longer than the limit, or empty', () => {
    expect(held({ 'content-length': '1001' })).toBe(0);
    expect(held({ 'content-length': '0' })).toBe(0);
  });

  test.each([100, 103, 204, 205, 304])('a %s, which has no content', (status) => {
    expect(held({}, status)).toBe(0);
  });

  test.each(['HEAD', 'head'])('an answer to %s', (method) => {
    expect(held({}, 200, method)).toBe(0);
  });

  test('a status that is retried: its head is enough', () => {
    expect(held({}, 503)).toBe(0);
    expect(held({}, 503, 'GET', { statuses: [500] })).toBe(limit);
  });

  test('where it is off, or nothing would follow', () => {
    expect(held({}, 200, 'GET', { wholeBodyBytes: 0 })).toBe(0);
    expect(held({}, 200, 'GET', { maxRetries: 0 })).toBe(0);
    expect(held({}, 200, 'GET', { maxRetries: 0, hedge: true })).toBe(limit);
  });
});

test('waits as long as the settings say, and not longer than an attempt may take', () => {
  expect(msToAwait(settingsOf())).toBe(500);
  expect(msToAwait(settingsOf({ wholeBodyMs: 50 }))).toBe(50);
  expect(msToAwait(settingsOf({ attemptTimeoutMs: 300 }))).toBe(300);
  expect(msToAwait(settingsOf({ attemptTimeoutMs: 3_000 }))).toBe(500);
});

test('a length is compared where nothing was decoded', () => {
  expect(isOfOtherLength({ 'content-length': '5' }, 5)).toBe(false);
  expect(isOfOtherLength({ 'content-length': '5' }, 4)).toBe(true);
  expect(isOfOtherLength({ 'content-length': '5' }, 6)).toBe(true);
  expect(isOfOtherLength({ 'content-length': '5', 'content-encoding': 'gzip' }, 60)).toBe(false);
  expect(isOfOtherLength({ 'content-length': '5', 'content-encoding': 'identity' }, 6)).toBe(true);
  expect(isOfOtherLength({}, 6)).toBe(false);
  expect(isOfOtherLength(undefined, 6)).toBe(false);
});

describe('a success that hints of your own look into', () => {
  const row = { at: '/busy', means: 'transient' } as const;
  const options: PolicyOptions = {
    wholeBodyBytes: 0,
    hints: { name: 'acme', statuses: [200, 403], body: [row] },
  };
  const json = { 'content-type': 'application/json' };

  test.each<[string, number, Readonly<Record<string, string>>, number, PolicyOptions]>([
    ['waits as far as they look', 16_384, json, 200, {}],
    ['waits as far as bodyHintBytes says', 100, json, 200, { bodyHintBytes: 100 }],
    ['waits as whole answers do, if they are on', limit, json, 200, { wholeBodyBytes: limit }],
    ['does not wait if it is no JSON', 0, { 'content-type': 'text/html' }, 200, {}],
    ['does not wait with another status', 0, json, 201, {}],
    ['is a failure, which waits for its hint alone', 0, json, 403, {}],
  ])('%s: %d bytes', (_what, bytes, headers, status, more) => {
    expect(held(headers, status, 'POST', { ...options, ...more })).toBe(bytes);
  });
});
