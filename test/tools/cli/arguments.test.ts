import { describe, expect, test } from 'vitest';
import { readArguments } from '../../../src/tools/cli/arguments.js';
import type { Command } from '../../../src/tools/cli/command.js';

const command: Command = {
  name: 'try',
  summary: 'try out options',
  operands: { usage: '[file]…', least: 0, most: 9 },
  options: {
    json: { kind: 'flag', summary: '' },
    out: { kind: 'text', value: 'file', summary: '' },
    mode: { kind: 'text', value: 'mode', summary: '', default: 'fast' },
    policy: { kind: 'list', value: 'file', summary: '' },
    seed: { kind: 'integer', summary: '', default: 1, most: 9 },
    factor: { kind: 'number', summary: '', least: 1 },
    wait: { kind: 'duration', summary: '', default: 2_000, least: 10, most: 60_000 },
  },
  run: async () => 0,
};

const untouched = {
  json: false,
  out: undefined,
  mode: 'fast',
  policy: [],
  seed: 1,
  factor: undefined,
  wait: 2_000,
};

describe('options are read', () => {
  test.each<[string, object, readonly string[]]>([
    ['', {}, []],
    ['a b', {}, ['a', 'b']],
    ['--json a', { json: true }, ['a']],
    ['a --out=b.html', { out: 'b.html' }, ['a']],
    ['--out b.html a', { out: 'b.html' }, ['a']],
    ['--out=--odd', { out: '--odd' }, []],
    ['--out -', { out: '-' }, []],
    ['--json --json', { json: true }, []],
    ['--policy a --policy b', { policy: ['a', 'b'] }, []],
    ['--seed 9', { seed: 9 }, []],
    ['--factor 1.05', { factor: 1.05 }, []],
    ['--wait 250ms', { wait: 250 }, []],
    ['--wait 1.5', { wait: 1_500 }, []],
    ['--wait 1m', { wait: 60_000 }, []],
    ['-- --json', {}, ['--json']],
    ['-', {}, ['-']],
  ])('%s', (typed, options, operands) => {
    expect(readArguments(command, words(typed))).toEqual({ options: { ...untouched, ...options }, operands });
  });
});

describe('options are refused', () => {
  test.each<[string, string]>([
    ['--out', '--out needs a value: --out <file>'],
    ['--mode slow --mode exact', '--mode can be given only once.'],
    ['--seed 1 --seed 1', '--seed can be given only once.'],
    ['--out --json', '--out needs a value: --out <file>'],
    ['--out=', '--out needs a value: --out <file>'],
    ['--policy=', '--policy needs a value: --policy <file>'],
    ['--wait --json', '--wait needs a value: --wait <time>'],
    ['--json=yes', '--json takes no value, so leave out "=yes".'],
    ['--seed 1.5', '--seed is "1.5", but must be a whole number from 0 to 9.'],
    ['--seed 10', '--seed is "10", but must be a whole number from 0 to 9.'],
    ['--seed=', '--seed is "", but must be a whole number from 0 to 9.'],
    ['--seed -1', '--seed is "-1", but must be a whole number from 0 to 9.'],
    ['--factor 0.9', '--factor is "0.9", but must be a number, at least 1.'],
    ['--factor Infinity', '--factor is "Infinity", but must be a number, at least 1.'],
    ['--wait soon', '--wait is "soon", but must be a time such as 250ms, 2s or 1m, from 10 ms to 60 s.'],
    ['--wait 5ms', '--wait is "5ms", but must be a time such as 250ms, 2s or 1m, from 10 ms to 60 s.'],
  ])('%s', (typed, message) => {
    expect(() => readArguments(command, words(typed))).toThrow(message);
  });
});

test('a name that is empty, as an unset variable is, is missing', () => {
  expect(() => readArguments(command, ['a', ''])).toThrow(
    'an argument is missing. Usage: undaunted try [file]…',
  );
});

function words(typed: string): string[] {
  return typed.split(' ').filter((word) => word !== '');
}
