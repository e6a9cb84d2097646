/** The values of a field: in several lines, or in one line that a client or a proxy has joined with commas. */

import { isWeekday } from './http-date.js';

/** The lines of one field. A single line may stand for itself. */
export type Field = string | readonly string[];

export function linesOf(field: Field): readonly string[] {
  return typeof field === 'string' ? [field] : field;
}

/** A longer line is not split. */
const longestList = 1_024;

/** `1,000` may be a thousand or a list of 1 and 0, so it is not a value. */
const thousands = /\d,\d{3}(?!\d)/;

/**
 * The values without white space and empty elements. A line that is not split stays whole, and will not be a valid
 * value.
 */
export function valuesOf(field: Field): readonly string[] {
  // By far the most frequent case is one line with one value.
  if (typeof field === 'string' && !field.includes(',')) return nonEmpty(trimmed(field));
  return linesOf(field).flatMap(elementsOf);
}

function elementsOf(line: string): readonly string[] {
  if (!line.includes(',') || line.length > longestList || thousands.test(line))
    return nonEmpty(trimmed(line));
  const elements: string[] = [];
  let weekday = '';
  for (const part of line.split(',')) {
    const element = trimmed(part);
    if (isWeekday(element)) {
      // The comma after a weekday belongs to a date.
      weekday = `${element},`;
    } else if (element !== '') {
      // The rest keeps its leading space, so that `Tue,10 Mar` is still not a date.
      elements.push(weekday === '' ? element : weekday + trimmedEnd(part));
      weekday = '';
    }
  }
  return elements;
}

function nonEmpty(value: string): readonly string[] {
  return value === '' ? [] : [value];
}

/** Removes OWS (RFC 9110 5.6.3), which is space and tab, and nothing else that `trim` would remove. */
export function trimmed(text: string): string {
  let start = 0;
  while (isOws(text, start)) start++;
  return trimmedEnd(text, start);
}

function trimmedEnd(text: string, start = 0): string {
  let end = text.length;
  while (end > start && isOws(text, end - 1)) end--;
  return text.slice(start, end);
}

function isOws(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
