/** The sliders, switches and choices of the lab. */

import type { PolicyOptions, Settings } from '../../../../index.js';
import { defaultSettings, fillIn } from '../../../../internal.js';
import { element, newId } from '../element.js';
import type { Choice, ControlGroup, Slider } from './control.js';
import { controlGroups } from './controls.js';

interface ControlPanel {
  readonly root: HTMLElement;
  /** Takes a policy whose structure is sound. */
  show(policy: PolicyOptions): void;
}

interface Part {
  readonly root: HTMLElement;
  show(settings: Settings): void;
}

/** Makes another policy out of the one that is shown. */
type Change = (change: (policy: PolicyOptions) => PolicyOptions) => void;

export function controlPanel(changed: (policy: PolicyOptions) => void): ControlPanel {
  let shown: PolicyOptions = {};
  const parts = controlGroups.map((group) => groupPart(group, (change) => changed(change(shown))));
  const show = (policy: PolicyOptions): void => {
    shown = policy;
    const settings = fillIn(policy, defaultSettings());
    for (const part of parts) part.show(settings);
  };
  return { root: element('div', { class: 'controls' }, ...parts.map(({ root }) => root)), show };
}

function groupPart(group: ControlGroup, change: Change): Part {
  const { title, switch: onOff, controls } = group;
  const parts = controls.map((control) =>
    control.kind === 'slider' ? sliderPart(control, change) : choicePart(control, change),
  );
  const box = element('input', { type: 'checkbox' });
  box.addEventListener('change', () => change((policy) => onOff?.turn(policy, box.checked) ?? policy));
  const legend = onOff === undefined ? title : element('label', {}, box, title);
  const root = element('fieldset', {}, element('legend', {}, legend), ...parts.map((part) => part.root));
  const show = (settings: Settings): void => {
    box.checked = onOff?.isOn(settings) ?? true;
    for (const part of parts) part.show(settings);
  };
  return { root, show };
}

function sliderPart(slider: Slider, change: Change): Part {
  const id = newId();
  let stops: readonly number[] = slider.stops;
  const input = element('input', { type: 'range', id, min: 0, step: 1 });
  const output = element('output', { for: id });
  const label = element('div', { class: 'label' }, element('label', { for: id }, slider.label), output);
  input.addEventListener('input', () => {
    const value = stops[input.valueAsNumber];
    if (value !== undefined) change((policy) => slider.move(policy, value));
  });
  const root = element('div', { class: 'control' }, label, input);
  const show = (settings: Settings): void => {
    const value = slider.value(settings);
    root.hidden = value === undefined;
    if (value === undefined) return;
    stops = [...new Set([...slider.stops, value])].sort((one, other) => one - other);
    input.max = String(stops.length - 1);
    input.value = String(stops.indexOf(value));
    input.ariaValueText = slider.text(value);
    output.textContent = slider.text(value);
  };
  return { root, show };
}

function choicePart({ label, offers, value, choose }: Choice, change: Change): Part {
  const id = newId();
  const select = element('select', { id });
  select.addEventListener('change', () => change((policy) => choose(policy, select.value)));
  const root = element('div', { class: 'control' }, element('label', { for: id }, label), select);
  const show = (settings: Settings): void => {
    const json = value(settings);
    root.hidden = json === undefined;
    if (json === undefined) return;
    const isOffered = offers.some(([offer]) => offer === json);
    const all = isOffered ? offers : [...offers, [json, `as in the JSON: ${json}`] as const];
    select.replaceChildren(
      ...all.map(([offer, text]) => element('option', { value: offer, selected: offer === json }, text)),
    );
  };
  return { root, show };
}
