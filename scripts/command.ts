/** Runs other programs and reads their output. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Returns what the program writes to stdout. */
export async function run(
  command: string,
  args: readonly string[],
  cwd = '.',
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return (await finished(command, args, cwd, env)).stdout;
}

/** Returns what the program writes to stdout and to stderr. */
export function finished(
  command: string,
  args: readonly string[],
  cwd = '.',
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  // The timeout is far longer than any of them takes: it only ends programs that hang.
  return execute(command, args, { cwd, env, timeout: 1_800_000, maxBuffer: 2 ** 26 });
}

/** All output about a failure. */
export function outputOf(error: unknown): string {
  // The message of a command that failed contains what it wrote to stderr.
  const { stdout, message } = error as { stdout?: string; message: string };
  return [stdout, message].filter(Boolean).join('\n');
}
