/** The policies to start from, by name. */

import type { PolicyOptions } from '../../../../index.js';
import { labelOf } from '../../../sim/internal.js';
import { element } from '../element.js';
import type { BeginningGroup } from './catalogue.js';

interface StartSelect {
  readonly root: HTMLSelectElement;
  /** Selects the name of this policy, if it has one. */
  show(policy: PolicyOptions): void;
}

export function startSelect(
  groups: readonly BeginningGroup[],
  started: (policy: PolicyOptions) => void,
): StartSelect {
  const beginnings = groups.flatMap((group) => group.beginnings);
  const own = element('option', { value: '', disabled: true }, 'a policy of your own');
  const offers = groups.map((group) =>
    element(
      'optgroup',
      { label: group.title },
      ...group.beginnings.map((one) =>
        element('option', { value: beginnings.indexOf(one) }, labelOf(one.name)),
      ),
    ),
  );
  const root = element('select', {}, own, ...offers);
  root.addEventListener('change', () => {
    const chosen = beginnings[Number(root.value)];
    if (chosen !== undefined) started(chosen.policy);
  });
  const show = (policy: PolicyOptions): void => {
    const json = JSON.stringify(policy);
    const isIt = (index: number): boolean => JSON.stringify(beginnings[index]?.policy) === json;
    // Two names may stand for the same policy: the selected one stays.
    if (root.value !== '' && isIt(Number(root.value))) return;
    const index = beginnings.findIndex((_, at) => isIt(at));
    root.value = index === -1 ? '' : String(index);
  };
  return { root, show };
}
