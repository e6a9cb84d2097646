/** The values in a field: several lines, or one line in which somebody joined them with commas. */

import { isWeekday } from './http-date.js';

/** The lines of one field; a single line is itself. */
export type Field = string | readonly string[];

export function linesOf(field: Field): readonly string[] {
  return typeof field === 'string' ? [field] : field;
}

/** A longer line is not taken apart: digits alone can be that long, and they have no comma. */
const longestList = 1_024;

/** `1,000` is a thousand or a list of 1 and 0: nobody knows, so nobody waits for it. */
const thousands = /\d,\d{3}(?!\d)/;

/** Without white space and empty elements. What is no list stays whole, and will not be a value. */
export function valuesOf(field: Field): readonly string[] {
  // By far the most frequent: one line, one value.
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
      // The comma after it belongs to a date.
      weekday = `${element},`;
    } else if (element !== '') {
      // What follows is as it was, so that `Tue,10 Mar` is still no date.
      elements.push(weekday === '' ? element : weekday + trimmedEnd(part));
      weekday = '';
    }
  }
  return elements;
}

function nonEmpty(value: string): readonly string[] {
  return value === '' ? [] : [value];
}

/** Without OWS (RFC 9110 5.6.3): space and tab, and nothing else that `trim` would take. */
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
