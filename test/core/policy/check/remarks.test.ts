import { describe, expect, test } from 'vitest';
import type { MatchObject } from '../../../../src/core/policy/options.js';
import { definePolicy } from '../../../../src/parts/all.js';

function remarksOn(match: string | MatchObject) {
  return definePolicy({ rules: [{ match: '/before' }, { match }] }).remarks;
}

describe('a host without dot and port before a path', () => {
  test.each<[string, string, MatchObject]>([
    ['users/*', '/users/*', { host: 'users', path: '/*' }],
    ['mylocalhost/x', '/mylocalhost/x', { host: 'mylocalhost', path: '/x' }],
    ['localhosts/x', '/localhosts/x', { host: 'localhosts', path: '/x' }],
    ['users/', '/users/', { host: 'users', path: '/' }],
    ['api/v1/things', '/api/v1/things', { host: 'api', path: '/v1/things' }],
    ['POST,PUT users/:id', 'POST,PUT /users/:id', { methods: ['POST', 'PUT'], host: 'users', path: '/:id' }],
  ])('%s may be %s, or is %o', (match, path, object) => {
    const [remark, ...others] = remarksOn(match);
    expect(others).toEqual([]);
    expect(remark).toEqual({
      path: 'rules[1].match',
      says: `"${match}" means the path "${object.path}" on a host named "${object.host}"`,
      advice: `Write "${path}" for a path, or ${JSON.stringify(object)} for that host.`,
    });
    // The advised pattern gets no remark.
    expect(remarksOn(path)).toEqual([]);
    expect(remarksOn(object)).toEqual([]);
  });

  test.each([
    '/users/*',
    'users',
    'docker:8080/*',
    'api.example.com/*',
    '*.internal/*',
    'localhost/*',
    'LOCALHOST/x',
    '[::1]/*',
    'GET /users/*',
  ])('no remark on %s', (match) => {
    expect(remarksOn(match)).toEqual([]);
  });

  test('takes effect as written', () => {
    const policy = definePolicy({ rules: [{ match: 'docker/*', maxRetries: 1 }] });
    const request = { method: 'GET', origin: 'http://docker', path: '/x', keyed: false };
    expect(policy.ruleFor(request).index).toBe(0);
    expect(Object.isFrozen(policy.remarks)).toBe(true);
  });
});
