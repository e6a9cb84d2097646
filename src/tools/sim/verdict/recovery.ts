/** The verdict on an outage or a surge: whether the server recovers, and how much load it gets meanwhile. */

import type { Compared, Finding, Findings } from './compared.js';
import {
  beside,
  countText,
  listText,
  rateText,
  secondsText,
  spreadText,
  withoutRetries,
} from './compared.js';
import type { Figures, Outage } from './figures.js';

export function judgeRecovery(all: readonly Compared[], outage: Outage, durationMs: number): Findings {
  const baseline = withoutRetries(all);
  const when = `${secondsText(durationMs - outage.untilMs)} after the ${outage.name}`;
  return {
    headline: headlineOf(all, outage),
    each: all.map((own) => findingOf({ own, baseline, outage, when })),
  };
}

/** The finding on one policy, with nothing to compare it with. */
export function findingOnRecovery(
  own: Compared,
  outage: Outage,
  durationMs: number,
): Finding & { readonly hasRecovered: boolean } {
  const when = `${secondsText(durationMs - outage.untilMs)} after the ${outage.name}`;
  const finding = findingOf({ own, baseline: undefined, outage, when });
  return { ...finding, hasRecovered: courseOf(own.figures) === 'recovers' };
}

type Course = 'recovers' | 'is slow' | 'stays down';

function courseOf({ recoveredAfterMs, good }: Figures): Course {
  if (recoveredAfterMs !== undefined) return 'recovers';
  return good.atEnd < (good.before ?? 0) / 2 ? 'stays down' : 'is slow';
}

// ---------------------------------------------------------------- all of them

function headlineOf(all: readonly Compared[], outage: Outage): string {
  const having = (course: Course): Compared[] => all.filter(({ figures }) => courseOf(figures) === course);
  const [up, slow, down] = [having('recovers'), having('is slow'), having('stays down')];
  const parts = [
    ...(down.length > 0 ? [`the server never recovers with ${listText(down)}`] : []),
    ...(slow.length > 0 ? [`it is not back to normal by the end with ${listText(slow)}`] : []),
    ...(up.length > 0 ? [`it recovers with ${listText(up)}`] : []),
  ];
  if (parts.length > 1) return parts.join('; ');
  const whom = all.length === 1 ? listText(all) : `${up.length > 0 ? 'every' : 'any'} policy`;
  // Where all recover, the load is what tells them apart.
  const spread = spreadText(all, during);
  if (up.length > 0)
    return `the server recovers with ${whom}${spread && `; during the ${outage.name}, ${spread}`}`;
  return slow.length > 0
    ? `the server is not back to normal by the end with ${whom}`
    : `the server does not recover with ${whom}`;
}

// ---------------------------------------------------------------- each of them

interface Case {
  readonly own: Compared;
  readonly baseline: Compared | undefined;
  readonly outage: Outage;
  /** The end of the run, as sentences call it. */
  readonly when: string;
}

/** A policy that multiplies the load by more than this is not good, even if the server survives it here. */
const bearable = 2;

function findingOf({ own, baseline, outage, when }: Case): Finding {
  const { figures } = own;
  switch (courseOf(figures)) {
    case 'recovers': {
      const isHeavy = baseline !== undefined && during(figures) > bearable * during(baseline.figures);
      const sentence = `the server is ${backText(figures, outage)}; ${loadText(own, baseline, outage)}`;
      return { judgement: isHeavy ? 'even' : 'good', sentence };
    }
    case 'is slow':
      return {
        judgement: 'even',
        sentence: `the server is not back to normal ${when}: ${endText(figures)}`,
      };
    case 'stays down':
      return { judgement: 'bad', sentence: `the server does not recover: ${when}, ${endText(figures)}` };
  }
}

function backText({ recoveredAfterMs = 0 }: Figures, { name }: Outage): string {
  return recoveredAfterMs === 0
    ? 'back to normal at once'
    : `back to normal ${secondsText(recoveredAfterMs)} after the ${name}`;
}

function loadText(own: Compared, baseline: Compared | undefined, { name }: Outage): string {
  const load = during(own.figures);
  const besides = beside(baseline, own, (figures) => rateText(during(figures)));
  const usual = baseline === undefined ? own.figures.load.before : during(baseline.figures);
  const refusals = refusalText(own.figures, load < (usual ?? 0));
  return `during the ${name} it gets ${rateText(load)} attempts a second${besides}${refusals}`;
}

function refusalText({ refused }: Figures, isReason: boolean): string {
  if (refused === 0) return '';
  const what = refused === 1 ? '1 request was' : `${countText(refused)} requests were`;
  return `${isReason ? ', because' : ';'} ${what} refused without being sent`;
}

function endText({ good, load, retryShareAtEnd }: Figures): string {
  const percent = Math.round(100 * retryShareAtEnd);
  const retries = percent > 0 ? ` (${percent} % of them retries)` : '';
  const successes = `${rateText(good.atEnd)} requests a second succeed (before: ${rateText(good.before ?? 0)})`;
  return `it still gets ${rateText(load.atEnd)} attempts a second${retries}, and ${successes}`;
}

function during({ load }: Figures): number {
  return load.during ?? 0;
}
