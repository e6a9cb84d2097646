/** Other programs, and what they say. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What it writes to stdout. */
export async function run(
  command: string,
  args: readonly string[],
  cwd = '.',
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  // Far more time than any of it takes: only what hangs is ended by it.
  const { stdout } = await execute(command, args, { cwd, env, timeout: 600_000, maxBuffer: 2 ** 26 });
  return stdout;
}

/** All that there is to read about a failure. */
export function outputOf(error: unknown): string {
  // The message of a command that failed contains what it wrote to stderr.
  const { stdout, message } = error as { stdout?: string; message: string };
  return [stdout, message].filter(Boolean).join('\n');
}
