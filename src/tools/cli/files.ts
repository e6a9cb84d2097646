/** Files that commands read and write, and in plain words why that failed. */

import { readFile, writeFile } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { Failure } from './failure.js';
import type { Io } from './io.js';
import { shown } from './shown.js';

/** `advice`: what to do where there is no such file. */
export function readText(file: string, advice: string): Promise<string> {
  return textOf(file, readFile(file), advice);
}

export function readStdin(stdin: Io['stdin']): Promise<string> {
  return textOf('stdin', bytesOf(stdin));
}

async function bytesOf(stream: Io['stdin']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

/** Strict, so that stray bytes do not become part of a name or a path. It drops the byte order mark of Windows editors. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

async function textOf(name: string, bytes: Promise<Uint8Array>, advice = ''): Promise<string> {
  try {
    return utf8.decode(await bytes);
  } catch (error) {
    throw new Failure(`${shown(name)} cannot be read: ${reasonOf(error)}. ${advice}`.trimEnd());
  }
}

/** `option` is the option that named the file. */
export async function writeText(file: string, text: string, option: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const why = reasonOf(error, 'there is no such folder');
    throw new Failure(`${file} cannot be written: ${why}. Choose another file with ${option}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'there is no such folder',
  EACCES: 'permission denied',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text; save it as UTF-8',
};

/** Node's own message names the file and the code, too. */
export function reasonOf(error: unknown, missing = 'there is no such file'): string {
  const { code = '', errno = 0, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return missing;
  return reasons[code] ?? getSystemErrorMap().get(errno)?.[1] ?? message;
}
