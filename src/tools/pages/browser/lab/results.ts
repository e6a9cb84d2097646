/** The results of the runs: the verdict, the charts and the totals; and while a run lasts, its progress. */

import type { Scenario } from '../../../sim/internal.js';
import type { Entry } from '../../report.js';
import { Charts } from '../charts.js';
import { element } from '../element.js';
import { totalsTable } from '../totals-table.js';
import { verdictList } from '../verdict-list.js';

export interface Results {
  readonly root: HTMLElement;
  start(): void;
  /** `share` of all runs is done: 0 to 1. */
  progress(share: number): void;
  show(scenario: Scenario, entries: readonly Entry[]): void;
  fail(failure: string): void;
}

/** A shorter run shows no progress: a bar would only flicker. */
const patienceMs = 500;

export interface ResultsEvents {
  cancel(): void;
  again(): void;
  announce(text: string): void;
}

export function resultsPart({ cancel, again, announce }: ResultsEvents): Results {
  const state = element('p', { role: 'status' });
  const bar = element('progress', { max: 1, 'aria-label': 'Progress of the run' });
  const stop = element('button', { type: 'button' }, 'Cancel');
  const restart = element('button', { type: 'button' }, 'Run again');
  const verdict = element('div');
  const totals = element('div');
  const charts = new Charts(announce, { isOptionsOpen: false });
  const root = element(
    'div',
    { class: 'results' },
    element(
      'div',
      { class: 'state' },
      element('h2', { class: 'title' }, 'What happens'),
      state,
      bar,
      stop,
      restart,
    ),
    verdict,
    charts.root,
    totals,
  );
  let slow: ReturnType<typeof setTimeout> | undefined;
  /** `share`: of a run that takes long enough to be worth watching, or cancelling. */
  const tell = (text: string, { isBusy = false, share = undefined as number | undefined } = {}): void => {
    clearTimeout(slow);
    root.ariaBusy = String(isBusy);
    if (state.textContent !== text) state.textContent = text;
    bar.hidden = share === undefined;
    bar.value = share ?? 0;
    stop.hidden = share === undefined;
    restart.hidden = true;
  };
  const offerAgain = (text: string): void => {
    tell(text);
    restart.hidden = false;
  };
  const progress = (share: number): void => tell('Running…', { isBusy: true, share });
  stop.addEventListener('click', () => {
    cancel();
    offerAgain('Cancelled.');
    restart.focus();
  });
  restart.addEventListener('click', () => {
    again();
    root.querySelector<HTMLElement>('.plot')?.focus({ preventScroll: true });
  });
  return {
    root,
    start: () => {
      tell('Running…', { isBusy: true });
      // A run that is stuck reports no progress.
      slow = setTimeout(() => progress(0), patienceMs);
    },
    progress,
    show: (scenario, entries) => {
      const events = entries.reduce((sum, { run }) => sum + run.events, 0);
      tell(`Finished: ${events.toLocaleString('en')} simulated events.`);
      verdict.replaceChildren(verdictList({ scenario, entries }));
      charts.show({ scenario, entries });
      totals.replaceChildren(totalsTable({ scenario, entries }, 'The whole run, policy by policy'));
    },
    fail: (failure) => offerAgain(`The run failed: ${failure}`),
  };
}
