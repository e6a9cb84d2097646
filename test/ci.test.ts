/** The parts of CI are the same everywhere: in the scripts, in `.ci/run`, in the workflow and in what is counted. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(file, 'utf8');
const { scripts } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Part by part, what stands in its case. */
const cases = new Map(
  [...read('.ci/part').matchAll(/^ {2}(\w+)\)\n([\s\S]*?)^ {4};;/gm)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);

test('each part is a script, and the workflow and .ci/run play all of them', () => {
  const parts = [...cases.keys()];
  expect(parts).toHaveLength(5);
  expect(scripts).toMatchObject(
    Object.fromEntries(parts.map((part) => [`ci:${part}`, `bash .ci/part ${part}`])),
  );
  expect(read('.github/workflows/ci.yml')).toContain(`part: [${parts.join(', ')}]`);
  for (const part of parts.slice(1))
    expect(read('.ci/run')).toMatch(new RegExp(`^\\.ci/part ${part}\\b`, 'm'));
});

test('each suite belongs to one part, and is counted', () => {
  const slow = Object.keys(scripts).flatMap((name) => (name.startsWith('test:') ? [name.slice(5)] : []));
  expect(slow.length).toBeGreaterThan(8);
  const text = [...cases.values()].join('');
  for (const suite of slow) {
    expect(text.match(new RegExp(`suite ${suite}$|npm run test:${suite} `, 'gm')), suite).toHaveLength(1);
    expect(read('.ci/count.mjs')).toContain(`  '${suite}',\n`);
  }
});
