import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Failure } from '../../src/cli/failure.js';
import { readText, writeText } from '../../src/cli/files.js';

const folder = mkdtempSync(join(tmpdir(), 'files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'file.txt');
writeFileSync(file, 'as it was');

test('what was written is read', async () => {
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
    const message = `${path} cannot be written: ${why}. Name another file with --svg.`;
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
