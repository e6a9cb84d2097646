/** The verdict where no policy loses requests, but some of them take far longer than most: how long they take compares. */

import { timeText } from '../../../internal.js';
import type { Compared, Finding, Findings, Judgement } from './compared.js';
import { beside, listText, withoutRetries } from './compared.js';
import type { Figures } from './figures.js';

/** More lost requests would hide how long they would have taken. */
const mostLost = 0.001;

/** With less, the slowest requests are as slow as the others. */
const slowFrom = 10;

/** The slowest requests are few, so that some difference is chance. */
const noticeable = 0.1;

export function isAboutTimes(all: readonly Compared[]): boolean {
  const isLost = all.some(({ figures: { lost, offered } }) => lost > mostLost * offered);
  const hasSlow = all.some(
    ({ figures: { p50Ms = 0, p999Ms = 0 } }) => p50Ms > 0 && p999Ms >= slowFrom * p50Ms,
  );
  return hasSlow && !isLost;
}

type Quantile = 'p50Ms' | 'p99Ms' | 'p999Ms';

const shares: Readonly<Record<Quantile, string>> = { p50Ms: 'half', p99Ms: '99 %', p999Ms: '99.9 %' };

function timeOf(figures: Figures, quantile: Quantile): number {
  return figures[quantile] ?? 0;
}

export function judgeTimes(all: readonly Compared[]): Findings {
  const quantile = tellingOf(all);
  return { headline: headlineOf(all, quantile), each: all.map((own) => findingOf(own, all, quantile)) };
}

/** The highest quantile in which the policies differ. */
function tellingOf(all: readonly Compared[]): Quantile {
  const differs = (quantile: Quantile): boolean => {
    const times = all.map(({ figures }) => timeOf(figures, quantile));
    return Math.min(...times) < (1 - noticeable) * Math.max(...times);
  };
  return !differs('p999Ms') && differs('p99Ms') ? 'p99Ms' : 'p999Ms';
}

function headlineOf(all: readonly Compared[], quantile: Quantile): string {
  const least = Math.min(...all.map(({ figures }) => timeOf(figures, quantile)));
  const best = all.filter(({ figures }) => (1 - noticeable) * timeOf(figures, quantile) <= least);
  const amount = `${shares[quantile]} of the requests succeed within ${timeText(least)}`;
  if (all.length === 1) return `${amount} with ${listText(best)}`;
  if (best.length === all.length) return `the policy makes no difference; ${amount} with each`;
  const baseline = withoutRetries(all);
  const besides =
    baseline === undefined || best.includes(baseline)
      ? ''
      : ` (${baseline.label}: ${timeText(timeOf(baseline.figures, quantile))})`;
  return `${amount} with ${listText(best)}${besides}`;
}

function findingOf(own: Compared, all: readonly Compared[], telling: Quantile): Finding {
  const baseline = withoutRetries(all);
  const judgement = judged(own.figures, baseline?.figures, telling);
  const within = (['p50Ms', 'p99Ms', 'p999Ms'] as const).map((quantile) => {
    const text = (figures: Figures): string => timeText(timeOf(figures, quantile));
    const besides = quantile === telling ? beside(baseline, own, text) : '';
    return `${shares[quantile]} within ${text(own.figures)}${besides}`;
  });
  const sentence = `${within.join(', ')}, at ${rateText(own.figures)} attempts a second${beside(baseline, own, rateText)}`;
  return { judgement, sentence: judgement === 'bad' ? `worse than no retry: ${sentence}` : sentence };
}

/** A hedge for one request in fifty has to show. */
function rateText({ load }: Figures): string {
  return load.overall.toFixed(1);
}

function judged(figures: Figures, baseline: Figures | undefined, telling: Quantile): Judgement {
  if (baseline === undefined) return 'even';
  const ratio = timeOf(figures, telling) / timeOf(baseline, telling);
  if (ratio > 1 + noticeable) return 'bad';
  return ratio < 1 - noticeable ? 'good' : 'even';
}
