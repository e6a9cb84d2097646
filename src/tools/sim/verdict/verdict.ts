/** Who won, and why: one sentence about all policies of a comparison, and one about each. */

import { listOf } from '../crowd.js';
import { labelOf } from '../policies.js';
import { isAboutTimes, judgeTimes } from './answer-times.js';
import type { Compared, Finding, Findings } from './compared.js';
import { judgeDoneWork } from './done-work.js';
import type { Figures, PlayedRun, PlayedScenario } from './figures.js';
import { figuresOf, outageOf } from './figures.js';
import { judgeLosses } from './losses.js';
import { judgeRecovery } from './recovery.js';

export interface Verdict {
  /** The end of a sentence that begins with the scenario's title and a colon, without its full stop. */
  readonly headline: string;
  /** In the order of the comparison. */
  readonly policies: readonly PolicyVerdict[];
}

export interface PolicyVerdict extends Finding {
  /** As the comparison names it. */
  readonly name: string;
  /** How sentences call it. */
  readonly label: string;
  readonly figures: Figures;
}

/** What is judged: a report is one of these. */
export interface Played {
  readonly scenario: PlayedScenario;
  readonly entries: readonly { readonly name: string; readonly run: PlayedRun }[];
}

export function verdictOn({ scenario, entries }: Played): Verdict {
  const all = entries.map(({ name, run }): Compared => {
    return { name, label: labelOf(name), figures: figuresOf(scenario, run) };
  });
  const { headline, each } = judge(scenario, all);
  return { headline, policies: each.map((finding, index) => ({ ...(all[index] as Compared), ...finding })) };
}

/**
 * Where requests come by the clock, every policy has the same ones, and what it loses can be counted; if none loses any,
 * the times of the slowest compare. Where clients wait for an answer before they ask again, only rates compare.
 */
function judge(scenario: PlayedScenario, all: readonly Compared[]): Findings {
  const outage = outageOf(scenario);
  if (outage !== undefined) return judgeRecovery(all, outage, scenario.world.durationMs);
  const crowds = listOf(scenario.clients);
  if (crowds.some(({ kind }) => kind === 'closed')) return judgeDoneWork(all);
  const isPart = crowds.some(({ routes = [] }) => routes.some(({ guilty }) => guilty === true));
  if (!isPart && isAboutTimes(all)) return judgeTimes(all);
  return judgeLosses(all, isPart ? 'innocent requests' : 'requests');
}
