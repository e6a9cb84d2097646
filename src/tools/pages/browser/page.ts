/** The page: the report that it holds, and the lab. */

import { describeScenario } from '../describe.js';
import type { Report } from '../report.js';
import { Charts } from './charts.js';
import { element } from './element.js';
import { makeLab } from './lab/lab.js';
import { policiesList } from './policies-list.js';
import { tabs } from './tabs.js';
import { totalsTable } from './totals-table.js';

/** Long enough to be read; after that, it only hides what is below. */
const announcedMs = 8_000;

export function openPage(report: Report, makeWorker: () => Worker): void {
  const status = element('p', { class: 'announcement', role: 'status' });
  let clearing: ReturnType<typeof setTimeout> | undefined;
  const announce = (text: string): void => {
    status.textContent = text;
    clearTimeout(clearing);
    clearing = setTimeout(() => status.replaceChildren(), announcedMs);
  };
  const lab = makeLab(report, makeWorker, announce);
  const both = tabs('Parts of this page', [
    { name: 'report', title: 'Report', content: reportPart(report, announce) },
    { name: 'lab', title: 'Lab: try a policy', content: lab.root, opened: lab.open },
  ]);
  const names = report.entries.map(({ name }) => name).join(', ');
  document.title = `${report.scenario.title}: ${names}`;
  const main = element('main', {}, element('h1', {}, report.scenario.title), both);
  document.body.prepend(main, status);
}

function reportPart({ scenario, seed, entries }: Report, announce: (text: string) => void): HTMLElement {
  const charts = new Charts(announce);
  charts.show({ scenario, entries });
  const about = describeScenario(scenario).map((sentence) => element('p', {}, sentence));
  const seedNote = element('p', {}, `Seed ${seed}: the same seed gives the same run.`);
  return element(
    'div',
    {},
    element('section', { class: 'about' }, ...about, seedNote),
    element(
      'section',
      {},
      element('h2', {}, 'Totals'),
      totalsTable({ scenario, entries }, 'Each policy, all in all'),
    ),
    element('section', {}, element('h2', {}, 'Second by second'), charts.root),
    element('section', {}, element('h2', {}, 'Policies'), policiesList(entries, announce)),
  );
}
