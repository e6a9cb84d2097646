/** The tables of tuned numbers: each number is there, and the test that holds it. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const tests = textsIn('test/core/limits').join('\n');

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('numbers.test.ts'))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8'));
}

/** They say how times are counted, and move nothing. */
const notTuned = ['firstMs', 'count', 'rounding', 'half', 'mask', 'price', 'forgottenAfterMs'];

describe.each([
  ['hold', 'state.ts'],
  ['latency', 'latency.ts'],
])('%s', (folder, file) => {
  const texts = textsIn(`src/core/limits/${folder}`);
  const table = readFileSync(`src/core/limits/${folder}/${file}`, 'utf8');
  const rows = [...table.matchAll(/^ \* \| `(\w+)` \| .+ \| '(.+)' \|$/gm)];
  const named = rows.map(([, name]) => name);

  test('each number is in the table', () => {
    const numbers = texts.flatMap((text) =>
      [...text.matchAll(/^(?:export )?const (\w+)(?:: \w+)? = (?:paceOf\(|-?\d|\d+ \*)/gm)].map(
        ([, name]) => name,
      ),
    );
    const tuned = numbers.filter((name = '') => !notTuned.includes(name));
    expect(tuned.length).toBeGreaterThan(10);
    expect(tuned.filter((name) => !named.includes(name))).toEqual([]);
  });

  test('the table names no other', () => {
    const code = texts.join('\n');
    const gone = named.filter(
      (name) => !new RegExp(`^(?:export )?(?:const|function) ${name}\\b`, 'm').test(code),
    );
    expect(gone).toEqual([]);
  });

  test.each(rows.map(([, name = '', title = '']) => [name, title] as const))(
    '%s is held by "%s"',
    (_, title) => {
      expect(tests.includes(title)).toBe(true);
    },
  );
});
