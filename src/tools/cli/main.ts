/** From the command line to an exit code: finds the command, runs it, and reports what went wrong. */

import { PolicyError } from '../../index.js';
import { didYouMean, readArguments } from './arguments.js';
import type { Command } from './command.js';
import { commands as ownCommands } from './commands.js';
import { exitCodes, Failure, Interruption } from './failure.js';
import { printHelp, printOverview } from './help.js';
import { manifest } from './installed.js';
import type { Io } from './io.js';
import { shown } from './shown.js';

/** `argv` begins with the command. */
export async function main(
  argv: readonly string[],
  io: Io,
  commands: readonly Command[] = ownCommands,
): Promise<number> {
  try {
    return await obey(argv, io, commands);
  } catch (error) {
    if (error instanceof Interruption) return error.exitCode;
    if (!(error instanceof Failure || error instanceof PolicyError)) throw error;
    io.stderr.text(`${io.stderr.paint('red', 'undaunted:')} ${error.message}`);
    return exitCodes.wrong;
  }
}

async function obey(argv: readonly string[], io: Io, commands: readonly Command[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === 'help') return obey([...rest, '--help'], io, commands);
  if (first === '--version' || first === '-v' || first === '-V') {
    io.stdout.line(manifest().version);
    return exitCodes.fine;
  }
  if (first === undefined || first === '--help' || first === '-h') {
    // No command is wrong usage, and the overview the best answer to it.
    const out = first === undefined ? io.stderr : io.stdout;
    printOverview(out, { group: '', commands, description: manifest().description });
    return first === undefined ? exitCodes.wrong : exitCodes.fine;
  }
  return serve(commandFor(argv, commands), argv, io);
}

async function serve(command: Command | CommandGroup, argv: readonly string[], io: Io): Promise<number> {
  if ('commands' in command) {
    const { group, commands } = command;
    const description = `The commands of "undaunted ${group}".`;
    printOverview(io.stdout, { group: `${group} `, commands, description });
    return exitCodes.fine;
  }
  const given = readArguments(command, argv.slice(wordsOf(command).length));
  if (given !== 'help') return command.run(given, io);
  printHelp(io.stdout, command);
  return exitCodes.fine;
}

// ---------------------------------------------------------------- which command

interface CommandGroup {
  readonly group: string;
  readonly commands: readonly Command[];
}

function commandFor(argv: readonly string[], commands: readonly Command[]): Command | CommandGroup {
  const found = commands.find((command) => wordsOf(command).every((word, index) => word === argv[index]));
  if (found !== undefined) return found;
  const [first = '', second = ''] = argv;
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && ['--help', '-h', 'help'].includes(second)) return { group: first, commands: group };
  const isHalf = group.length > 0 && (second === '' || second.startsWith('-'));
  if (isHalf) throw incomplete(first, group);
  throw group.length > 0 ? unknown(`${first} ${second}`, group, `${first} --help`) : unknown(first, commands);
}

function incomplete(group: string, commands: readonly Command[]): Failure {
  const names = commands.map(({ name }) => name.slice(group.length + 1)).join(', ');
  return new Failure(`"${group}" needs one of: ${names}. See: undaunted ${group} --help`);
}

function unknown(written: string, commands: readonly Command[], help = '--help'): Failure {
  const names = commands.map(({ name }) => name);
  const advice = `${didYouMean(written, names)} See: undaunted ${help}`.trimStart();
  return new Failure(
    `unknown ${written.startsWith('-') ? 'option' : 'command'} "${shown(written)}". ${advice}`,
  );
}

function wordsOf({ name }: Command): string[] {
  return name.split(' ');
}
