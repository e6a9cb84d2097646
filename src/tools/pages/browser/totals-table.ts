/** The table of totals, with the best of each row marked in words, and remarks on it. */

import { labelOf } from '../../sim/internal.js';
import { remarksOn } from '../remarks.js';
import type { Comparison } from '../report.js';
import type { TotalsCell } from '../totals.js';
import { totalsRows } from '../totals.js';
import { element } from './element.js';

export function totalsTable(comparison: Comparison, caption: string): HTMLElement {
  const names = comparison.entries.map(({ name }) => element('th', { scope: 'col' }, labelOf(name)));
  const rows = totalsRows(comparison).map(({ title, cells }) =>
    element('tr', {}, element('th', { scope: 'row' }, title), ...cells.map(cellOf)),
  );
  const table = element(
    'table',
    { class: 'totals' },
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, element('td'), ...names)),
    element('tbody', {}, ...rows),
  );
  const scroll = element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    table,
  );
  const remarks = remarksOn(comparison).map((remark) => element('p', { class: 'hint' }, remark));
  return element('div', {}, scroll, ...remarks);
}

function cellOf({ text, isBest }: TotalsCell): HTMLElement {
  return isBest
    ? element('td', { class: 'best' }, text, ' ', element('span', { class: 'mark' }, 'best'))
    : element('td', {}, text);
}
