/** Who won and why: one sentence about all policies, and one about each. */

import { verdictOn } from '../../sim/internal.js';
import type { Comparison } from '../report.js';
import { element } from './element.js';
import { lineLook, swatch } from './lines.js';

export function verdictList(comparison: Comparison): HTMLElement {
  const { headline, policies } = verdictOn(comparison);
  const items = policies.map(({ label, judgement, sentence }, index) =>
    element(
      'li',
      { class: judgement },
      swatch(lineLook(index)),
      element('span', {}, element('strong', {}, `${label}: `), `${sentence}.`),
    ),
  );
  return element(
    'div',
    { class: 'verdict' },
    element('p', { class: 'headline' }, `${capitalized(headline)}.`),
    element('ul', {}, ...items),
  );
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
