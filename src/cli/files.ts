/** Files that commands read and write, and in plain words why they cannot. */

import { readFile, writeFile } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { Failure } from './failure.js';

/** `advice`: what to do where there is no such file. */
export async function readText(file: string, advice: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = reasonOf(error, 'there is no such file');
    throw new Failure(`${file} cannot be read: ${why}. ${advice}`.trimEnd());
  }
}

/** `option` is the one that has named the file. */
export async function writeText(file: string, text: string, option: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const why = reasonOf(error, 'there is no such folder');
    throw new Failure(`${file} cannot be written: ${why}. Name another file with ${option}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'there is no such folder',
  EACCES: 'you are not allowed to',
};

/** Node's own message names the file and the code, too. */
function reasonOf(error: unknown, missing: string): string {
  const { code = '', errno = 0, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return missing;
  return reasons[code] ?? getSystemErrorMap().get(errno)?.[1] ?? message;
}
