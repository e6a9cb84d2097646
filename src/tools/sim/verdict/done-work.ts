/** The verdict without an outage, for clients that wait for an answer before they ask again: only rates compare. */

import type { Compared, Finding, Findings, Judgement } from './compared.js';
import {
  beside,
  effortText,
  listText,
  noticeable,
  rateText,
  spreadText,
  withoutRetries,
} from './compared.js';
import type { Figures } from './figures.js';

export function judgeDoneWork(all: readonly Compared[]): Findings {
  return { headline: headlineOf(all), each: all.map((own) => findingOf(own, all)) };
}

function headlineOf(all: readonly Compared[]): string {
  const baseline = withoutRetries(all);
  const most = Math.max(...all.map(({ figures }) => figures.good.overall));
  const best = all.filter(({ figures }) => figures.good.overall >= most * (1 - noticeable));
  const amount = `${rateText(most)} good requests a second`;
  if (all.length === 1) return `${listText(best)} gets ${amount}`;
  if (best.length === all.length) {
    const spread = spreadText(all, ({ load }) => load.overall);
    return spread === ''
      ? `the policy makes no difference; ${amount} with each`
      : `each policy gets ${amount}; ${spread}`;
  }
  const besides =
    baseline === undefined || best.includes(baseline)
      ? ''
      : ` (${baseline.label}: ${goodText(baseline.figures)})`;
  return `${listText(best)} ${best.length === 1 ? 'gets' : 'get'} the most done, ${amount}${besides}`;
}

function findingOf(own: Compared, all: readonly Compared[]): Finding {
  const baseline = withoutRetries(all);
  const judgement = judged(own.figures, baseline?.figures);
  const besides = beside(baseline, own, goodText);
  const sentence = `${goodText(own.figures)} good requests a second${besides}, ${effortText(own, all)}`;
  return { judgement, sentence: judgement === 'bad' ? `worse than no retry: ${sentence}` : sentence };
}

function judged({ good }: Figures, baseline: Figures | undefined): Judgement {
  if (baseline === undefined) return 'even';
  const ratio = good.overall / baseline.good.overall;
  if (ratio < 1 - noticeable) return 'bad';
  return ratio > 1 + noticeable ? 'good' : 'even';
}

function goodText({ good }: Figures): string {
  return rateText(good.overall);
}
