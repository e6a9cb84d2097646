/** The page: a report and the lab as two tabs, or, where nothing was run before, the lab alone. */

import { describeScenario } from '../describe.js';
import type { Report } from '../report.js';
import { Charts } from './charts.js';
import { element } from './element.js';
import { Lab } from './lab/lab.js';
import { policiesList } from './policies-list.js';
import { tabs } from './tabs.js';
import { totalsTable } from './totals-table.js';
import { verdictList } from './verdict-list.js';

type Announce = (text: string) => void;

export function openPage(report: Report, makeWorker: () => Worker): void {
  const status = element('p', { class: 'announcement', role: 'status' });
  const announce = announcing(status);
  const heading = element('h1');
  const entitle = (title: string, subtitle: string): void => {
    heading.textContent = title;
    document.title = `${title}: ${subtitle}`;
  };
  const lab = new Lab(report, { makeWorker, announce, entitle: (title) => entitle(title, 'undaunted lab') });
  const entitleReport = (): void =>
    entitle(report.scenario.title, report.entries.map(({ name }) => name).join(', '));
  const content =
    report.entries.length === 0
      ? openLabAlone(lab, report.link)
      : tabs('Parts of this page', [
          {
            name: 'report',
            title: 'Report',
            content: reportPart(report, announce),
            fragment: () => 'report',
            shown: entitleReport,
          },
          {
            name: 'lab',
            title: 'Lab: try a policy',
            content: lab.root,
            fragment: () => lab.link,
            shown: () => lab.open(location.hash),
          },
        ]);
  document.body.prepend(element('main', {}, heading, content), status);
}

/** Long enough to be read; after that, an announcement only hides what is below it. */
const announcedMs = 8_000;

function announcing(status: HTMLElement): Announce {
  let clearing: ReturnType<typeof setTimeout> | undefined;
  return (text) => {
    status.textContent = text;
    clearTimeout(clearing);
    clearing = setTimeout(() => status.replaceChildren(), announcedMs);
  };
}

function openLabAlone(lab: Lab, link = ''): HTMLElement {
  addEventListener('hashchange', () => lab.open(location.hash));
  lab.open(location.hash === '' ? link : location.hash);
  return lab.root;
}

/** The verdict and the chart that shows it come first; what was simulated can be opened. */
function reportPart({ scenario, seed, entries }: Report, announce: Announce): HTMLElement {
  const lead = element('div', { class: 'lead' });
  const charts = new Charts(announce, lead);
  charts.show({ scenario, entries });
  const about = describeScenario(scenario).map((sentence) => element('p', {}, sentence));
  const seedNote = element('p', {}, `Seed ${seed}: the same seed gives the same run.`);
  return element(
    'div',
    {},
    element('section', { class: 'overview' }, verdictList({ scenario, entries }, 'h2'), lead),
    element('details', { class: 'about' }, element('summary', {}, 'What was simulated'), ...about, seedNote),
    element('section', {}, element('h2', {}, 'Second by second'), charts.root),
    element(
      'section',
      {},
      element('h2', {}, 'Totals'),
      totalsTable({ scenario, entries }, 'The whole run, policy by policy'),
    ),
    element('section', {}, element('h2', {}, 'Policies'), policiesList(entries, announce)),
  );
}
