/** Reads the command line by a command's own table of options. */

import { parseArgs } from 'node:util';
import { nearest, timeText } from '../../internal.js';
import type { Command, Given, Option, OptionTable, Quantity } from './command.js';
import { parseDuration } from './duration.js';
import { Failure } from './failure.js';
import { shown } from './shown.js';

/** An option of every command. */
export const help: Option = { kind: 'flag', summary: 'print this help' };

type Written = string | boolean | undefined;

/** `'help'`: only help was asked for. */
export function readArguments(command: Command, argv: readonly string[]): Given | 'help' {
  const table: OptionTable = { ...command.options, help };
  const values = new Map<string, Written[]>();
  const operands: string[] = [];
  for (const token of tokensOf(table, argv)) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (option === undefined) throw unknownOption(command, token.rawName, Object.keys(table));
    const value = option.kind === 'flag' ? readFlag(token) : readWritten(option, token);
    values.set(token.name, [...(values.get(token.name) ?? []), value]);
  }
  if (values.has('help')) return 'help';
  checkOperands(command, operands);
  const options = Object.entries(command.options).map(([name, option]) => [
    name,
    settled(name, option, values.get(name) ?? []),
  ]);
  return { options: Object.fromEntries(options), operands };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Not strict: errors are reported here, in our own words. */
function tokensOf(table: OptionTable, argv: readonly string[]) {
  const options = Object.entries(table).map(([name, { kind }]) => [
    name,
    { type: kind === 'flag' ? 'boolean' : 'string', ...(name === 'help' ? { short: 'h' } : {}) } as const,
  ]);
  const config = { args: [...argv], options: Object.fromEntries(options), allowPositionals: true } as const;
  return parseArgs({ ...config, strict: false, tokens: true }).tokens;
}

function unknownOption({ name }: Command, written: string, known: readonly string[]): Failure {
  const advice = `${didYouMean(written, known.map(dashed))} See: undaunted ${name} --help`.trimStart();
  return new Failure(`unknown option ${written}. ${advice}`);
}

export function didYouMean(written: string, known: readonly string[]): string {
  const meant = nearest(written, known);
  return meant === undefined ? '' : `Did you mean ${meant}?`;
}

function readFlag({ rawName, value }: OptionToken): true {
  if (value !== undefined) throw new Failure(`${rawName} takes no value, so leave out "=${value}".`);
  return true;
}

function readWritten(
  option: Exclude<Option, { kind: 'flag' }>,
  { rawName, value, inlineValue }: OptionToken,
): string {
  // The value was forgotten and the next option took its place, or a shell variable was not set.
  const isMissing = value === undefined || (inlineValue !== true && value.startsWith('--'));
  const isName = option.kind === 'text' || option.kind === 'list';
  if (isMissing || (isName && value === ''))
    throw new Failure(`${rawName} needs a value: ${rawName} <${placeholder(option)}>`);
  return value;
}

/** What stands for the value in the help; nothing for a flag. */
export function placeholder(option: Option): string {
  if (option.kind === 'flag') return '';
  if (option.kind === 'text' || option.kind === 'list') return option.value;
  return option.kind === 'duration' ? 'time' : 'n';
}

function checkOperands({ name, operands }: Command, given: readonly string[]): void {
  const { usage, least, most } = operands ?? { usage: '', least: 0, most: 0 };
  const missing = given.includes('') ? given.indexOf('') : given.length;
  if (missing < Math.max(least, given.length)) {
    const what = usage.match(/<[^>]+>|\[[^\]]+\]/g)?.[missing] ?? 'an argument';
    throw new Failure(`${what} is missing. Usage: undaunted ${name} ${usage}`);
  }
  const [superfluous] = given.slice(most);
  if (superfluous === undefined) return;
  throw new Failure(
    `unexpected argument "${shown(superfluous)}". Usage: undaunted ${name} ${usage}`.trimEnd(),
  );
}

// ---------------------------------------------------------------- values

function settled(name: string, option: Option, written: readonly Written[]): unknown {
  const last = written.at(-1);
  if (written.length > 1 && option.kind !== 'flag' && option.kind !== 'list')
    throw new Failure(`${dashed(name)} can be given only once.`);
  switch (option.kind) {
    case 'flag':
      return last === true;
    case 'list':
      return written;
    case 'text':
      return last ?? option.default;
    default:
      return typeof last === 'string' ? quantity(name, option, last) : option.default;
  }
}

function quantity(name: string, option: Quantity, written: string): number {
  const { kind, least = 0, most = Infinity } = option;
  const value = kind === 'duration' ? parseDuration(written) : Number(written.trim() || Number.NaN);
  const isSound = value !== undefined && value >= least && value <= most && Number.isFinite(value);
  if (isSound && (kind !== 'integer' || Number.isInteger(value))) return value;
  throw new Failure(`${dashed(name)} is "${shown(written)}", but must be ${wanted(kind, least, most)}.`);
}

function wanted(kind: Quantity['kind'], least: number, most: number): string {
  const print = kind === 'duration' ? timeText : String;
  const what = { number: 'a number', integer: 'a whole number', duration: 'a time such as 250ms, 2s or 1m' }[
    kind
  ];
  if (Number.isFinite(most))
    return `${what}${kind === 'duration' ? ',' : ''} from ${print(least)} to ${print(most)}`;
  return least === 0 ? what : `${what}, at least ${print(least)}`;
}

export function dashed(name: string): string {
  return `--${name}`;
}
