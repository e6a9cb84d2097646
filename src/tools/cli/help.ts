/** Help texts, generated from the commands' own tables. */

import { timeText } from '../../internal.js';
import { dashed, help as helpOption, placeholder } from './arguments.js';
import type { Command, Option } from './command.js';
import type { Printer } from './printer.js';
import { table, wrap } from './table.js';

const exitCodes: readonly (readonly string[])[] = [
  ['0', 'success; explain, waits and simulate only inform, so they always succeed'],
  ['1', 'check found problems, or the server of outage clients did not recover'],
  ['2', 'wrong usage, a file that cannot be read or written, or an invalid policy (except in check)'],
  ['130', 'interrupted with Ctrl-C'],
];

const timeNote =
  'A <time> has a unit: 250ms, 2s, 1.5m, 1h. A number alone is in seconds (in a policy, times are in milliseconds).';

interface Overview {
  /** What comes before the command: `outage `, or nothing. */
  readonly group: string;
  readonly commands: readonly Command[];
  readonly description: string;
}

export function printOverview(out: Printer, { group, commands, description }: Overview): void {
  usage(out, `${group}<command> [options]`);
  section(out, description, []);
  section(
    out,
    heading(out, 'Commands'),
    rows(
      commands.map(({ name, summary }) => [name, summary]),
      out,
    ),
  );
  const options = [
    ['--help, -h', 'print this help, or that of a command'],
    ...(group === '' ? [['--version, -v', 'print the version']] : []),
  ];
  section(out, heading(out, 'Options'), rows(options, out));
  section(out, heading(out, 'Exit codes'), rows(exitCodes, out));
}

export function printHelp(out: Printer, { name, summary, operands, options, details }: Command): void {
  usage(out, `${name} ${operands === undefined ? '' : `${operands.usage} `}[options]`);
  section(out, `${summary[0]?.toUpperCase()}${summary.slice(1)}.`, []);
  const all = Object.entries({ ...options, help: helpOption }).map(([key, option]) => [
    `${dashed(key)}${key === 'help' ? ', -h' : ''} ${value(option)}`.trimEnd(),
    `${option.summary}${defaultOf(option)}`,
  ]);
  section(out, heading(out, 'Options'), rows(all, out));
  if (Object.values(options).some(({ kind }) => kind === 'duration')) section(out, timeNote, []);
  if (details === undefined) return;
  out.line();
  const width = Math.min(out.width, widest);
  for (const line of paragraphs(details).flatMap((text) => (isExample(text) ? text : wrap(text, width))))
    out.line(line);
}

/** A pipe has no width, but its output is read, too. */
const widest = 120;

/** Indented lines are examples or tables and stay as they are; the others are wrapped anew. */
function paragraphs(details: string): string[] {
  const texts: string[] = [];
  for (const line of details.trim().split('\n')) {
    const before = texts.at(-1) ?? '';
    if (line === '' || before === '' || isExample(line) || isExample(before)) texts.push(line);
    else texts.push(`${texts.pop()} ${line}`);
  }
  return texts;
}

function isExample(text: string): boolean {
  return text.startsWith(' ');
}

function usage(out: Printer, text: string): void {
  out.line(`${heading(out, 'Usage')} undaunted ${text}`);
}

function heading(out: Printer, text: string): string {
  return out.paint('bold', `${text}:`);
}

function section(out: Printer, title: string, lines: readonly string[]): void {
  out.line();
  out.line(wrap(title, out.width).join('\n'));
  for (const line of lines) out.line(`  ${line}`);
}

function rows(cells: readonly (readonly string[])[], out: Printer): string[] {
  return table([{}, {}], cells, out.width - 2);
}

function value(option: Option): string {
  return option.kind === 'flag' ? '' : `<${placeholder(option)}>`;
}

function defaultOf(option: Option): string {
  if (option.kind === 'list') return ' (can be repeated)';
  if (option.kind === 'flag' || option.default === undefined) return '';
  const { default: value } = option;
  return ` (default: ${option.kind === 'duration' ? timeText(value as number) : value})`;
}
