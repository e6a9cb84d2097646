import { expect, test } from 'vitest';
import type { HintSetName } from '../../../src/core/hints/sets.js';
import { bytesToRead, isHintedSuccess } from '../../../src/core/hints/worth-reading.js';
import type { HeadersLike } from '../../../src/core/types.js';
import { settingsOf } from '../../kit.js';

const json = { 'content-type': 'application/json; charset=utf-8' };
const graphql = { method: 'POST', path: '/graphql' };
const all = 16_384;

test.each<[string, number, HintSetName, number, HeadersLike, { method: string; path: string }]>([
  ['a 429', all, 'github', 429, {}, { method: 'GET', path: '/' }],
  ['a 403, where the vendor throttles with it', all, 'github', 403, {}, { method: 'GET', path: '/' }],
  ['a 403 elsewhere', 0, 'telegram', 403, {}, { method: 'GET', path: '/' }],
  ['a 404', 0, 'github', 404, {}, { method: 'GET', path: '/' }],
  ['a 503 for a set that reads none', 0, 'common', 503, {}, { method: 'GET', path: '/' }],
  ['the 200 of a GraphQL request', all, 'github', 200, json, graphql],
  ['and of another host’s path', all, 'github', 200, json, { method: 'post', path: '/api/graphql?x=1#y' }],
  ['and by a full URL', all, 'github', 200, json, { method: 'POST', path: 'https://api.github.com/graphql' }],
  [
    'and of another JSON',
    all,
    'github',
    200,
    { 'Content-Type': 'application/graphql-response+json' },
    graphql,
  ],
  ['in a Map', all, 'github', 200, new Map(Object.entries(json)), graphql],
  ['a GET', 0, 'github', 200, json, { method: 'GET', path: '/graphql' }],
  ['another path', 0, 'github', 200, json, { method: 'POST', path: '/repos/o/graphql/issues' }],
  ['a path in the query', 0, 'github', 200, json, { method: 'POST', path: '/x?to=/graphql' }],
  ['no JSON', 0, 'github', 200, { 'content-type': 'text/html' }, graphql],
  ['JSON as a parameter', 0, 'github', 200, { 'content-type': 'text/plain; a=b/json' }, graphql],
  ['no type', 0, 'github', 200, {}, graphql],
  ['a long one', 0, 'github', 200, { ...json, 'content-length': '16385' }, graphql],
  ['one that fits', all, 'github', 200, { ...json, 'content-length': '16384' }, graphql],
  ['a 201', 0, 'github', 201, json, graphql],
  ['Shopify’s', all, 'shopify', 200, json, { method: 'POST', path: '/admin/api/2026-01/graphql.json' }],
  ['not GitHub’s', 0, 'shopify', 200, json, graphql],
  ['one that is read by its head', 0, 'grpc-web', 200, json, graphql],
])('%s: %d bytes', (_, bytes, hints, status, headers, request) => {
  expect(bytesToRead(settingsOf({ hints }), request, status, headers)).toBe(bytes);
});

test.each<[string, number, HintSetName | readonly HintSetName[], number]>([
  ['by its head alone', 0, 'grpc-web', 200],
  ['by one set of two', 100, ['grpc-web', 'github'], 200],
  ['with 400, where problems of keys are told', 100, 'common', 400],
  ['with 399', 0, 'common', 399],
])('with a size of its own, an answer is read %s: %d bytes', (_, bytes, hints, status) => {
  expect(bytesToRead(settingsOf({ hints, bodyHintBytes: 100 }), graphql, status, json)).toBe(bytes);
});

test('nothing is read where nothing may be', () => {
  expect(bytesToRead(settingsOf({ hints: false }), graphql, 503, json)).toBe(0);
  const deaf = { ...settingsOf({ bodyHintBytes: 100 }), hints: undefined };
  expect(bytesToRead(deaf, graphql, 503, json)).toBe(0);
  expect(bytesToRead(settingsOf({ hints: 'github', bodyHintBytes: 0 }), graphql, 429, json)).toBe(0);
  expect(bytesToRead(settingsOf({ hints: false }), graphql, 429, json)).toBe(0);
});

test('a set may read every success with a status, or those of an endpoint', () => {
  const { hintedSuccesses } = settingsOf({ hints: ['grpc-web', 'github'] });
  const get = { method: 'GET', path: '/' };
  expect(isHintedSuccess(hintedSuccesses, get, 200)).toBe(true);
  expect(isHintedSuccess(hintedSuccesses, get, 204)).toBe(false);
  const { hintedSuccesses: github } = settingsOf({ hints: 'github' });
  expect(isHintedSuccess(github, get, 200)).toBe(false);
  expect(isHintedSuccess(github, graphql, 200)).toBe(true);
});
