/** What a table of totals does not say by itself. */

import type { RequestFacts } from '../../index.js';
import { definePolicy } from '../../index.js';
import { summaryOf } from '../../internal.js';
import type { Scenario } from '../sim/internal.js';
import {
  labelOf,
  listOf,
  policyNamed,
  requestOnward,
  requestsOf as requestsOfCrowd,
} from '../sim/internal.js';
import { percentText } from './numbers.js';
import type { Candidate, Comparison, RunReport } from './report.js';

export function remarksOn({ scenario, entries }: Comparison): readonly string[] {
  return [...unmatchedRules(entries, scenario), ...turnedAway({ scenario, entries }), ...survivors(entries)];
}

/** For each policy whose rules match no request: without its rules, it would do the same. */
export function unmatchedRules(candidates: readonly Candidate[], scenario: Scenario): readonly string[] {
  const requests = requestsOf(scenario);
  const asked = requests.map(requestText).join(' or ');
  return candidates.flatMap(({ name, policy = policyNamed(name) ?? {} }) => {
    const checked = definePolicy(policy);
    const count = checked.rules.length;
    if (count === 0 || requests.some((request) => checked.ruleFor(request) !== checked.fallback)) return [];
    const who =
      count === 1
        ? `The only rule of ${name} does not match`
        : `None of the ${count} rules of ${name} matches`;
    return [
      `${who} ${asked}: no other requests are sent here, so only the settings outside its rules count.`,
    ];
  });
}

/** Clients that think between their requests send the next one sooner where one is refused at once. */
export function turnedAway({ scenario, entries }: Comparison): readonly string[] {
  const isThinking = listOf(scenario.clients).some(({ kind }) => kind === 'closed');
  const isSooner = isThinking && entries.some(({ run }) => run.totals.refused > 0);
  if (!isSooner) return [];
  return [
    'A client whose request is refused by the gate or the hold knows at once and comes back sooner, so the number of ' +
      'requests differs between policies: shares would mislead, and "Succeeded per second" compares better.',
  ];
}

/** Below this share of successes, the times of those that succeeded say little about all. */
const mostlyGood = 0.95;

/** Where many requests fail, the times of the rest look good: those that waited in vain are not among them. */
export function survivors(entries: Comparison['entries']): readonly string[] {
  const few = entries.filter(({ run }) => shareOfGood(run.totals) < mostlyGood);
  if (few.length === 0) return [];
  const shares = few.map(({ name, run }) => `${percentText(shareOfGood(run.totals))} with ${labelOf(name)}`);
  return [
    `Times are of requests that succeeded alone: ${shares.join(', ')}. The others waited longer, and in vain, so a short time there is no merit.`,
  ];
}

function shareOfGood({ good, offered }: RunReport['totals']): number {
  return offered === 0 ? 1 : good / offered;
}

/** What the simulator's clients send, and its services to each other, if they have no policy of their own. */
export function requestsOf({ world, clients }: Scenario): readonly RequestFacts[] {
  const asked = listOf(clients).flatMap(requestsOfCrowd);
  const isPassedOn = world.services.slice(0, -1).some(({ policy }) => policy === undefined);
  return isPassedOn ? [...asked, requestOnward] : asked;
}

function requestText(request: RequestFacts): string {
  const { method, url } = summaryOf(request);
  return `${method} ${url}`;
}
