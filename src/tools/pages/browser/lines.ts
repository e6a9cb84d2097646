/** How the lines of a chart are told apart: by colour, and without colour by dashes and width. */

import { drawing } from './element.js';

export interface LineLook {
  /** A custom property of the page's style, which has other values in the dark. */
  readonly colour: `--line-${number}`;
  readonly dash: readonly number[];
  readonly width: number;
}

/**
 * Lines are drawn in this order: a wide one first, and dashes on top of it. Where lines coincide, the earlier ones
 * show beside the later ones and through their gaps.
 */
const strokes: readonly Pick<LineLook, 'dash' | 'width'>[] = [
  { dash: [], width: 4.5 },
  { dash: [14, 8], width: 2.5 },
  { dash: [3, 6], width: 2.5 },
  { dash: [], width: 1.5 },
  { dash: [10, 3, 2, 3], width: 2 },
  { dash: [1, 4], width: 2.5 },
];

/** After six, colours come again with other strokes. */
export function lineLook(index: number): LineLook {
  const round = Math.floor(index / strokes.length);
  const { dash, width } = strokes[(index + round) % strokes.length] ?? { dash: [], width: 2 };
  return { colour: `--line-${(index % strokes.length) + 1}`, dash, width };
}

/** A piece of the line, for a legend. */
export function swatch({ colour, dash, width }: LineLook): SVGSVGElement {
  const line = drawing('line', {
    x1: 0,
    y1: 5,
    x2: 30,
    y2: 5,
    stroke: `var(${colour})`,
    'stroke-width': width,
    'stroke-dasharray': dash.join(' '),
  });
  return drawing('svg', { width: 30, height: 10, 'aria-hidden': 'true', class: 'swatch' }, line);
}

/** A colour of the page's style, for a canvas. */
export function colourNow(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}
