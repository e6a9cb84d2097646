/** One sentence per policy: what it did to the server and to its callers. */

import type { Comparison } from '../report.js';
import { element } from './element.js';
import { lineLook, swatch } from './lines.js';

export function verdictList({ entries }: Comparison): HTMLElement {
  const items = entries.map(({ name }, index) =>
    element('li', {}, swatch(lineLook(index)), element('span', {}, `${name} …`)),
  );
  return element('ul', { class: 'verdicts' }, ...items);
}
