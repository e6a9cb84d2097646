import { expect, test } from 'vitest';
import { coincidenceNote } from '../../../src/tools/pages/coincidence.js';

const line = (name: string, ...values: readonly number[]) => ({ name, values });

test.each([
  ['no lines', [], undefined],
  ['one line', [line('a', 1, 2)], undefined],
  ['lines of which each can be seen', [line('a', 1, 2), line('b', 2, 2)], undefined],
  ['two that are the same', [line('a', 1, 2), line('b', 1, 2)], 'Same line: a, b.'],
  [
    'three that are the same',
    [line('none', 0, 0), line('b', 0, 0), line('c', 0, 0)],
    'Same line: none, b, c.',
  ],
  ['two of three that are the same', [line('a', 1, 2), line('b', 3, 2), line('c', 1, 2)], 'Same line: a, c.'],
  ['a common beginning', [line('a', 1, 2, 3), line('b', 1, 2, 4)], 'All lines are the same until 2 s.'],
  [
    'a short common beginning',
    [line('a', 1, ...new Array(20).fill(2)), line('b', 1, ...new Array(20).fill(3))],
    undefined,
  ],
  [
    'both',
    [line('a', 1, 2, 3), line('b', 1, 2, 4), line('c', 1, 2, 4)],
    'Same line: b, c. All lines are the same until 2 s.',
  ],
])('%s', (_, lines, note) => {
  expect(coincidenceNote(lines)).toBe(note);
});
