import { describe, expect, test } from 'vitest';
import { table, wrap } from '../../../src/tools/cli/table.js';

describe('a table', () => {
  const columns = [{ title: 'policy' }, { title: 'req/s', align: 'right' }] as const;

  test('has columns as wide as what is in them, and no trailing spaces', () => {
    expect(
      table(
        [...columns, { title: '' }],
        [
          ['fixed', '470.1', 'wedged'],
          ['service, ours', '9', ''],
        ],
      ),
    ).toEqual(['policy         req/s', 'fixed          470.1  wedged', 'service, ours      9']);
  });

  test('has no line of titles where there are none', () => {
    expect(table([{}, {}], [['a', 'b']])).toEqual(['a  b']);
  });

  test('counts letters, not colours', () => {
    const red = '\u001b[31mno\u001b[39m';
    expect(
      table(
        [{}, {}],
        [
          [red, 'x'],
          ['fine', 'y'],
        ],
      ),
    ).toEqual([`${red}    x`, 'fine  y']);
  });

  test('wraps the words of its widest column where the place ends', () => {
    const rows = [
      ['--json', 'print everything as one object'],
      ['--out', 'a file'],
    ];
    expect(table([{}, {}], rows, 24)).toEqual([
      '--json  print everything',
      '        as one object',
      '--out   a file',
    ]);
  });

  test('never fits numbers in by cutting them, nor makes a column unreadable', () => {
    expect(table([{ align: 'right' }, { align: 'right' }], [['123456', '123456']], 5)).toEqual([
      '123456  123456',
    ]);
    expect(table([{}, {}], [['a', 'one two three four']], 4)).toEqual(['a  one two', '   three four']);
  });
});

test.each([
  ['one two three', 7, ['one two', 'three']],
  ['one two three', 99, ['one two three']],
  ['  indented', 99, ['  indented']],
  ['incomprehensibilities are', 5, ['incomprehensibilities', 'are']],
])('"%s" at %i', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});
