/** Your policy: sliders, and the same policy as JSON. Each follows the other. */

import type { PolicyOptions } from '../../../../index.js';
import { element } from '../element.js';
import { controlPanel } from './control-panel.js';
import { policyText } from './policy-text.js';

export interface PolicyEditor {
  readonly root: HTMLElement;
  readonly copy: HTMLButtonElement;
  show(policy: PolicyOptions): void;
}

interface PolicyEditorEvents {
  /** The policy has changed, and can be used. */
  changed(policy: PolicyOptions): void;
  /** Whether the policy that is shown can be used. */
  judged(isSound: boolean): void;
  announce(text: string): void;
}

export function policyEditor({ changed, judged, announce }: PolicyEditorEvents): PolicyEditor {
  const panel = controlPanel((policy) => {
    if (show(policy)) changed(policy);
  });
  const edited = (policy: PolicyOptions): void => {
    panel.show(policy);
    changed(policy);
  };
  const text = policyText({ edited, judged, announce });
  const show = (policy: PolicyOptions): boolean => {
    panel.show(policy);
    return text.show(policy);
  };
  const root = element(
    'details',
    { class: 'policy' },
    element('summary', {}, element('h2', {}, 'Your policy')),
    panel.root,
    text.root,
  );
  openWhereThereIsRoom(root);
  return { root, copy: text.copy, show };
}

/** Open beside the charts. On a narrow screen it stands above them, and would push them out of sight. */
function openWhereThereIsRoom(details: HTMLDetailsElement): void {
  const wide = matchMedia('(min-width: 64rem)');
  details.open = wide.matches;
  wide.addEventListener('change', () => {
    details.open = wide.matches;
  });
}
