/** How long each wait may be: in numbers, and drawn beside them. */

import type { PolicyOptions } from '../../../../index.js';
import { defaultSettings, fillIn } from '../../../../internal.js';
import { waitText } from '../../numbers.js';
import type { Spread, Wait } from '../../waits.js';
import { waitsOf } from '../../waits.js';
import { drawing, element } from '../element.js';

/** More rows would not be read. */
const mostRows = 20;

export function waitsTable(policy: PolicyOptions): HTMLElement {
  const { schedule, maxRetries, deadlineMs } = fillIn(policy, defaultSettings());
  const waits = waitsOf(schedule, Math.min(maxRetries, mostRows));
  const longest = waits.at(-1)?.sumMs.longest ?? 0;
  const caption =
    maxRetries === 0
      ? 'No retries, no waits.'
      : `The wait before each retry by the schedule, without hints from the server${
          maxRetries > mostRows ? `: the first ${mostRows} of ${maxRetries}` : ''
        }`;
  const columns = ['Retry', 'Wait', 'Median', 'Since the first failure', 'Median', 'The same, drawn'];
  const head = columns.map((title) => element('th', { scope: 'col' }, title));
  const table = element(
    'table',
    { class: 'waits' },
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...waits.map((wait) => row(wait, longest, deadlineMs))),
  );
  return element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The waits' }, table);
}

function row({ retry, ms, sumMs }: Wait, longest: number, deadlineMs: number | undefined): HTMLElement {
  const isLate = deadlineMs !== undefined && sumMs.median >= deadlineMs;
  const late = isLate ? element('span', { class: 'mark' }, ' mostly after the deadline') : undefined;
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, String(retry)),
    element('td', {}, rangeText(ms)),
    element('td', {}, waitText(ms.median)),
    element('td', {}, rangeText(sumMs)),
    element('td', {}, waitText(sumMs.median)),
    element('td', { class: 'bar' }, bar(sumMs, longest), late),
  );
}

function rangeText({ shortest, longest }: Spread): string {
  return shortest === longest ? waitText(longest) : `${waitText(shortest)} to ${waitText(longest)}`;
}

const width = 160;

/** From the earliest moment to the latest, with the median marked. */
function bar({ shortest, median, longest }: Spread, whole: number): SVGSVGElement {
  const at = (ms: number): number => (whole === 0 ? 0 : (ms / whole) * (width - 4)) + 1;
  const span = { x: at(shortest), y: 6, width: Math.max(1, at(longest) - at(shortest)), height: 4 };
  return drawing(
    'svg',
    { width, height: 16, 'aria-hidden': 'true' },
    drawing('rect', { ...span, class: 'range' }),
    drawing('rect', { x: at(median), y: 1, width: 2, height: 14, class: 'median' }),
  );
}
