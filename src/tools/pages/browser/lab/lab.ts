/** The lab: change a policy, and see at once how long it waits and what it does in an outage. */

import type { PolicyOptions } from '../../../../index.js';
import type { Scenario } from '../../../sim/internal.js';
import type { LabState } from '../../link.js';
import { readLink, writeLink } from '../../link.js';
import type { Candidate, Report } from '../../report.js';
import { element } from '../element.js';
import { Address } from './address.js';
import type { Catalogue } from './catalogue.js';
import { catalogueOf } from './catalogue.js';
import { linkButton } from './link-button.js';
import type { PolicyEditor } from './policy-editor.js';
import { policyEditor } from './policy-editor.js';
import type { Results } from './results.js';
import { resultsPart } from './results.js';
import { Runner } from './runner.js';
import type { Setup } from './setup.js';
import { setupPart } from './setup.js';
import { waitsTable } from './waits-table.js';

/** What the lab needs of the page around it. */
interface LabPage {
  makeWorker(): Worker;
  announce(text: string): void;
  /** The page's heading is the scenario's title. */
  entitle(title: string): void;
}

const yours = 'your policy';

export class Lab {
  readonly root: HTMLElement;
  readonly #catalogue: Catalogue;
  readonly #page: LabPage;
  readonly #runner: Runner;
  readonly #address: Address = new Address();
  readonly #editor: PolicyEditor;
  readonly #setup: Setup;
  readonly #results: Results;
  readonly #waits: HTMLElement = element('div');
  readonly #warning: HTMLElement = element('p', { class: 'warning', role: 'alert' });
  #state: LabState;
  #isOpen = false;

  constructor(report: Report, page: LabPage) {
    const { announce, makeWorker } = page;
    this.#page = page;
    this.#catalogue = catalogueOf(report);
    this.#state = this.#catalogue.start;
    this.#runner = new Runner(makeWorker);
    for (const { run, ...candidate } of report.entries) {
      this.#runner.keep({ scenario: report.scenario, seed: report.seed, candidate }, run);
    }
    const copyLink = linkButton(() => writeLink(this.#state), announce);
    this.#editor = policyEditor({
      changed: (policy) => this.#change({ policy }),
      judged: (isSound) => {
        copyLink.disabled = !isSound;
      },
      announce,
    });
    this.#setup = setupPart(
      this.#catalogue,
      { conditions: (conditions) => this.#change(conditions), start: (policy) => this.#startFrom(policy) },
      [this.#editor.copy, copyLink],
    );
    this.#results = resultsPart({
      cancel: () => this.#runner.cancel(),
      again: () => this.#run(),
      announce,
    });
    const waits = element('section', {}, element('h2', {}, 'Waits of your policy'), this.#waits);
    const outcome = element('div', { class: 'outcome' }, this.#results.root, waits);
    this.root = element('div', { class: 'lab' }, this.#warning, this.#setup.root, this.#editor.root, outcome);
  }

  /** What follows the `#` of the address. */
  get link(): string {
    const isUntouched = this.#state === this.#catalogue.start;
    return (isUntouched ? undefined : writeLink(this.#state)) ?? 'lab';
  }

  /** Shows what the link in this fragment says. Nothing runs before the first call. */
  open(fragment: string): void {
    const { candidates, start } = this.#catalogue;
    const known = { scenarios: this.#scenarios.map(nameOf), policies: candidates.map(nameOf) };
    const read = readLink(fragment, known);
    const isFirst = !this.#isOpen;
    this.#isOpen = true;
    this.#address.forget();
    this.#warning.textContent =
      read.kind === 'broken'
        ? `The link in the address cannot be used: ${read.fault}. This is the default instead.`
        : '';
    if (read.kind === 'state') this.#show({ ...start, ...read.state });
    else if (read.kind === 'broken' || isFirst) this.#show(start);
    else this.#page.entitle(this.#scenario.title);
  }

  #show(state: LabState): void {
    this.#editor.show(state.policy);
    this.#settle(state);
  }

  #startFrom(policy: PolicyOptions): void {
    this.#editor.show(policy);
    this.#change({ policy });
  }

  #change(changed: Partial<LabState>): void {
    this.#warning.replaceChildren();
    this.#settle({ ...this.#state, ...changed });
    this.#address.write(this.link);
  }

  /** Shows the state everywhere but in the editor, which may hold a policy that cannot be used. */
  #settle(state: LabState): void {
    this.#state = state;
    this.#setup.show(state);
    this.#page.entitle(this.#scenario.title);
    this.#waits.replaceChildren(waitsTable(state.policy));
    this.#run();
  }

  #run(): void {
    const { policy, seed } = this.#state;
    const scenario = this.#scenario;
    const candidates = [{ name: yours, policy }, this.#against];
    this.#results.start();
    this.#runner.ask({
      jobs: candidates.map((candidate) => ({ scenario, seed, candidate })),
      progress: (done, share) => this.#results.progress((done + share) / candidates.length),
      fulfil: (entries) => this.#results.show(scenario, entries),
      fail: (failure) => this.#results.fail(failure),
    });
  }

  get #scenarios(): readonly Scenario[] {
    return this.#catalogue.scenarioGroups.flatMap(({ scenarios }) => scenarios);
  }

  get #scenario(): Scenario {
    return this.#scenarios.find(({ name }) => name === this.#state.scenario) as Scenario;
  }

  get #against(): Candidate {
    const { candidates } = this.#catalogue;
    return candidates.find(({ name }) => name === this.#state.against) as Candidate;
  }
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
