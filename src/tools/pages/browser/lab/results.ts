/** The results of the runs: the verdict, the charts and the totals. While a run lasts, those of the run before. */

import type { Scenario } from '../../../sim/internal.js';
import type { Entry } from '../../report.js';
import { Charts } from '../charts.js';
import { element } from '../element.js';
import { totalsTable } from '../totals-table.js';
import { verdictList } from '../verdict-list.js';
import type { RunState } from './run-state.js';
import { runState } from './run-state.js';

export interface Results extends Pick<RunState, 'start' | 'progress'> {
  readonly root: HTMLElement;
  show(scenario: Scenario, entries: readonly Entry[]): void;
  fail(failure: string): void;
}

interface ResultsEvents {
  cancel(): void;
  again(): void;
  announce(text: string): void;
}

export function resultsPart({ cancel, again, announce }: ResultsEvents): Results {
  const verdict = element('div');
  const charts = new Charts(announce);
  const totals = element('div');
  const setBusy = (isBusy: boolean): void => {
    root.ariaBusy = String(isBusy);
  };
  const state = runState({
    cancel: () => {
      cancel();
      setBusy(false);
    },
    again: () => {
      again();
      // The button that had the focus is gone.
      root.querySelector<HTMLElement>('.plot')?.focus({ preventScroll: true });
    },
  });
  const root = element('div', { class: 'results' }, state.root, verdict, charts.root, totals);
  return {
    root,
    start: () => {
      state.start();
      setBusy(true);
    },
    progress: state.progress,
    show: (scenario, entries) => {
      const events = entries.reduce((sum, { run }) => sum + run.events, 0);
      state.finish(`Finished: ${events.toLocaleString('en')} simulated events.`);
      verdict.replaceChildren(verdictList({ scenario, entries }));
      charts.show({ scenario, entries });
      totals.replaceChildren(totalsTable({ scenario, entries }, 'The whole run, policy by policy'));
      setBusy(false);
    },
    fail: (failure) => {
      state.fail(`The run failed: ${failure}`);
      setBusy(false);
    },
  };
}
