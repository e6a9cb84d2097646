/** Runs policies through a scenario in virtual time, and compares them. */

import { setImmediate } from 'node:timers/promises';
import { unmatchedRules } from '../../pages/remarks.js';
import type { Candidate, Circumstances, Entry, Report } from '../../pages/report.js';
import { runBySecond } from '../../pages/report.js';
import { fillTemplate } from '../../pages/template.js';
import type { NamedPolicy, Scenario, ScenarioGroup } from '../../sim/internal.js';
import { contenderNamed, policyNames, scenarioGroups, scenarios, verdictOn } from '../../sim/internal.js';
import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import { exitCodes, Failure } from '../failure.js';
import { writeText } from '../files.js';
import { readTemplate } from '../installed.js';
import type { Io } from '../io.js';
import { label, readPolicy } from '../policy-file.js';
import { Progress } from '../progress.js';
import { readScenario } from '../scenarios-file.js';
import { printComparison } from '../simulate/print.js';

const nameWidth = Math.max(...scenarios.map(({ name }) => name.length));

const details = `
Scenarios:
${scenarioGroups.map(groupText).join('\n')}

A scenario of your own is a file:

  { "world": { "durationMs": …, "services": [{ "server": …, "faults": […] }] },
    "clients": …, "policies": […] }

To start from one of these, take what --json prints as its "scenario".

Policies: a file, "-" for stdin, or one of ${policyNames.join(', ')}.
Without --policy, it compares those that the scenario suggests, beginning with "none" (no retry).

Policies are compared by good requests a second, by the load on the server and by the time to recovery. Shares of the
requests would mislead: a client whose request is refused at once comes back sooner and sends more requests.

The exit code is 0 regardless of the result, and 2 if a policy has problems. Ctrl-C prints
the results so far and exits with 130.

The report (--out) is one HTML file that needs no network. It has the lab inside: sliders for a policy, its waits, and
the outage run again at once. undaunted lab opens the lab without a report.

  undaunted simulate
  undaunted simulate rate-limit --policy default --policy policy.json --out report.html
  undaunted simulate outage.json --seed 7 --json
`;

function groupText({ title, scenarios: grouped }: ScenarioGroup): string {
  const lines = grouped.map(({ name, title: about }) => `    ${name.padEnd(nameWidth)}  ${about}`);
  return [`  ${title}`, ...lines].join('\n');
}

/** The page without its data: where it is, depends on how this was built. */
type ReadTemplate = () => Promise<string>;

export function simulateWith(readTemplate: ReadTemplate): Command {
  return defineCommand({
    name: 'simulate',
    summary: 'play an outage or another scenario in virtual time with several policies, and compare them',
    operands: { usage: '[scenario]', least: 0, most: 1 },
    options: {
      policy: { kind: 'list', value: 'policy', summary: 'a policy to compare: a file or a name' },
      seed: { kind: 'integer', default: 1, most: 4_294_967_295, summary: 'the same seed gives the same run' },
      out: { kind: 'text', value: 'report.html', summary: 'write a report with charts and the lab' },
      details: { kind: 'flag', summary: 'print all totals of each policy as well' },
      json: { kind: 'flag', summary: 'print the verdict and everything that the report holds, as JSON' },
    },
    details,
    async run({ options, operands: [name = 'seed-outage'] }, io) {
      if (name === '-' && options.policy.includes('-')) {
        throw new Failure('stdin can be read only once: put the scenario or the policy into a file.');
      }
      const scenario = await readScenario(name, io);
      const candidates = await candidatesOf(options.policy, scenario, io);
      const signal = io.interruption();
      for (const remark of unmatchedRules(candidates, scenario))
        io.stderr.line(io.stderr.paint('yellow', remark));
      const { seed } = options;
      const entries = await playAll(candidates, { scenario, seed }, new Progress(io.stderr), signal);
      const report: Report = { format: 1, scenario, seed, entries };
      const missing = candidates.slice(entries.length).map(({ name: missed }) => missed);
      if (options.json) io.stdout.line(JSON.stringify(forPrograms(report, missing)));
      else if (entries.length > 0) printComparison(io.stdout, report, options.details);
      if (missing.length > 0) {
        io.stderr.line(interruptionText(entries.length, missing));
        signal.throwIfAborted();
      }
      // Last: a run may take minutes, and its table is printed even if the file cannot be written.
      if (options.out !== undefined) {
        await writeText(options.out, fillTemplate(await readTemplate(), report), '--out');
        if (!options.json) io.stdout.line(`The report is in ${options.out}. Open it in a browser.`);
      }
      return exitCodes.fine;
    },
  });
}

function interruptionText(played: number, missing: readonly string[]): string {
  return played === 0
    ? 'Interrupted before the first policy was played to the end: there is nothing to show.'
    : `Interrupted: this comparison is partial and lacks ${missing.join(', ')}.`;
}

/** The report, the verdict on it and, after an interruption, the names of the policies that it lacks. */
function forPrograms(report: Report, missing: readonly string[]): object {
  return { ...report, verdict: verdictOn(report), ...(missing.length > 0 && { missing }) };
}

export const simulate: Command = simulateWith(readTemplate);

// ---------------------------------------------------------------- who is compared

async function candidatesOf(written: readonly string[], scenario: Scenario, io: Io): Promise<Candidate[]> {
  if (written.length === 0) return scenario.policies.map(candidateOf);
  const twice = written.find((name, index) => written.indexOf(name) < index);
  if (twice !== undefined) throw new Failure(`--policy ${twice} is given twice: remove one.`);
  const candidates: Candidate[] = [];
  for (const name of written) {
    const isKnown = contenderNamed(name) !== undefined;
    candidates.push(
      isKnown ? { name } : { name: label(name), policy: await readPolicy(name, io, policyNames) },
    );
  }
  return candidates;
}

function candidateOf(policy: NamedPolicy): Candidate {
  return typeof policy === 'string' ? { name: policy } : policy;
}

// ---------------------------------------------------------------- running

/** A signal is noticed between two slices of work, and so is a reader who has gone. */
const sliceMs = 50;

/** Plays all candidates; after an interruption, returns those that were played to the end. */
async function playAll(
  candidates: readonly Candidate[],
  circumstances: Circumstances,
  progress: Progress,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const candidate of candidates) {
    const steps = runBySecond(candidate, circumstances);
    let restAt = performance.now() + sliceMs;
    let step = steps.next();
    for (; step.done !== true && !signal.aborted; step = steps.next()) {
      progress.show((entries.length + step.value) / candidates.length, candidate.name);
      if (performance.now() < restAt) continue;
      await setImmediate();
      restAt = performance.now() + sliceMs;
    }
    if (step.done !== true) break;
    entries.push({ ...candidate, run: step.value });
  }
  progress.clear();
  return entries;
}
