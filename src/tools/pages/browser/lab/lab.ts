/** The lab: a policy under one's hands, its waits, and what it does in an outage, at once. */

import type { PolicyOptions } from '../../../../index.js';
import type { Scenario } from '../../../sim/internal.js';
import { isOurs, policyNamed, policyNames, scenarios } from '../../../sim/internal.js';
import { describeScenario } from '../../describe.js';
import type { Candidate, Entry, Report } from '../../report.js';
import { Charts } from '../charts.js';
import { element, newId } from '../element.js';
import { totalsTable } from '../totals-table.js';
import { controlPanel } from './control-panel.js';
import { policyText } from './policy-text.js';
import { Runner } from './runner.js';
import { waitsTable } from './waits-table.js';

export interface Lab {
  readonly root: HTMLElement;
  /** Nothing runs before somebody looks. */
  open(): void;
}

const yours = 'your policy';

export function makeLab(report: Report, makeWorker: () => Worker, announce: (text: string) => void): Lab {
  const runner = new Runner(makeWorker);
  for (const { run, ...candidate } of report.entries) {
    runner.keep({ scenario: report.scenario, seed: report.seed, candidate }, run);
  }
  const conditions = conditionsPart(report, () => run());
  const results = resultsPart(announce);
  let policy: PolicyOptions = firstOfOurs(report.entries);

  const run = (): void => {
    const { scenario, seed, compared } = conditions.chosen();
    results.wait();
    const jobs = [{ name: yours, policy }, compared].map((candidate) => ({ scenario, seed, candidate }));
    runner.ask({
      jobs,
      fulfil: (entries) => results.show(scenario, entries),
      fail: (failure) => results.fail(failure),
    });
  };
  const change = (next: PolicyOptions): void => {
    panel.show(next);
    if (!text.show(next)) return;
    policy = next;
    waits.replaceChildren(waitsTable(policy));
    run();
  };
  const panel = controlPanel(change);
  const text = policyText(change, announce);
  const waits = element('div');

  const root = element(
    'div',
    { class: 'lab' },
    element('section', { class: 'policy' }, element('h2', {}, 'Policy'), panel.root, text.root),
    element(
      'div',
      { class: 'outcome' },
      element('section', {}, element('h2', {}, 'Waits'), waits),
      element('section', {}, element('h2', {}, 'Run'), conditions.root, results.root),
    ),
  );
  return { root, open: () => change(policy) };
}

function firstOfOurs(entries: readonly Entry[]): PolicyOptions {
  for (const { name, policy } of entries) {
    const ours = policy ?? (isOurs(name) ? policyNamed(name) : undefined);
    if (ours !== undefined) return ours;
  }
  return {};
}

// ---------------------------------------------------------------- conditions

interface Conditions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly compared: Candidate;
}

function conditionsPart(report: Report, changed: () => void): { root: HTMLElement; chosen(): Conditions } {
  const others = scenarios.filter(({ name }) => name !== report.scenario.name);
  const allScenarios = [report.scenario, ...others];
  const reported = report.entries.map(({ run: _, ...candidate }): Candidate => candidate);
  const names = policyNames.filter((known) => !reported.some(({ name }) => name === known));
  const candidates = [...reported, ...names.map((name): Candidate => ({ name }))];

  const scenario = selectOf(allScenarios.map(({ title }) => title));
  const compared = selectOf(candidates.map(({ name }) => name));
  const seed = element('input', { type: 'number', step: 1, value: report.seed, class: 'second' });
  const sentences = element('div', { class: 'about' });
  const about = element('details', {}, element('summary', {}, 'What happens in it'), sentences);
  const describe = (): void =>
    sentences.replaceChildren(...describeScenario(chosen().scenario).map(paragraph));
  const chosen = (): Conditions => ({
    scenario: allScenarios[scenario.selectedIndex] ?? report.scenario,
    seed: Math.trunc(seed.valueAsNumber) || 0,
    compared: candidates[compared.selectedIndex] ?? { name: 'default' },
  });
  for (const input of [scenario, compared, seed]) {
    input.addEventListener('change', () => {
      describe();
      changed();
    });
  }
  describe();
  const fields = element(
    'div',
    { class: 'conditions' },
    labelled('Scenario', scenario),
    labelled('Compared with', compared),
    labelled('Seed', seed),
  );
  return { root: element('div', {}, fields, about), chosen };
}

function selectOf(texts: readonly string[]): HTMLSelectElement {
  return element('select', {}, ...texts.map((text) => element('option', {}, text)));
}

function labelled(text: string, input: HTMLElement): HTMLElement {
  input.id = newId();
  return element('div', { class: 'control' }, element('label', { for: input.id }, text), input);
}

function paragraph(text: string): HTMLElement {
  return element('p', {}, text);
}

// ---------------------------------------------------------------- results

interface Results {
  readonly root: HTMLElement;
  wait(): void;
  show(scenario: Scenario, entries: readonly Entry[]): void;
  fail(failure: string): void;
}

function resultsPart(announce: (text: string) => void): Results {
  const state = element('p', { class: 'state', role: 'status' });
  const totals = element('div');
  const charts = new Charts(announce);
  const root = element('div', { class: 'results' }, state, charts.root, totals);
  return {
    root,
    wait: () => {
      root.ariaBusy = 'true';
      state.textContent = 'Running…';
    },
    show: (scenario, entries) => {
      root.ariaBusy = 'false';
      const events = entries.reduce((sum, { run }) => sum + run.events, 0);
      state.textContent = `Done: ${events.toLocaleString('en')} events.`;
      totals.replaceChildren(totalsTable({ scenario, entries }, 'Your policy beside the other'));
      charts.show({ scenario, entries });
    },
    fail: (failure) => {
      root.ariaBusy = 'false';
      state.textContent = `The run failed: ${failure}`;
    },
  };
}
