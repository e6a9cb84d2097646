/** The compared policies, as JSON to copy. */

import { labelOf, policyNamed } from '../../sim/internal.js';
import type { Candidate, Entry } from '../report.js';
import { copyButton } from './copy-button.js';
import { element } from './element.js';

export function policiesList(entries: readonly Entry[], announce: (text: string) => void): HTMLElement {
  return element('div', { class: 'policies' }, ...entries.map((entry) => policyItem(entry, announce)));
}

function policyItem({ name, policy }: Candidate, announce: (text: string) => void): HTMLElement {
  const known = policy ?? policyNamed(name);
  if (known === undefined) {
    const words = 'Another library with its default options. It is code, so no policy describes it exactly.';
    return element('section', {}, element('h3', {}, labelOf(name)), element('p', {}, words));
  }
  const text = element(
    'pre',
    { tabindex: 0, 'aria-label': `${labelOf(name)} as JSON` },
    JSON.stringify(known, null, 2),
  );
  const button = copyButton(`Copy ${labelOf(name)}`, text, announce);
  return element('section', {}, element('h3', {}, labelOf(name)), text, button);
}
