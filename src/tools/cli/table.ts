/** Rows of text in columns that fit the width of what they are printed on. */

import { stripVTControlCharacters } from 'node:util';

export interface Column {
  readonly title?: string;
  /** Default: `'left'`. Numbers stand to the right. */
  readonly align?: 'left' | 'right';
}

const gap = '  ';

/** A column that is narrower cannot be read. */
const narrowest = 12;

/**
 * Lines without trailing spaces. Where they would be wider than `width`, the words of the widest column that is
 * aligned to the left are wrapped. Cells may be painted.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number = Number.POSITIVE_INFINITY,
): string[] {
  const titles = columns.map(({ title = '' }) => title);
  const all = titles.some((title) => title !== '') ? [titles, ...rows] : rows;
  const widths = fitted(columns, naturalWidths(columns, all), width);
  return all.flatMap((row) => lines(columns, row, widths));
}

function naturalWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map((_, index) => Math.max(0, ...rows.map((row) => widthOf(row[index] ?? ''))));
}

function fitted(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const excess = sum(widths) + gap.length * (widths.length - 1) - width;
  const yielding = widestLeft(columns, widths);
  if (excess <= 0 || yielding === -1) return [...widths];
  return widths.map((natural, index) =>
    index === yielding ? Math.min(natural, Math.max(narrowest, natural - excess)) : natural,
  );
}

function widestLeft(columns: readonly Column[], widths: readonly number[]): number {
  const left = widths.map((width, index) => (columns[index]?.align === 'right' ? -1 : width));
  return left.indexOf(Math.max(0, ...left));
}

/** One row, of as many lines as its tallest cell. */
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
