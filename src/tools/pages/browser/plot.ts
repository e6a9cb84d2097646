/** The drawing of a chart: lines over time, with the times of faults shaded. */

import uPlot from 'uplot';
import { valueText } from '../numbers.js';
import type { LineLook } from './lines.js';
import { colourNow } from './lines.js';
import type { TimeView } from './time-view.js';

export interface ChartSpec {
  readonly title: string;
  /** What the numbers count: part of the heading, of a table's caption, and of what a screen reader says. */
  readonly unit: string;
  /** For numbers of very different sizes. */
  readonly isLogarithmic?: boolean;
  /** Where the grid lines of a logarithmic scale may be. Default: powers of ten. */
  readonly ticks?: readonly number[];
  text(value: number): string;
  readonly lines: readonly Line[];
  readonly shades: readonly Shade[];
  /** What the drawing itself cannot show. */
  readonly note: string | undefined;
}

export interface Line {
  readonly name: string;
  readonly look: LineLook;
  /** By the second. */
  readonly values: readonly number[];
  readonly isShown: boolean;
}

/** The time of a fault or of a surge. */
export interface Shade {
  readonly fromMs: number;
  readonly forMs: number;
}

export interface Plot {
  /** Other numbers for the same lines. */
  update(spec: ChartSpec): void;
  /** In the page's present colours. */
  redraw(): void;
  destroy(): void;
}

/** Up to this many seconds, lines have their full width. */
const mostWide = 120;

/** Axes that end lower would count in fractions. */
const leastMost = 4;

const font = '12px system-ui, sans-serif';

export function makePlot(spec: ChartSpec, view: TimeView, area: HTMLElement, height: number): Plot {
  const plot = new uPlot({ ...optionsOf(spec, view), height }, columnsOf(spec), area);
  const showView = (): void => {
    const { min, max } = plot.scales['x'] ?? {};
    const { from, to } = view.range;
    if (min !== from || max !== to) plot.setScale('x', { min: from, max: to });
    point(plot, view.second);
  };
  const stopListening = view.listen(showView);
  const resizing = new ResizeObserver(() => fitTo(plot, area));
  resizing.observe(area);
  showView();
  return {
    update: (next) => {
      plot.setData(columnsOf(next));
      for (const [index, { isShown }] of next.lines.entries()) plot.setSeries(index + 1, { show: isShown });
      showView();
    },
    redraw: () => plot.redraw(),
    destroy: () => {
      stopListening();
      resizing.disconnect();
      plot.destroy();
    },
  };
}

function optionsOf(spec: ChartSpec, view: TimeView): Omit<uPlot.Options, 'height'> {
  const { lines, shades, isLogarithmic = false, text } = spec;
  const axis = {
    font,
    stroke: () => colourNow('--quiet'),
    grid: { stroke: () => colourNow('--grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: 320,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [view.range.from, view.range.to] },
      y: isLogarithmic
        ? { distr: 4, range: (_, __, most) => [0, Math.max(1, most)] }
        : { range: (_, __, most) => [0, Math.max(leastMost, most * 1.05)] },
    },
    axes: [
      { ...axis, size: 28, values: (_, splits) => splits.map((second) => `${valueText(second)} s`) },
      {
        ...axis,
        size: isLogarithmic ? 80 : 52,
        ...(isLogarithmic
          ? { splits: (_, __, ___, most) => gridOf(spec, most), filter: (_, splits) => splits }
          : {}),
        values: (_, splits) => splits.map(text),
      },
    ],
    series: [
      {},
      ...lines.map(({ name, look, isShown }) => ({
        label: name,
        show: isShown,
        stroke: () => colourNow(look.colour),
        width: look.width * thinner(lines),
        dash: [...look.dash],
        points: { show: false },
      })),
    ],
    cursor: { y: false, drag: { x: true, y: false, setScale: false } },
    hooks: {
      drawClear: [(plot) => shade(plot, shades, 'area')],
      drawAxes: [(plot) => shade(plot, shades, 'edges')],
      setCursor: [(plot) => view.point(plot.cursor.idx ?? undefined)],
      setSelect: [(plot) => takeSelection(plot, view)],
    },
  };
}

/** Wide lines of a long run would cover each other. */
function thinner([line]: readonly Line[]): number {
  return Math.min(1, mostWide / (line?.values.length ?? 1));
}

/** A few lines of a logarithmic scale. */
function gridOf({ ticks }: ChartSpec, most: number): number[] {
  return ticks === undefined ? decades(most) : ticks.filter((tick) => tick <= most);
}

/** A few powers of ten, and nothing between them. */
function decades(most: number): number[] {
  const step = Math.max(1, Math.ceil(Math.log10(most) / 5));
  const powers = Array.from({ length: 6 }, (_, index) => 10 ** (index * step));
  return [0, ...powers.slice(step === 1 ? 0 : 1).filter((power) => power <= most)];
}

function columnsOf({ lines }: ChartSpec): uPlot.AlignedData {
  const seconds = Array.from(lines[0]?.values ?? [], (_, second) => second);
  return [seconds, ...lines.map(({ values }) => [...values])];
}

/** The shade is drawn below the grid, and its edges above it, because some readers cannot see the shade. */
function shade({ ctx, bbox, valToPos }: uPlot, shades: readonly Shade[], part: 'area' | 'edges'): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colourNow(part === 'area' ? '--shade' : '--quiet');
  for (const { fromMs, forMs } of shades) {
    const [left, right] = [fromMs, fromMs + forMs].map((ms) => valToPos(ms / 1_000, 'x', true)) as [
      number,
      number,
    ];
    if (part === 'area') ctx.fillRect(left, bbox.top, right - left, bbox.height);
    else
      for (const edge of [left, right]) ctx.fillRect(Math.round(edge), bbox.top, uPlot.pxRatio, bbox.height);
  }
  ctx.restore();
}

function takeSelection(plot: uPlot, view: TimeView): void {
  const { left, width } = plot.select;
  if (width === 0) return;
  view.zoom({ from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') });
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function point(plot: uPlot, second: number | undefined): void {
  if ((plot.cursor.idx ?? undefined) === second) return;
  const left = second === undefined ? -10 : plot.valToPos(second, 'x');
  plot.setCursor({ left, top: second === undefined ? -10 : 0 }, false);
}

function fitTo(plot: uPlot, { clientWidth }: HTMLElement): void {
  if (clientWidth > 0 && clientWidth !== plot.width)
    plot.setSize({ width: clientWidth, height: plot.height });
}
