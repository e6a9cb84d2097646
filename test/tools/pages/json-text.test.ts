import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJsonText } from '../../../src/tools/pages/json-text.js';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('reads what JSON.parse reads, and nothing else', () => {
  test('any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJsonText(text)).toEqual({ kind: 'read', value: JSON.parse(text), twice: [] });
      }),
    );
  });

  const pieces = [
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      ' ',
      '\n',
      '\t',
      '"',
      '"a"',
      '"b"',
      '"\\n"',
      '"\\u0041"',
      '"\\x"',
      '"\\u12"',
    ],
    ...[
      '1',
      '-0',
      '01',
      '1.',
      '.5',
      '1e5',
      '1E+',
      '-',
      '+1',
      'true',
      'tru',
      'null',
      'nullx',
      'NaN',
      "'a'",
      '//',
    ],
    ...['"\u0001"', '"\u2028"', '\u00a0', '\ufeff', '"a":1', '{"a":[1]}', '[[]]', '"\ud800"', 'é', '\v'],
  ];

  test('any text', () => {
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(readJsonText(text).kind).toBe(parses(text) ? 'read' : 'fault');
      }),
      { numRuns: 5_000 },
    );
  });

  test('a value in which a character was put somewhere else', () => {
    const broken = fc
      .tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.constantFrom(...pieces))
      .map(([value, at, piece]) => {
        const text = JSON.stringify(value);
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        expect(readJsonText(text).kind).toBe(parses(text) ? 'read' : 'fault');
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('says where a fault is, and never what stands there', () => {
  test.each<[string, number, number, string]>([
    ['', 1, 1, 'a value is expected here'],
    ['{\n  "a": 3,\n}', 3, 1, 'a key in double quotes is expected here'],
    ['{ a: 1 }', 1, 3, 'a key in double quotes or "}" is expected here'],
    ['{ "a" 1 }', 1, 7, '":" is expected here'],
    ['{ "a": 1 "b": 2 }', 1, 10, '"," or "}" is expected here'],
    ['[1 2]', 1, 4, '"," or "]" is expected here'],
    ['[1,]', 1, 4, 'a value is expected here'],
    ['[1', 1, 3, '"," or "]" is expected here'],
    ['{ "a": hunter2 }', 1, 8, 'a value is expected here'],
    ['{ "a": 007 }', 1, 8, 'a value is expected here'],
    ['{}\r\n{}', 2, 1, 'the end of the text is expected here'],
    ['["hunter2', 1, 2, 'a text begins here that does not end in its line'],
    ['["hunter2\n"]', 1, 2, 'a text begins here that does not end in its line'],
    ['{"\\x": 1}', 1, 2, 'a text begins here that does not end in its line'],
    ['hunter2', 1, 1, 'a value is expected here'],
  ])('%j', (text, line, column, expected) => {
    const reading = readJsonText(text);
    expect(reading).toMatchObject({ kind: 'fault', line, column });
    expect(reading).toHaveProperty('expected', expect.stringContaining(expected));
    expect(JSON.stringify(reading)).not.toContain('hunter2');
  });
});

describe('a key that an object has twice', () => {
  test.each<[string, string, string]>([
    ['{ "a": 1,\n  "a": 2 }', 'a', 'line 2, column 3'],
    ['{ "a": 1, "\\u0061": 2 }', 'a', 'line 1, column 11'],
    ['{ "rules": [{}, { "b": 1, "b": { "c": 1 } }] }', 'rules[1].b', 'line 1, column 27'],
    ['{ "__proto__": 1, "__proto__": 2 }', '__proto__', 'line 1, column 19'],
    ['[{ "a b": 1, "a b": 1 }]', '[0]["a b"]', 'line 1, column 14'],
  ])('%j', (text, path, place) => {
    expect(readJsonText(text)).toMatchObject({
      kind: 'read',
      twice: [{ path, found: `the same key again, in ${place}`, allowed: 'each key once' }],
    });
  });

  test('in two objects is none', () => {
    const text = '{ "a": { "a": 1 }, "b": [{ "a": 1 }, { "a": 1 }] }';
    expect(readJsonText(text)).toMatchObject({ kind: 'read', twice: [] });
  });

  test('a great many times is reported a hundred times', () => {
    const text = `{${Array(100_000).fill('"a":1').join()}}`;
    const reading = readJsonText(text);
    expect(reading.kind === 'read' && reading.twice.length).toBe(100);
  });
});

describe('a hostile text', () => {
  test.each(['[', '{"a":', '[{"a":'])('%s, over and over, is a fault and no crash', (piece) => {
    const reading = readJsonText(piece.repeat(200_000));
    expect(reading).toMatchObject({ kind: 'fault', expected: 'it is nested deeper than 100 levels here' });
  });

  test('a hundred levels are not too many', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(readJsonText(nested(100)).kind).toBe('read');
    expect(readJsonText(nested(101)).kind).toBe('fault');
  });

  test('a text of ten million characters', () => {
    const value = 'x'.repeat(10_000_000);
    expect(readJsonText(JSON.stringify([value]))).toEqual({ kind: 'read', value: [value], twice: [] });
    expect(readJsonText(`["${value}`)).toMatchObject({ kind: 'fault', line: 1, column: 2 });
  });
});
