import { describe, expect, test } from 'vitest';
import type { Environment } from '../../../src/tools/cli/printer.js';
import { Printer } from '../../../src/tools/cli/printer.js';

function printer(stream: { isTTY?: boolean; columns?: number }, env: Environment = {}): Printer {
  return new Printer({ ...stream, write: () => {} }, env);
}

describe('colours', () => {
  const terminal = { isTTY: true };
  const pipe = {};

  test.each<[boolean, string, object, Environment]>([
    [true, 'on a terminal', terminal, {}],
    [false, 'in a pipe', pipe, {}],
    [false, 'with NO_COLOR', terminal, { NO_COLOR: '1' }],
    [false, 'with NO_COLOR, whatever it says', terminal, { NO_COLOR: '0' }],
    [true, 'with an empty NO_COLOR', terminal, { NO_COLOR: '' }],
    [true, 'in a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }],
    [true, 'in a pipe with FORCE_COLOR=true', pipe, { FORCE_COLOR: 'true' }],
    [false, 'with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }],
    [false, 'in a pipe with an empty FORCE_COLOR', pipe, { FORCE_COLOR: '' }],
    [false, 'with both', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }],
    [false, 'on a dumb terminal', terminal, { TERM: 'dumb' }],
  ])('%s %s', (isColoured, _, stream, env) => {
    const painted = printer(stream, env).paint('red', 'no');
    expect(painted).toBe(isColoured ? '\u001b[31mno\u001b[39m' : 'no');
  });
});

test.each<[number, object]>([
  [100, { isTTY: true, columns: 100 }],
  [80, { isTTY: true }],
  [80, { isTTY: true, columns: 0 }],
  [Infinity, {}],
  [Infinity, { columns: 100 }],
])('is %s wide as %j', (width, stream) => {
  expect(printer(stream).width).toBe(width);
});

describe('what a file says is shown on a terminal, and not obeyed', () => {
  test.each<[string, string, Environment]>([
    ['a\\u001b[2Jb\\u0007\\u009bc', 'a\u001b[2Jb\u0007\u009bc', {}],
    ['\\u0007[1m', '\u0007[1m', {}],
    ['a\tb\nc', 'a\tb\nc', {}],
    ['\u001b[1ma\u001b[22m', '\u001b[1ma\u001b[22m', {}],
    ['\\u001b[1ma', '\u001b[1ma', { NO_COLOR: '1' }],
  ])('%j', (shown, said, env) => {
    let written = '';
    const stream = {
      isTTY: true,
      write: (text: string) => {
        written += text;
      },
    };
    new Printer(stream, env).line(said);
    expect(written).toBe(`${shown}\n`);
  });
});

test.each<[number, string, string]>([
  [20, 'one two three four five', 'one two three four\nfive\n'],
  [20, '  - a list of words that goes on', '  - a list of words\n    that goes on\n'],
  [20, 'two\n  lines', 'two\n  lines\n'],
  [10, 'unbreakable-word', 'unbreakable-word\n'],
])('at %i columns, sentences are wrapped: %j', (columns, text, shown) => {
  let written = '';
  const stream = {
    isTTY: true,
    columns,
    write: (part: string) => {
      written += part;
    },
  };
  new Printer(stream, { NO_COLOR: '1' }).text(text, 'dim');
  expect(written).toBe(shown);
});
