/** The help texts, made of the commands' own tables. */

import { dashed, help as helpOption, placeholder } from './arguments.js';
import type { Command, Option } from './command.js';
import { printDuration } from './duration.js';
import type { Printer } from './printer.js';
import { table, wrap } from './table.js';

const exitCodes: readonly (readonly string[])[] = [
  ['0', 'fine; explain, waits and simulate only tell, whatever there is to tell'],
  ['1', 'the answer is no: check found problems, or the server of outage clients has not recovered'],
  ['2', 'wrong usage, or something that cannot be read or done; a policy with problems, except in check'],
  ['130', 'ended by Ctrl-C'],
];

const timeNote =
  'A <time> has a unit: 250ms, 2s, 1.5m, 1h. A number alone is seconds here (in a policy, times are in ms).';

export function printOverview(out: Printer, commands: readonly Command[], description: string): void {
  usage(out, '<command> [options]');
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
    ['--version', 'print the version'],
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

/** A pipe has no width of its own, but what is read in it has readers. */
const widest = 120;

/** What is indented is an example or a table, and a line by itself; the other lines are wrapped anew. */
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
  if (option.kind === 'list') return ' (may be given more than once)';
  if (option.kind === 'flag' || option.default === undefined) return '';
  const { default: value } = option;
  return ` (default: ${option.kind === 'duration' ? printDuration(value as number) : value})`;
}
