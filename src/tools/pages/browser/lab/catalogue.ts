/** What a page offers in its lab: scenarios, policies to compare with, and policies to start from. */

import type { PolicyOptions } from '../../../../index.js';
import { presets } from '../../../../index.js';
import { schemes } from '../../../../schemes.js';
import type { Scenario, ScenarioGroup } from '../../../sim/internal.js';
import {
  contenderNamed,
  dataPolicyNames,
  isOurs,
  policyNamed,
  policyNames,
  scenarioGroups,
} from '../../../sim/internal.js';
import type { LabState } from '../../link.js';
import type { Candidate, Report } from '../../report.js';

export interface Catalogue {
  readonly scenarioGroups: readonly ScenarioGroup[];
  readonly candidates: readonly Candidate[];
  readonly beginnings: readonly BeginningGroup[];
  /** What the lab shows where no link says otherwise. */
  readonly start: LabState;
}

export interface BeginningGroup {
  readonly title: string;
  readonly beginnings: readonly Beginning[];
}

/** A policy to start from. */
interface Beginning {
  readonly name: string;
  readonly policy: PolicyOptions;
}

export function catalogueOf(report: Report): Catalogue {
  const { scenario, seed } = report;
  const reported = candidatesOf(report);
  const names = policyNames.filter((known) => !reported.some(({ name }) => name === known));
  const first = reported.find((candidate) => policyOf(candidate) !== undefined);
  return {
    scenarioGroups: groupsWith(scenario),
    candidates: [...reported, ...names.map((name): Candidate => ({ name }))],
    beginnings: beginningsOf(reported),
    start: {
      policy: (first && policyOf(first)) ?? {},
      scenario: scenario.name,
      against: againstOf(reported.filter((candidate) => candidate !== first)),
      seed,
    },
  };
}

/** The report's own scenario takes the place of one with the same name. */
function groupsWith(own: Scenario): readonly ScenarioGroup[] {
  const groups = scenarioGroups.map(({ title, scenarios }) => ({
    title,
    scenarios: scenarios.map((scenario) => (scenario.name === own.name ? own : scenario)),
  }));
  const isKnown = groups.some(({ scenarios }) => scenarios.includes(own));
  return isKnown ? groups : [{ title: 'From this report', scenarios: [own] }, ...groups];
}

/** The policies of the report, or those that its scenario suggests. */
function candidatesOf({ scenario, entries }: Report): readonly Candidate[] {
  if (entries.length > 0) return entries.map(({ run: _, ...candidate }) => candidate);
  const suggested = scenario.policies.map((policy) =>
    typeof policy === 'string' ? { name: policy } : policy,
  );
  return suggested.filter(({ name, ...rest }) => 'policy' in rest || contenderNamed(name) !== undefined);
}

/** Another library, or else the last of the others: a scenario names no retry and the defaults first. */
function againstOf(others: readonly Candidate[]): string {
  const retrying = others.find(({ name }) => name !== 'none' && !isOurs(name));
  return (retrying ?? others.at(-1))?.name ?? 'none';
}

/** What the lab can start with: a policy from a file, or one of undaunted's own. */
function policyOf({ name, policy }: Candidate): PolicyOptions | undefined {
  return policy ?? (isOurs(name) ? policyNamed(name) : undefined);
}

// ---------------------------------------------------------------- policies to start from

function beginningsOf(reported: readonly Candidate[]): readonly BeginningGroup[] {
  const named = (names: readonly string[]): Beginning[] =>
    names.map((name) => ({ name, policy: policyNamed(name) ?? {} }));
  const own = reported.flatMap(({ name, policy }) => (policy === undefined ? [] : [{ name, policy }]));
  const groups = [
    { title: 'From this report', beginnings: own },
    { title: 'undaunted', beginnings: named(dataPolicyNames.filter(isOurs)) },
    { title: 'How others retry', beginnings: named(dataPolicyNames.filter((name) => !isOurs(name))) },
    { title: 'Famous policies', beginnings: famous },
    { title: 'Default, with a famous schedule', beginnings: withFamousSchedule },
  ];
  return groups.filter(({ beginnings }) => beginnings.length > 0);
}

const famous: readonly Beginning[] = Object.entries(schemes.policies).map(([name, policy]) => ({
  name,
  policy,
}));

const famousSchedules = { ...presets.schedules, ...schemes.schedules };

const withFamousSchedule: readonly Beginning[] = Object.entries(famousSchedules).map(([name, schedule]) => ({
  name: `${name} schedule`,
  policy: { schedule },
}));
