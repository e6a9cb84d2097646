/** Who won and why: one sentence about all policies, and one about each. */

import type { Verdict } from '../../sim/internal.js';
import { verdictOn } from '../../sim/internal.js';
import type { Comparison } from '../report.js';
import { element } from './element.js';
import { lineLook, swatch } from './lines.js';

/** `headline`: as a heading, where the verdict begins a page. */
export function verdictList(comparison: Comparison, headline: 'h2' | 'p' = 'p'): HTMLElement {
  const verdict = verdictOn(comparison);
  const items = verdict.policies.map(({ label, judgement, sentence }, index) =>
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
    element(headline, { class: 'headline' }, ...headlineParts(verdict)),
    element('ul', {}, ...items),
  );
}

/** The names of policies in elements of their own. */
function headlineParts(verdict: Pick<Verdict, 'headline' | 'policies'>): (string | HTMLElement)[] {
  const names = new Set(verdict.policies.map(({ label }) => label));
  // A name with a full stop or a comma behind it stays whole with it.
  return headlineText(verdict)
    .split(/(\s+)/)
    .map((word) => (names.has(word.replace(/[.,;:]$/, '')) ? element('span', {}, word) : word));
}

/** As a sentence of its own. A policy's name stays as it is written. */
export function headlineText({ headline, policies }: Pick<Verdict, 'headline' | 'policies'>): string {
  const isName = policies.some(({ label }) => headline.startsWith(label));
  return `${isName ? headline.charAt(0) : headline.charAt(0).toUpperCase()}${headline.slice(1)}.`;
}
