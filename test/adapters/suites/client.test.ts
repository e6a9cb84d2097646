/** Checks that each run of the matrix tests the client that it asked for, and no other. */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { theSubject } from './subject.js';

const { name: folder, underTest } = await theSubject();
const { name } = underTest;
const ownFolder = join(import.meta.dirname, `../${folder}`);

test('the client under test is the one that was asked for', () => {
  const root = process.env[`${name.toUpperCase()}_UNDER_TEST`] ?? process.cwd();
  const load = createRequire(join(root, 'package.json'));
  const manifest = readFileSync(join(root, `node_modules/${name}/package.json`), 'utf8');
  expect(underTest.version).toBe((JSON.parse(manifest) as { version: string }).version);
  expect(underTest.is(load(name))).toBe(true);
});

test('no file of its folder imports the client itself, except for its types', () => {
  const sources = readdirSync(ownFolder).filter((file) => file.endsWith('.ts'));
  expect(sources).toContain('client.ts');
  expect(sources.filter((file) => imports(readFileSync(join(ownFolder, file), 'utf8')))).toEqual([]);
});

test.each([
  `import client from '${name}';`,
  `import { Agent } from '${name}';`,
  `import {\n  Agent,\n  type Dispatcher,\n} from '${name}';`,
  `import client, {\n  Agent,\n  type Dispatcher,\n} from '${name}';`,
])('… such as: %s', (code) => {
  expect(imports(code)).toBe(true);
});

function imports(code: string): boolean {
  return new RegExp(`^import (?!type\\b)[^;]*? from '${name}'`, 'm').test(code);
}
