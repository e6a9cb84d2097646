/** What is compared: scenario, the policy to start from, the other policy and the seed; and what is copied of it. */

import type { PolicyOptions } from '../../../../index.js';
import type { Scenario } from '../../../sim/internal.js';
import { labelOf } from '../../../sim/internal.js';
import { describeScenario } from '../../describe.js';
import type { LabState } from '../../link.js';
import { largestSeed } from '../../link.js';
import { element, newId } from '../element.js';
import type { BeginningGroup, Catalogue } from './catalogue.js';

export type Conditions = Pick<LabState, 'scenario' | 'against' | 'seed'>;

export interface Setup {
  readonly root: HTMLElement;
  show(state: LabState): void;
}

export interface SetupEvents {
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
  const sentences = element('div', { class: 'about' });
  const about = element('details', {}, element('summary', {}, 'What happens in this scenario'), sentences);

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
    const chosen = scenarios.find(({ name }) => name === state.scenario);
    const told = chosen === undefined ? [] : describeScenario(chosen);
    sentences.replaceChildren(...told.map((sentence) => element('p', {}, sentence)));
  };
  return {
    root: element('section', { class: 'setup', 'aria-label': 'What is compared' }, fields, about),
    show,
  };
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

// ---------------------------------------------------------------- where to start

interface StartSelect {
  readonly root: HTMLSelectElement;
  /** Chooses what this policy is called, if it has a name here. */
  show(policy: PolicyOptions): void;
}

function startSelect(
  groups: readonly BeginningGroup[],
  started: (policy: PolicyOptions) => void,
): StartSelect {
  const beginnings = groups.flatMap((group) => group.beginnings);
  const changed = element('option', { value: '', disabled: true }, 'a policy of your own');
  const offers = groups.map((group) =>
    element(
      'optgroup',
      { label: group.title },
      ...group.beginnings.map((one) =>
        element('option', { value: beginnings.indexOf(one) }, labelOf(one.name)),
      ),
    ),
  );
  const root = element('select', {}, changed, ...offers);
  root.addEventListener('change', () => {
    const chosen = beginnings[Number(root.value)];
    if (chosen !== undefined) started(chosen.policy);
  });
  const show = (policy: PolicyOptions): void => {
    const json = JSON.stringify(policy);
    // Two names may stand for one policy: the chosen one stays.
    const current = beginnings[Number(root.value)];
    if (root.value !== '' && JSON.stringify(current?.policy) === json) return;
    const index = beginnings.findIndex((beginning) => JSON.stringify(beginning.policy) === json);
    root.value = index === -1 ? '' : String(index);
  };
  return { root, show };
}
