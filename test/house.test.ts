/** Bounds on what `npm run house` counts, and that it does count it. */

import { describe, expect, test } from 'vitest';
import { houseRows, sourceOf, sourcesIn } from '../scripts/house.js';

const sources = sourcesIn('src');

/** None may grow; where a row falls, its bound falls with it. */
const bounds: readonly (readonly [string, number])[] = [
  ['classes that are only there for the one that extends them', 1],
  ['places that spell several limits', 0],
  ['files that import themselves through others', 0],
  ['files that name the hold, beside its own', 18],
  ['files that name the gate, beside its own', 18],
  ['files of at most 60 lines that one other imports', 8],
];

function found(name: string, planted: Readonly<Record<string, string>> = {}): readonly string[] {
  const more = Object.entries(planted).map(([path, text]) => sourceOf(path, text));
  return houseRows[name]?.([...sources, ...more]) ?? [];
}

test('each row has a bound', () => {
  expect(Object.keys(houseRows)).toEqual(bounds.map(([name]) => name));
});

describe('the house has at most', () => {
  test.each(bounds)('%s: %i', (name, most) => {
    expect(found(name).length, found(name).join('\n')).toBeLessThanOrEqual(most);
  });
});

describe('what is planted is found', () => {
  test.each<[string, Record<string, string>, number]>([
    [
      'classes that are only there for the one that extends them',
      { 'kernel/a.ts': 'class PlantedBase {}', 'kernel/b.ts': 'class Planted extends PlantedBase {}' },
      1,
    ],
    [
      'places that spell several limits',
      { 'kernel/a.ts': 'settings.gate === false && settings.hold === false' },
      1,
    ],
    [
      'files that import themselves through others',
      {
        'kernel/a.ts': "import type { B } from './b.js';",
        'kernel/b.ts': "import type { A } from './a.js';",
      },
      2,
    ],
    ['files that name the hold, beside its own', { 'kernel/a.ts': 'const { hold } = settings;' }, 1],
    ['files that name the hold, beside its own', { 'kernel/limits/hold.ts': 'class ScopeHold {}' }, 0],
    ['files that name the gate, beside its own', { 'kernel/a.ts': 'new ScopeGate(settings)' }, 1],
    [
      'files of at most 60 lines that one other imports',
      { 'kernel/a.ts': "import { b } from './b.js';", 'kernel/b.ts': 'export const b = 1;' },
      1,
    ],
  ])('%s', (name, planted, more) => {
    expect(found(name, planted)).toHaveLength(found(name).length + more);
  });
});
