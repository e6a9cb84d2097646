/** Zooming by numbers: a chart can also be zoomed without a mouse. */

import { element } from './element.js';
import type { TimeView } from './time-view.js';

export function zoomControls(view: TimeView): HTMLElement {
  const from = secondInput();
  const to = secondInput();
  const whole = element('button', { type: 'button' }, 'All');
  const show = (): void => {
    from.value = String(view.range.from);
    to.value = String(view.range.to);
    for (const input of [from, to]) input.max = String(view.whole.to);
    whole.disabled = view.range.from === 0 && view.range.to === view.whole.to;
  };
  const take = (): void => {
    view.zoom({ from: from.valueAsNumber || 0, to: to.valueAsNumber || view.whole.to });
    show();
  };
  for (const input of [from, to]) input.addEventListener('change', take);
  whole.addEventListener('click', () => view.zoom(view.whole));
  view.listen(show);
  show();
  return element(
    'fieldset',
    {},
    element('legend', {}, 'Seconds'),
    element(
      'div',
      { class: 'choices' },
      element('label', {}, 'from ', from),
      element('label', {}, 'to ', to),
      whole,
    ),
  );
}

function secondInput(): HTMLInputElement {
  return element('input', { type: 'number', min: 0, step: 1, class: 'second' });
}
