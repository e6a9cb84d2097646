/** One chart: its heading, a legend with the values at the pointer, the drawing, and the same as a table. */

import { steer } from './chart-keys.js';
import { element, newId } from './element.js';
import { swatch } from './lines.js';
import type { ChartSpec, Line, Plot } from './plot.js';
import { makePlot } from './plot.js';
import { secondTable } from './second-table.js';
import type { TimeView } from './time-view.js';

export interface Chart extends Plot {
  readonly root: HTMLElement;
}

/** What all charts of a group share. */
export interface ChartSetting {
  readonly view: TimeView;
  announce(text: string): void;
  /** The element that says which keys there are. */
  readonly keysId: string;
}

export function makeChart(first: ChartSpec, { view, announce, keysId }: ChartSetting, height: number): Chart {
  let spec = first;
  const heading = element('h3', { id: newId() }, first.title, element('small', {}, first.unit));
  const legend = legendOf(first.lines);
  const names = { 'aria-labelledby': heading.id, 'aria-describedby': keysId };
  const area = element('div', { class: 'plot', tabindex: 0, role: 'group', ...names });
  const note = element('p', { class: 'hint' });
  const table = secondTable(first);
  const plot = makePlot(first, view, area, height);
  const stopListening = view.listen(() => legend.show(spec, view.second));
  area.addEventListener('keydown', (event) => {
    if (!steer(view, event)) return;
    event.preventDefault();
    announce(readOut(spec, view));
  });
  const showWords = (): void => {
    legend.show(spec, view.second);
    note.textContent = spec.note ?? '';
  };
  showWords();
  return {
    root: element('section', { class: 'chart' }, heading, legend.root, area, note, table.root),
    update: (next) => {
      spec = next;
      plot.update(spec);
      table.update(spec);
      showWords();
    },
    redraw: () => plot.redraw(),
    destroy: () => {
      stopListening();
      plot.destroy();
    },
  };
}

function legendOf(lines: readonly Line[]): {
  root: HTMLElement;
  show(spec: ChartSpec, second: number | undefined): void;
} {
  const values = lines.map(() => element('output', { class: 'value' }));
  const items = lines.map(({ name, look }, index) => element('li', {}, swatch(look), name, values[index]));
  const root = element('ul', { class: 'legend' }, ...items);
  const show = (spec: ChartSpec, second: number | undefined): void => {
    for (const [index, { values: series, isShown }] of spec.lines.entries()) {
      const item = items[index];
      const value = values[index];
      if (item === undefined || value === undefined) continue;
      item.hidden = !isShown;
      value.textContent = second === undefined ? '' : spec.text(series[second] ?? 0);
    }
  };
  return { root, show };
}

/** The second that the arrow keys have chosen, in words. */
function readOut({ lines, unit, text }: ChartSpec, { second, range }: TimeView): string {
  if (second === undefined) return `From ${range.from} s to ${range.to} s`;
  const values = lines
    .filter(({ isShown }) => isShown)
    .map(({ name, values: series }) => `${name} ${text(series[second] ?? 0)}`);
  return `${second} s: ${values.join(', ')} (${unit})`;
}
