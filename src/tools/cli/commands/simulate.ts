/** Sends policies into an outage in virtual time, and says what came of it. */

import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { describeScenario } from '../../pages/describe.js';
import { contenderNamed, policyNames } from '../../pages/policies.js';
import { turnedAway, unmatchedRules } from '../../pages/remarks.js';
import type { Candidate, Entry, Report } from '../../pages/report.js';
import { runCandidate } from '../../pages/report.js';
import type { NamedPolicy, Scenario } from '../../pages/scenarios.js';
import { scenarios } from '../../pages/scenarios.js';
import { fillTemplate } from '../../pages/template.js';
import type { TotalsCell, TotalsRow } from '../../pages/totals.js';
import { totalsRows } from '../../pages/totals.js';
import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import { exitCodes, Failure } from '../failure.js';
import { writeText } from '../files.js';
import type { Io } from '../io.js';
import { label, readPolicy } from '../policy-file.js';
import type { Printer } from '../printer.js';
import { Progress } from '../progress.js';
import { readScenario } from '../scenarios-file.js';
import { table, wrap } from '../table.js';

const details = `
Scenarios:
${scenarios.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}
or a file: { "world": { "durationMs": …, "services": [{ "server": …, "faults": […] }] }, "clients": …, "policies": […] }
To start from one of these, take what --json prints as its "scenario".

Policies: a file, "-" for stdin, or one of ${policyNames.join(', ')}.
Without --policy, the scenario has a choice of its own.

It only compares: the exit code is 0 whichever policy is the best, and 2 if one of them has problems.

The report (--out) is one HTML file that needs no network. It has the lab inside: sliders for a policy, its waits, and
the outage run again at once. To open the lab itself, add #lab to the report's address.

  undaunted simulate
  undaunted simulate rate-limit --policy default --policy policy.json --out report.html
  undaunted simulate outage.json --seed 7 --json
`;

/** The page without its data: where it is, depends on how this was built. */
type ReadTemplate = () => Promise<string>;

export function simulateWith(readTemplate: ReadTemplate): Command {
  return defineCommand({
    name: 'simulate',
    summary: 'play an outage in virtual time with several policies, and compare them',
    operands: { usage: '[scenario]', least: 0, most: 1 },
    options: {
      policy: { kind: 'list', value: 'policy', summary: 'a policy to compare: a file or a name' },
      seed: { kind: 'integer', default: 1, most: 4_294_967_295, summary: 'the same seed gives the same run' },
      out: { kind: 'text', value: 'report.html', summary: 'write a report with charts and the lab' },
      json: { kind: 'flag', summary: 'print everything that the report holds, as JSON' },
    },
    details,
    async run({ options, operands: [name = 'seed-outage'] }, io) {
      if (name === '-' && options.policy.includes('-')) {
        throw new Failure('stdin can be read once: put the scenario or the policy into a file.');
      }
      const scenario = await readScenario(name, io);
      const candidates = await candidatesOf(options.policy, scenario, io);
      for (const remark of unmatchedRules(candidates, scenario))
        io.stderr.line(io.stderr.paint('yellow', remark));
      const { seed } = options;
      const entries = runAll(candidates, scenario, seed, new Progress(io.stderr));
      const report: Report = { format: 1, scenario, seed, entries };
      if (options.json) io.stdout.line(JSON.stringify(report));
      else print(io.stdout, report);
      // Last: a run may have taken minutes, and what cannot be written has been told at least.
      if (options.out !== undefined) {
        await writeText(options.out, fillTemplate(await readTemplate(), report), '--out');
        if (!options.json) io.stdout.line(`The report is in ${options.out}. Open it in a browser.`);
      }
      return exitCodes.fine;
    },
  });
}

export const simulate: Command = simulateWith(() =>
  readFile(new URL('../../pages/page.html', import.meta.url), 'utf8'),
);

// ---------------------------------------------------------------- who is compared

async function candidatesOf(written: readonly string[], scenario: Scenario, io: Io): Promise<Candidate[]> {
  if (written.length === 0) return scenario.policies.map(candidateOf);
  const twice = written.find((name, index) => written.indexOf(name) < index);
  if (twice !== undefined) throw new Failure(`--policy ${twice} is there twice: leave one away.`);
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

/** Looking at the clock costs more than most steps of a run. */
const stepsBetweenLooks = 1_000;

function runAll(
  candidates: readonly Candidate[],
  scenario: Scenario,
  seed: number,
  progress: Progress,
): readonly Entry[] {
  const entries = candidates.map((candidate, index) => {
    let steps = 0;
    const trace = (now: number): void => {
      steps += 1;
      if (steps % stepsBetweenLooks !== 0) return;
      progress.show((index + now / scenario.world.durationMs) / candidates.length, candidate.name);
    };
    const circumstances = progress.isOn ? { scenario, seed, trace } : { scenario, seed };
    return { ...candidate, run: runCandidate(candidate, circumstances) };
  });
  progress.end();
  return entries;
}

// ---------------------------------------------------------------- telling

function print(out: Printer, { scenario, seed, entries }: Report): void {
  out.line(out.paint('bold', scenario.title));
  printWrapped(out, describeScenario(scenario));
  const rows = totalsRows({ scenario, entries });
  const names = entries.map(({ name }) => name);
  for (const line of totalsTables(names, rows, out)) out.line(line);
  const isAnyBest = rows.some(({ cells }) => cells.some(({ isBest }) => isBest));
  const legend = isAnyBest ? [`* the best of them, with seed ${seed}`] : [];
  const remarks = [...legend, ...turnedAway({ scenario, entries })];
  if (remarks.length > 0) out.line();
  printWrapped(out, remarks);
}

function printWrapped(out: Printer, sentences: readonly string[]): void {
  for (const line of sentences.flatMap((sentence) => wrap(sentence, out.width))) out.line(line);
}

/** As many policies beside each other as there is room for; the others below. */
function totalsTables(names: readonly string[], rows: readonly TotalsRow[], out: Printer): string[] {
  const tableOf = (from: number, to: number): string[] => {
    const columns = names.slice(from, to).map((name) => ({ title: `${name}  `, align: 'right' as const }));
    const cells = rows.map((row) => [
      row.title,
      ...row.cells.slice(from, to).map((cell) => cellText(cell, out)),
    ]);
    return ['', ...table([{}, ...columns], cells)];
  };
  const fits = (lines: readonly string[]): boolean =>
    lines.every((line) => stripVTControlCharacters(line).length <= out.width);
  const lines: string[] = [];
  for (let from = 0, to = 1; from < names.length; from = to, to += 1) {
    while (to < names.length && fits(tableOf(from, to + 1))) to += 1;
    lines.push(...tableOf(from, to));
  }
  return lines;
}

function cellText({ text, isBest }: TotalsCell, out: Printer): string {
  return isBest ? out.paint('green', `${text} *`) : `${text}  `;
}
