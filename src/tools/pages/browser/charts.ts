/** All charts of a comparison, one for each number or one for each policy, and above them their common options. */

import { labelOf, outageOf } from '../../sim/internal.js';
import type { Comparison, Entry } from '../report.js';
import type { Chart, ChartSetting } from './chart.js';
import { makeChart } from './chart.js';
import { chartKeys } from './chart-keys.js';
import { element, newId } from './element.js';
import { specsByFigure, specsByPolicy } from './figures.js';
import { lineLook, swatch } from './lines.js';
import type { ChartSpec, Line } from './plot.js';
import { TimeView } from './time-view.js';
import { zoomControls } from './zoom-controls.js';

type Arrangement = 'figure' | 'policy';

/** Of the drawings, in pixels. */
const heights = { lead: 250, usual: 190 } as const;

/** New numbers update the charts in place; another scenario or other policies make new charts. */
export class Charts {
  readonly root: HTMLElement;
  readonly #view: TimeView = new TimeView(2);
  readonly #setting: ChartSetting;
  readonly #names: HTMLElement = element('div', { class: 'choices' });
  readonly #shading: HTMLElement = element('p', { class: 'hint' });
  readonly #grid: HTMLElement = element('div', { class: 'charts' });
  /** Where the first chart stands, apart from the others and larger; undefined: with the others. */
  readonly #lead: HTMLElement | undefined;
  readonly #hidden: Set<string> = new Set();
  #charts: readonly Chart[] = [];
  #arrangement: Arrangement = 'figure';
  #comparison: Comparison | undefined = undefined;
  #made = '';

  constructor(announce: (text: string) => void, lead?: HTMLElement) {
    this.#lead = lead;
    const keys = element('p', { class: 'hint', id: newId() }, `Drag across a chart to zoom. ${chartKeys}`);
    this.#setting = { view: this.#view, announce, keysId: keys.id };
    const arrangements = radios('One chart per', [
      ['figure', 'number'],
      ['policy', 'policy'],
    ]);
    arrangements.addEventListener('change', ({ target }) => {
      this.#arrangement = (target as HTMLInputElement).value as Arrangement;
      this.#draw();
    });
    const names = element('fieldset', {}, element('legend', {}, 'Policies shown'), this.#names);
    const options = element('div', { class: 'options' }, names, arrangements, zoomControls(this.#view));
    const above = element(
      'details',
      { class: 'above' },
      element('summary', {}, 'Chart options: zoom, policies, arrangement'),
      options,
      keys,
    );
    this.root = element('div', {}, element('div', { class: 'over' }, above, this.#shading), this.#grid);
    // A canvas does not follow the page's style by itself.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      for (const chart of this.#charts) chart.redraw();
    });
  }

  show(comparison: Comparison): void {
    this.#comparison = comparison;
    this.#draw();
  }

  #draw(): void {
    if (this.#comparison === undefined) return;
    const { scenario, entries } = this.#comparison;
    this.root.dataset['arrangement'] = this.#arrangement;
    const specs = this.#arrangement === 'figure' ? specsByFigure : specsByPolicy;
    const drawn = specs(this.#comparison, this.#hidden);
    this.#shading.hidden = drawn.every(({ shades }) => shades.length === 0);
    this.#shading.textContent = `Shaded: the ${outageOf(scenario)?.name ?? 'fault'}.`;
    // Where only numbers change, the charts keep their zoom and focus, and open tables stay open.
    const outline = JSON.stringify([scenario, drawn.map(({ title, lines }) => [title, lines.map(nameOf)])]);
    this.#view.restart(entries[0]?.run.series.offered.length ?? 0);
    if (outline === this.#made) {
      for (const [index, chart] of this.#charts.entries()) chart.update(drawn[index] as ChartSpec);
      return;
    }
    this.#made = outline;
    for (const chart of this.#charts) chart.destroy();
    const lead = this.#lead;
    this.#charts = drawn.map((spec, index) =>
      makeChart(spec, this.#setting, lead !== undefined && index === 0 ? heights.lead : heights.usual),
    );
    const roots = this.#charts.map(({ root }) => root);
    if (lead !== undefined) lead.replaceChildren(...roots.splice(0, 1));
    this.#grid.replaceChildren(...roots);
    this.#offerNames(entries);
  }

  #offerNames(entries: readonly Entry[]): void {
    const offers = entries.map(({ name }, index) => {
      const box = element('input', { type: 'checkbox', checked: !this.#hidden.has(name) });
      box.addEventListener('change', () => {
        if (box.checked) this.#hidden.delete(name);
        else this.#hidden.add(name);
        this.#draw();
      });
      return element('label', {}, box, swatch(lineLook(index)), labelOf(name));
    });
    // A checkbox that has just been used keeps the focus.
    if (!this.#names.contains(document.activeElement)) this.#names.replaceChildren(...offers);
  }
}

function nameOf({ name }: Line): string {
  return name;
}

function radios(title: string, choices: readonly (readonly [value: string, text: string])[]): HTMLElement {
  const group = newId();
  const labels = choices.map(([value, text], index) =>
    element('label', {}, element('input', { type: 'radio', name: group, value, checked: index === 0 }), text),
  );
  return element(
    'fieldset',
    {},
    element('legend', {}, title),
    element('div', { class: 'choices' }, ...labels),
  );
}
