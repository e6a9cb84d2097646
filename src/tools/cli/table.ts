/** Rows of text in columns that fit a width. */

import { stripVTControlCharacters } from 'node:util';

export interface Column {
  readonly title?: string;
  /** Default: `'left'`. Numbers stand to the right. */
  readonly align?: 'left' | 'right';
}

const gap = '  ';

/** Narrower columns of text are hard to read. */
const narrowest = 12;

/**
 * Lines without trailing spaces. Where they would be wider than `width`, words are wrapped: in the columns that are
 * aligned to the left, the widest first, and where that is not enough in the others. Cells may be painted.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number = Infinity,
): string[] {
  const titles = columns.map(({ title = '' }) => title);
  const all = titles.some((title) => title !== '') ? [titles, ...rows] : rows;
  const widths = fitted(columns, all, width);
  return all.flatMap((row) => lines(columns, row, widths));
}

function fitted(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const widest = (measure: (cell: string) => number): number[] =>
    columns.map((_, index) => Math.max(0, ...rows.map((row) => measure(row[index] ?? ''))));
  const natural = widest(widthOf);
  const words = widest(longestWord);
  const isLeft = columns.map(({ align }) => align !== 'right');
  const ofText = words.map((word, index) => (isLeft[index] ? Math.max(narrowest, word) : Infinity));
  const ofNumbers = words.map((word, index) => (isLeft[index] ? Infinity : word));
  return narrowed(narrowed(natural, ofText, width), ofNumbers, width);
}

/** Whether they have room; some words cannot be broken. */
export function fits(lines: readonly string[], width: number): boolean {
  return lines.every((line) => widthOf(line) <= width);
}

/** The widest gives way first, down to its least width. */
function narrowed(widths: readonly number[], least: readonly number[], width: number): readonly number[] {
  const narrower = [...widths];
  for (;;) {
    const excess = sum(narrower) + gap.length * (narrower.length - 1) - width;
    const yielding = narrower.map((wide, index) => (wide > (least[index] ?? 0) ? wide : 0));
    const widest = Math.max(0, ...yielding);
    if (excess <= 0 || widest === 0) return narrower;
    narrower[yielding.indexOf(widest)] = widest - 1;
  }
}

function longestWord(cell: string): number {
  return Math.max(...cell.split(' ').map(widthOf));
}

/** One row, as many lines as its tallest cell. */
function lines(columns: readonly Column[], row: readonly string[], widths: readonly number[]): string[] {
  const cells = columns.map((_, index) => wrap(row[index] ?? '', widths[index] ?? 0));
  const height = Math.max(1, ...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map(({ align }, index) => pad(cells[index]?.[line] ?? '', widths[index] ?? 0, align))
      .join(gap)
      .trimEnd(),
  );
}

/** At spaces; a word that is too long stays whole. */
export function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const wrapped: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      wrapped.push(line);
      line = word;
    } else line = longer;
  }
  return [...wrapped, line];
}

/** The lines after the first stand below its first word. */
export function wrapIndented(text: string, width: number): string[] {
  const [margin = ''] = /^ *(?:- )?/.exec(text) ?? [];
  const lines = wrap(text.slice(margin.length), width - margin.length);
  return lines.map((line, index) => (index === 0 ? margin : ' '.repeat(margin.length)) + line);
}

function pad(text: string, width: number, align: Column['align']): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? spaces + text : text + spaces;
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
