/** The verdict without an outage, for requests that come by the clock: the policies have the same ones, so losses compare. */

import type { Compared, Finding, Findings, Judgement } from './compared.js';
import {
  beside,
  countText,
  effortText,
  listText,
  noticeable,
  spreadText,
  withoutRetries,
} from './compared.js';
import type { Figures } from './figures.js';

/** `noun`: what is lost. */
export function judgeLosses(all: readonly Compared[], noun: string): Findings {
  return {
    headline: headlineOf(all, noun),
    each: all.map((own) => findingOf(own, all, noun)),
  };
}

function headlineOf(all: readonly Compared[], noun: string): string {
  const baseline = withoutRetries(all);
  const best = bestOf(all);
  const lost = best.map(({ figures }) => figures.lost);
  const [least, most] = [Math.min(...lost), Math.max(...lost)];
  const range = least === most ? countText(least) : `${countText(least)} to ${countText(most)}`;
  const share = `${range} of ${countText(best[0]?.figures.offered ?? 0)}`;
  if (all.length === 1) return `${listText(best)} loses ${share} ${noun}`;
  if (best.length === all.length) {
    const spread = spreadText(all, ({ load }) => load.overall);
    return spread === ''
      ? `the policy makes no difference; each loses ${share} ${noun}`
      : `each policy loses ${share} ${noun}; ${spread}`;
  }
  const besides =
    baseline === undefined || best.includes(baseline)
      ? ''
      : ` (${baseline.label}: ${lostText(baseline.figures)})`;
  return `${listText(best)} ${best.length === 1 ? 'loses' : 'lose'} the fewest ${noun}, ${share}${besides}`;
}

/** All policies that are about as good as the best one: differences are compared with the largest loss. */
function bestOf(all: readonly Compared[]): readonly Compared[] {
  const most = Math.max(...all.map(({ figures }) => figures.succeeded));
  const worst = Math.max(...all.map(({ figures }) => figures.lost));
  return all.filter(({ figures }) => most - figures.succeeded <= noticeable * worst);
}

function findingOf(own: Compared, all: readonly Compared[], noun: string): Finding {
  const baseline = withoutRetries(all);
  const { lost, offered } = own.figures;
  const judgement = judged(own.figures, baseline?.figures);
  const besides = beside(baseline, own, lostText);
  const sentence = `loses ${countText(lost)} of ${countText(offered)} ${noun}${besides}, ${effortText(own, all)}`;
  return { judgement, sentence: judgement === 'bad' ? `worse than no retry: ${sentence}` : sentence };
}

function judged({ succeeded }: Figures, baseline: Figures | undefined): Judgement {
  if (baseline === undefined) return 'even';
  const gained = succeeded - baseline.succeeded;
  if (Math.abs(gained) <= noticeable * baseline.lost) return 'even';
  return gained > 0 ? 'good' : 'bad';
}

function lostText({ lost }: Figures): string {
  return countText(lost);
}
