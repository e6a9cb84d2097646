/** The command line without a process: what was typed, what there is to read, and what came of it. */

import { Readable } from 'node:stream';
import type { Command } from '../../../src/tools/cli/command.js';
import { main } from '../../../src/tools/cli/main.js';
import type { Environment } from '../../../src/tools/cli/printer.js';
import { Printer } from '../../../src/tools/cli/printer.js';

export interface Surroundings {
  readonly stdin?: string;
  readonly env?: Environment;
  /** Both streams are terminals of this width; absent: pipes. */
  readonly columns?: number;
  /** Aborts what a command does; its reason is an `Interruption`. */
  readonly interruption?: AbortSignal;
  /** Instead of all that there are. */
  readonly commands?: readonly Command[];
}

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function undaunted(argv: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const {
    stdin = '',
    env = {},
    columns,
    interruption = new AbortController().signal,
    commands,
  } = surroundings;
  const written = { stdout: '', stderr: '' };
  const printer = (name: keyof typeof written): Printer =>
    new Printer(
      {
        write: (text) => {
          written[name] += text;
        },
        ...(columns === undefined ? {} : { isTTY: true, columns }),
      },
      env,
    );
  const io = {
    stdin: Readable.from([stdin]),
    stdout: printer('stdout'),
    stderr: printer('stderr'),
    interruption: () => interruption,
  };
  const exitCode = await main(argv, io, commands);
  return { exitCode, ...written };
}
