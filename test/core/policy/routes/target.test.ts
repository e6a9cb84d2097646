import { describe, expect, test } from 'vitest';
import { canonical, fold, originOf, pathOf, targetOf } from '../../../../src/core/policy/routes/target.js';

describe('originOf', () => {
  test.each([
    ['http://a.example', 'a.example', '80'],
    ['https://a.example', 'a.example', '443'],
    ['ws://a.example', 'a.example', '80'],
    ['WSS://A.EXAMPLE...', 'a.example', '443'],
    ['https://a.example:80', 'a.example', '80'],
    ['http://a.example:080/path?query', 'a.example', '80'],
    ['http://a.example:0', 'a.example', '0'],
    [' \thttp://a\n.example ', 'a.example', '80'],
    ['http://u@v:p@a.example', 'a.example', '80'],
    [`http://${'u'.repeat(5_000)}@a.example`, 'a.example', '80'],
    ['http://[1:0::0:2]:8080', '[1::2]', '8080'],
    ['http://%61.example', 'a.example', '80'],
  ])('%s', (text, host, port) => {
    expect(originOf(text)).toEqual({ host, port });
  });

  test.each([
    '',
    'a.example',
    'a.example:80',
    'null',
    'file:///a.example',
    'ahttp://a.example',
    'http:a.example',
    'http://',
    'http://.',
    'http://:80',
    'http://a.example:65536',
    'http://a b',
    'http://[::1',
  ])('%j is not an origin', (text) => {
    expect(originOf(text)).toBeUndefined();
  });

  test('a host that is too long for DNS is not an origin', () => {
    const name = `${'a'.repeat(62)}.`.repeat(4).slice(0, 251);
    expect(originOf(`http://${name}bc`)?.host).toHaveLength(253);
    expect(originOf(`http://${name}bc.`)?.host).toHaveLength(253);
    expect(originOf(`http://${name}bcd`)).toBeUndefined();
  });

  test('a host that is spelt longer than any valid one is not an origin', () => {
    const encoded = '%61'.repeat(252);
    expect(originOf(`http://${encoded}`)?.host).toBe('a'.repeat(252));
    // Dots at the end are the only way to spell a valid name so long.
    expect(originOf(`http://@a${'.'.repeat(1_022)}`)).toEqual({ host: 'a', port: '80' });
    expect(originOf(`http://@a${'.'.repeat(1_023)}`)).toBeUndefined();
  });
});

describe('pathOf', () => {
  test.each([
    ['', ''],
    ['/', ''],
    ['//', ''],
    ['/?a', ''],
    ['a', '/a'],
    ['/a/', '/a'],
    ['/a//', '/a'],
    ['/a/b?c/d#e', '/a/b'],
    ['/a/b#c?d', '/a/b'],
    ['/a?b?c', '/a'],
    ['/a/./b/../c', '/a/c'],
    ['/a//../b', '/a/b'],
    ['/a/b/..', '/a'],
    ['/..', ''],
    ['/...', '/...'],
    ['/a/.b', '/a/.b'],
    ['/a/..b', '/a/..b'],
    ['/a./b', '/a./b'],
    ['/%2e%2E/a', '/a'],
    ['/a%2fb', '/a%2Fb'],
    ['/a%5cb', '/a%5Cb'],
    ['/a\\b', '/a/b'],
    ['/%7e%41%30%5f', '/~A0_'],
    ['/%', '/%25'],
    ['/%4', '/%254'],
    ['/%%34%31', '/%2541'],
    ['/%00%7f%80%ff', '/%00%7F%80%FF'],
    ['/ä', '/%C3%A4'],
    ['/\u{1F600}', '/%F0%9F%98%80'],
    ['/\ud83d', '/%EF%BF%BD'],
    ['/\ud83da', '/%EF%BF%BDa'],
    ['/\ufffd', '/%EF%BF%BD'],
    ['/a b"<>^`{|}[]', '/a%20b%22%3C%3E%5E%60%7B%7C%7D%5B%5D'],
    ['/\u017f\u212a', '/%C5%BF%E2%84%AA'],
    ['\u0000 /a\u001f ', '/a'],
    ['/a\u00a0', '/a%C2%A0'],
    ['/a !', '/a%20!'],
    [' \t', ''],
    ['/\ta\nb\rc\u000bd', '/abc%0Bd'],
    ['/a ?b', '/a%20'],
  ])('%j is %j', (path, expected) => {
    expect(pathOf(path)).toBe(expected);
  });

  test('a usual path is used as it is', () => {
    const usual = "/v1/Users/a.b_c~d-e!$&'()*+,;=:@0";
    expect(pathOf(usual)).toBe(usual);
  });
});

describe('targetOf', () => {
  test.each([
    ['http://a.example', '/b?c', { origin: 'http://a.example', path: '/b' }],
    [undefined, '/http://a.example', { origin: undefined, path: '/http:/a.example' }],
    [undefined, 'b', { origin: undefined, path: '/b' }],
    [undefined, '\\\\a.example\\b', { origin: undefined, path: '/a.example/b' }],
    ['http://a.example', 'https://b.example/c/', { origin: 'https://b.example', path: '/c' }],
    ['http://a.example', ' wss://u:p@b.example:1?c', { origin: 'wss://u:p@b.example:1', path: '' }],
    ['http://a.example', 'HTTP:\\b.example\\c\\..\\d#e', { origin: 'HTTP:\\b.example', path: '/d' }],
    ['http://a.example', 'http:b', { origin: 'http://a.example', path: '/http:b' }],
    ['http://a.example', 'ftp://b', { origin: 'http://a.example', path: '/ftp:/b' }],
  ])('%j and %j', (origin, path, expected) => {
    expect(targetOf(origin, path)).toEqual(expected);
  });
});

describe('the parts that patterns share', () => {
  test('canonical leaves slashes alone', () => {
    expect(canonical('/%61/%2f//')).toBe('/a/%2F//');
  });

  test('fold keeps what stands for any segment', () => {
    expect(fold(['', undefined, '.', 'a', '', 'b', '..', undefined, ''])).toEqual([
      undefined,
      'a',
      undefined,
    ]);
    expect(fold([undefined, '..', '..', 'a'])).toEqual(['a']);
  });
});
