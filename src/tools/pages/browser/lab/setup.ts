/** The top of the lab: scenario, policy to start from, policy to compare with, seed, and buttons to copy the result. */

import type { PolicyOptions } from '../../../../index.js';
import type { Scenario } from '../../../sim/internal.js';
import { labelOf } from '../../../sim/internal.js';
import { describeScenario } from '../../describe.js';
import type { LabState } from '../../link.js';
import { largestSeed } from '../../link.js';
import { element, newId } from '../element.js';
import type { Catalogue } from './catalogue.js';
import { startSelect } from './start-select.js';

type Conditions = Pick<LabState, 'scenario' | 'against' | 'seed'>;

export interface Setup {
  readonly root: HTMLElement;
  show(state: LabState): void;
}

interface SetupEvents {
  conditions(changed: Conditions): void;
  start(policy: PolicyOptions): void;
}

export function setupPart(
  catalogue: Catalogue,
  events: SetupEvents,
  buttons: readonly HTMLButtonElement[],
): Setup {
  const scenarios = catalogue.scenarioGroups.flatMap((group) => group.scenarios);
  const scenario = element(
    'select',
    {},
    ...catalogue.scenarioGroups.map((group) =>
      element('optgroup', { label: group.title }, ...group.scenarios.map(scenarioOption)),
    ),
  );
  const against = element(
    'select',
    {},
    ...catalogue.candidates.map(({ name }) => element('option', { value: name }, labelOf(name))),
  );
  const seed = element('input', { type: 'number', min: 0, max: largestSeed, step: 1, class: 'second' });
  const start = startSelect(catalogue.beginnings, events.start);
  const about = scenarioDetails();

  for (const input of [scenario, against, seed]) {
    input.addEventListener('change', () =>
      events.conditions({ scenario: scenario.value, against: against.value, seed: seedIn(seed) }),
    );
  }
  const fields = element(
    'div',
    { class: 'conditions' },
    labelled('Scenario', scenario),
    labelled('Start from', start.root),
    labelled('Compared with', against),
    labelled('Seed', seed),
    element('div', { class: 'actions' }, ...buttons),
  );
  const show = (state: LabState): void => {
    scenario.value = state.scenario;
    against.value = state.against;
    seed.value = String(state.seed);
    start.show(state.policy);
    about.show(scenarios.find(({ name }) => name === state.scenario));
  };
  return {
    root: element('section', { class: 'setup', 'aria-label': 'What is compared' }, fields, about.root),
    show,
  };
}

function scenarioDetails(): { readonly root: HTMLElement; show(scenario: Scenario | undefined): void } {
  const sentences = element('div', { class: 'about' });
  const root = element('details', {}, element('summary', {}, 'What happens in this scenario'), sentences);
  const show = (scenario: Scenario | undefined): void => {
    const told = scenario === undefined ? [] : describeScenario(scenario);
    sentences.replaceChildren(...told.map((sentence) => element('p', {}, sentence)));
  };
  return { root, show };
}

function scenarioOption({ name, title }: Scenario): HTMLOptionElement {
  return element('option', { value: name }, title);
}

function seedIn({ valueAsNumber }: HTMLInputElement): number {
  return Math.min(largestSeed, Math.max(0, Math.trunc(valueAsNumber) || 0));
}

function labelled(text: string, input: HTMLElement): HTMLElement {
  input.id = newId();
  return element('div', { class: 'control' }, element('label', { for: input.id }, text), input);
}
