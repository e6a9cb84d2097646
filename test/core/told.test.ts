/** The request as functions are told it, whatever a client has as origin, path and headers. */

import { describe, expect, test } from 'vitest';
import { headerText, toldRequest } from '../../src/core/told.js';
import type { RequestFacts } from '../../src/core/types.js';

type Target = Pick<RequestFacts, 'origin' | 'path' | 'address'>;

function told({ origin, ...target }: Target) {
  const {
    method: _,
    keyed: __,
    header: ___,
    ...rest
  } = toldRequest({ method: 'GET', keyed: false, origin, ...target });
  return rest;
}

describe('where it goes', () => {
  const things = { origin: 'http://a.example', path: '/things?q=1', url: 'http://a.example/things?q=1' };

  test.each<[string, Target]>([
    ['a path with its query', { origin: 'http://a.example', path: '/things?q=1' }],
    [
      'an address that says more than the path',
      { origin: 'http://a.example', path: '/things', address: '/things?q=1' },
    ],
    ['an absolute URL', { origin: 'http://a.example', path: 'http://a.example/things?q=1' }],
    [
      'an absolute URL through a proxy',
      { origin: 'http://proxy.example:8080', path: 'http://a.example/things?q=1' },
    ],
    ['an absolute URL, and no origin', { origin: undefined, path: 'http://a.example/things?q=1' }],
    ['a fragment', { origin: 'http://a.example', path: 'http://a.example/things?q=1#part' }],
    ['dot segments in a URL', { origin: 'http://a.example', path: 'http://a.example/other/../things?q=1' }],
    ['an origin in another spelling', { origin: 'HTTP://A.example:80/', path: '/things?q=1' }],
    ['userinfo in the origin', { origin: 'http://user:secret@a.example', path: '/things?q=1' }],
    ['userinfo in a URL', { origin: undefined, path: 'http://user:secret@a.example/things?q=1' }],
  ])('%s', (_what, target) => {
    expect(told(target)).toMatchObject(things);
  });

  test('without an origin, the URL is the path', () => {
    expect(told({ origin: undefined, path: '/things?q=1' })).toMatchObject({
      origin: undefined,
      path: '/things?q=1',
      url: '/things?q=1',
    });
  });

  test.each<[string, Target, object]>([
    [
      'two slashes at the beginning of a path',
      { origin: 'http://a.example', path: '//b.example/x' },
      { path: '//b.example/x', url: 'http://a.example//b.example/x' },
    ],
    [
      'a path is sent as it is',
      { origin: 'http://a.example', path: '/a/../b/%7Ec' },
      { path: '/a/../b/%7Ec' },
    ],
    [
      'the target of CONNECT',
      { origin: 'http://proxy.example', path: 'a.example:443' },
      { path: 'a.example:443', url: 'http://proxy.example/a.example:443' },
    ],
    ['all of a server', { origin: 'http://a.example', path: '*' }, { path: '*', url: 'http://a.example/*' }],
    ['an origin that is no URL', { origin: 'pool one', path: '/x' }, { origin: 'pool one', path: '/x' }],
    [
      'content instead of an address',
      { origin: undefined, path: 'data:text/plain,x' },
      { origin: undefined, path: 'data:text/plain,x' },
    ],
    ['IPv6', { origin: undefined, path: 'http://[::1]:8080/x' }, { origin: 'http://[::1]:8080', path: '/x' }],
  ])('%s', (_what, target, expected) => {
    expect(told(target)).toMatchObject(expected);
  });
});

describe('what it is', () => {
  test('the method is in upper case', () => {
    expect(toldRequest({ method: 'patch', origin: undefined, path: '/', keyed: true })).toMatchObject({
      method: 'PATCH',
      keyed: true,
    });
  });

  test('a header by its name in any case, also without the object', () => {
    const asked: string[] = [];
    const { header } = toldRequest({
      method: 'GET',
      origin: undefined,
      path: '/',
      keyed: false,
      header: (name) => {
        asked.push(name);
        return 'seven';
      },
    });
    expect([header('X-Tenant'), asked]).toEqual(['seven', ['x-tenant']]);
  });

  test('no header is known where the client gives none', () => {
    expect(
      toldRequest({ method: 'GET', origin: undefined, path: '/', keyed: false }).header('x'),
    ).toBeUndefined();
  });

  test('it can be copied', () => {
    const request = toldRequest({ method: 'GET', origin: undefined, path: '/', keyed: false });
    expect(JSON.parse(JSON.stringify({ ...request }))).toEqual({
      method: 'GET',
      path: '/',
      url: '/',
      keyed: false,
    });
  });
});

test.each<[unknown, string | undefined]>([
  ['one', 'one'],
  [' one ', 'one'],
  ['', ''],
  [7, '7'],
  [['one', 'two'], 'one, two'],
  [[['one'], 'two'].flat(), 'one, two'],
  [Buffer.from('bytes'), 'bytes'],
  [undefined, undefined],
  [null, undefined],
  [false, undefined],
  [[], undefined],
  [[null, 'one'], 'one'],
])('the header %j is %j', (value, text) => {
  expect(headerText(value)).toBe(text);
});
