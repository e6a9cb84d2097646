/** Scenarios by name or from files, checked. */

import { basename } from 'node:path';
import type { Problem } from '../../index.js';
import { checkPolicy, checkStructure, found, problemText, quote } from '../../internal.js';
import type { Scenario } from '../sim/internal.js';
import { policyNames, scenarios, usualPolicies } from '../sim/internal.js';
import { didYouMean } from './arguments.js';
import { Failure } from './failure.js';
import type { Io } from './io.js';
import { label, readJson } from './policy-file.js';
import { crowdsProblems, serverProblems } from './scenario-contradictions.js';
import { scenarioSchema } from './scenarios-schema.js';

const names = scenarios.map(({ name }) => name);

type WrittenScenario = Partial<Scenario> & Pick<Scenario, 'world' | 'clients'>;

/** By its name, by its file, or `-` for stdin. */
export async function readScenario(name: string, io: Io): Promise<Scenario> {
  const named = scenarios.find((scenario) => scenario.name === name);
  if (named !== undefined) return named;
  const { value, twice } = await readJson(name, io, names);
  const problems = [...twice, ...checkScenario(value)];
  if (problems.length > 0) throw new Failure(`${label(name)}: ${describe(problems)}`);
  const file = basename(label(name), '.json');
  // Its own name and title go first: a file may be what `--json` has printed of another.
  return { name: file, title: file, policies: usualPolicies, ...(value as WrittenScenario) };
}

function describe(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const lines = problems.map((problem) => `  - ${problem.path || '(scenario)'}: ${problemText(problem)}`);
  return `The scenario has ${count}:\n${lines.join('\n')}`;
}

/** All problems of a scenario file. */
export function checkScenario(value: unknown): readonly Problem[] {
  const apart: Apart[] = [];
  const scenario = setApart(value, '', apart);
  const { problems, sound } = checkStructure(scenarioSchema, { scenario });
  return [
    ...problems.map((problem) => ({ ...problem, path: problem.path.replace(/^scenario\.?/, '') })),
    ...apart.flatMap(checkApart),
    ...(problems.length === 0 ? contradictions((sound as { scenario: Scenario }).scenario, apart) : []),
  ];
}

// ---------------------------------------------------------------- parts with a check of their own

interface Apart {
  readonly path: string;
  readonly value: unknown;
}

const servicePolicy = /^world\.services\[\d+\]\.policy$/;
const comparedPolicy = /^policies\[\d+\]\.policy$/;
const headersPlace = /^world\.services\[\d+\]\.server(?:\..+)?\.answers\[\d+\]\.answer\.headers$/;
const placesApart = [servicePolicy, comparedPolicy, headersPlace];

/** A copy without policies and headers, which the schema of scenarios does not cover. */
function setApart(value: unknown, path: string, apart: Apart[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => setApart(item, `${path}[${index}]`, apart));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, part]) => {
    const place = path === '' ? key : `${path}.${key}`;
    if (!placesApart.some((one) => one.test(place))) return [[key, setApart(part, place, apart)]];
    apart.push({ path: place, value: part });
    return [];
  });
  return Object.fromEntries(kept);
}

function checkApart({ path, value }: Apart): readonly Problem[] {
  if (headersPlace.test(path)) return checkHeaders(path, value);
  if (typeof value === 'string' && servicePolicy.test(path)) return checkPolicyName(path, value);
  return checkPolicy(value).map((problem) => ({
    ...problem,
    path: problem.path === '' ? path : `${path}.${problem.path}`,
  }));
}

function checkPolicyName(path: string, name: string): readonly Problem[] {
  if (policyNames.includes(name)) return [];
  const advice = didYouMean(name, policyNames);
  const problem = { path, found: found(name), allowed: `a policy, or one of ${policyNames.join(', ')}` };
  return [advice === '' ? problem : { ...problem, advice }];
}

function checkHeaders(path: string, value: unknown): readonly Problem[] {
  const allowed = 'an object of names and texts';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ path, found: found(value), allowed }];
  }
  return Object.entries(value)
    .filter(([, text]) => typeof text !== 'string')
    .map(([name, text]) => ({ path: `${path}.${name}`, found: found(text), allowed: 'a text' }));
}

// ---------------------------------------------------------------- contradictions

function contradictions(
  { world, clients, policies = [] }: Scenario,
  apart: readonly Apart[],
): readonly Problem[] {
  return [
    ...world.services.flatMap(({ server, faults = [] }, index) => [
      ...serverProblems(server, `world.services[${index}].server`),
      ...faults.flatMap(({ fromMs, forMs }, fault) =>
        fromMs + forMs <= world.durationMs
          ? []
          : [
              {
                path: `world.services[${index}].faults[${fault}]`,
                found: `an end at ${fromMs + forMs} ms`,
                allowed: `at most durationMs, which is ${world.durationMs}`,
              },
            ],
      ),
    ]),
    ...crowdsProblems(clients),
    ...policies.flatMap((policy, index) =>
      typeof policy === 'string' ? checkPolicyName(`policies[${index}]`, policy) : [],
    ),
    ...missingPolicies(policies, apart),
    ...namesakes(policies),
  ];
}

/** An entry with a name only should be just the name. */
function missingPolicies(policies: Scenario['policies'], apart: readonly Apart[]): readonly Problem[] {
  return policies.flatMap((policy, index) => {
    const path = `policies[${index}].policy`;
    if (typeof policy === 'string' || apart.some((part) => part.path === path)) return [];
    return [{ path, found: found(undefined), allowed: 'an object' }];
  });
}

function namesakes(policies: Scenario['policies']): readonly Problem[] {
  const names = policies.map((policy) => (typeof policy === 'string' ? policy : policy.name));
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return [];
    const allowed = `a name that policies[${first}] has not`;
    return [{ path: `policies[${index}]`, found: `${quote(name)} again`, allowed }];
  });
}
