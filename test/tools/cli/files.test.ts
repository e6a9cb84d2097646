import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { Failure } from '../../../src/tools/cli/failure.js';
import { readStdin, readText, writeText } from '../../../src/tools/cli/files.js';

const folder = mkdtempSync(join(tmpdir(), 'files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'file.txt');
writeFileSync(file, 'as it was');

test('a file is read as it was written', async () => {
  const other = join(folder, 'other.txt');
  await writeText(other, 'ä', '--out');
  expect(readFileSync(other, 'utf8')).toBe('ä');
  expect(await readText(other, '')).toBe('ä');
});

/** No file has a name as long as that. */
const long = join(folder, 'x'.repeat(300));

describe('why a file cannot be written is told once, with what to do', () => {
  test.each<[string, string]>([
    [join(folder, 'none', 'file.txt'), 'there is no such folder'],
    [join(file, 'file.txt'), 'there is no such folder'],
    [folder, 'it is a folder, not a file'],
    [long, 'name too long'],
  ])('%s: %s', async (path, why) => {
    const message = `${path} cannot be written: ${why}. Choose another file with --svg.`;
    await expect(writeText(path, '', '--svg')).rejects.toThrow(new Failure(message));
  });
});

describe('why a file cannot be read is told once, with what to do', () => {
  test.each<[string, string]>([
    [join(folder, 'none'), 'there is no such file'],
    [join(file, 'file.txt'), 'there is no such folder'],
    [folder, 'it is a folder, not a file'],
    [long, 'name too long'],
  ])('%s: %s', async (path, why) => {
    await expect(readText(path, 'Ask Ada.')).rejects.toThrow(
      new Failure(`${path} cannot be read: ${why}. Ask Ada.`),
    );
    await expect(readText(path, '')).rejects.toThrow(new Failure(`${path} cannot be read: ${why}.`));
  });
});

describe('text that is not UTF-8 is refused: corrected silently, it would be another name or path', () => {
  test.each<[string, Buffer]>([
    ['UTF-16, as Windows PowerShell writes it', Buffer.from('\uFEFF{}', 'utf16le')],
    ['Latin-1', Buffer.from('{ "rules": [{ "match": "/\u00fc" }] }', 'latin1')],
  ])('%s', async (_, bytes) => {
    const why = 'it is not UTF-8 text; save it as UTF-8';
    writeFileSync(file, bytes);
    await expect(readText(file, '')).rejects.toThrow(new Failure(`${file} cannot be read: ${why}.`));
    await expect(readStdin(Readable.from([bytes]))).rejects.toThrow(
      new Failure(`stdin cannot be read: ${why}.`),
    );
  });

  test('however stdin is cut into pieces', async () => {
    const pieces = [...Buffer.from('\u00e4\u20ac')].map((byte) => Buffer.of(byte));
    expect(await readStdin(Readable.from(pieces))).toBe('\u00e4\u20ac');
  });
});

test('a stdin that breaks off is told as a file is', async () => {
  const broken = new Readable({
    read() {
      this.destroy(Object.assign(new Error('EISDIR: illegal operation'), { code: 'EISDIR' }));
    },
  });
  await expect(readStdin(broken)).rejects.toThrow(
    new Failure('stdin cannot be read: it is a folder, not a file.'),
  );
});
