/** Puts a report into the page that the build has made without one. */

import type { Report } from './report.js';

/** Where the data belong. */
export const dataPlace = '<!-- report -->';

export function fillTemplate(template: string, report: Report): string {
  const [before, after] = template.split(dataPlace);
  if (before === undefined || after === undefined) {
    throw new Error('The template of the report page is damaged: build or install undaunted again');
  }
  return `${before}<script type="application/json" id="report">${inScript(report)}</script>${after}`;
}

/** JSON that cannot end the element that it stands in, and is a single line for JavaScript as well. */
export function inScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
