/** The numbers of a chart as a table, for readers who cannot see the chart or want the numbers. Made when it is opened. */

import { element } from './element.js';
import type { ChartSpec } from './plot.js';

interface SecondTable {
  readonly root: HTMLElement;
  update(spec: ChartSpec): void;
}

export function secondTable(first: ChartSpec): SecondTable {
  let spec = first;
  const place = element('div', {
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': captionOf(first),
  });
  const root = element('details', {}, element('summary', {}, 'Show as table'), place);
  const fill = (): void => {
    if (root.open) place.replaceChildren(tableOf(spec));
  };
  root.addEventListener('toggle', fill);
  const update = (next: ChartSpec): void => {
    spec = next;
    fill();
  };
  return { root, update };
}

function captionOf({ title, unit }: ChartSpec): string {
  return `${title}: ${unit}`;
}

function tableOf(spec: ChartSpec): HTMLTableElement {
  const shown = spec.lines.filter(({ isShown }) => isShown);
  const seconds = shown[0]?.values.length ?? 0;
  const names = shown.map(({ name }) => element('th', { scope: 'col' }, name));
  const rows = Array.from({ length: seconds }, (_, second) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, `${second} s`),
      ...shown.map(({ values }) => element('td', {}, spec.text(values[second] ?? 0))),
    ),
  );
  return element(
    'table',
    {},
    element('caption', {}, captionOf(spec)),
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Time'), ...names)),
    element('tbody', {}, ...rows),
  );
}
