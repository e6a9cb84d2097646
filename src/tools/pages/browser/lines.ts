/** How the lines of a chart are told apart: by colour, and by dashes for who sees none. */

import { drawing } from './element.js';

export interface LineLook {
  /** A custom property of the page's style, which knows light from dark. */
  readonly colour: `--line-${number}`;
  readonly dash: readonly number[];
}

const dashes: readonly (readonly number[])[] = [[], [9, 4], [2, 3], [11, 3, 2, 3], [5, 3], [1, 4]];

/** After six, colours come again with other dashes. */
export function lineLook(index: number): LineLook {
  const round = Math.floor(index / dashes.length);
  const dash = dashes[(index + round) % dashes.length] ?? [];
  return { colour: `--line-${(index % dashes.length) + 1}`, dash };
}

/** A piece of the line, for a legend. */
export function swatch({ colour, dash }: LineLook): SVGSVGElement {
  const line = drawing('line', {
    x1: 0,
    y1: 5,
    x2: 30,
    y2: 5,
    stroke: `var(${colour})`,
    'stroke-width': 2.5,
    'stroke-dasharray': dash.join(' '),
  });
  return drawing('svg', { width: 30, height: 10, 'aria-hidden': 'true', class: 'swatch' }, line);
}

/** A colour of the page's style as a canvas takes it. */
export function colourNow(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}
