/** Shows how long a policy waits before each retry. */

import type { Policy, Rule } from '../../../index.js';
import { dataPolicyNames } from '../../sim/internal.js';
import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import { exitCodes, Failure } from '../failure.js';
import { writeText } from '../files.js';
import { label, readDefined, remarksOn, remarkText } from '../policy-file.js';
import { pictureOf } from '../waits/picture.js';
import type { Plan } from '../waits/plan.js';
import { planOf } from '../waits/plan.js';
import { glyphsFor, printPlan } from '../waits/print.js';

export const waits: Command = defineCommand({
  name: 'waits',
  summary: 'how long a policy waits before each retry',
  operands: { usage: '<policy.json>', least: 1, most: 1 },
  options: {
    rule: {
      kind: 'integer',
      summary: 'number of the rule, from 0 (default: the settings where no rule matches)',
      least: 0,
    },
    svg: { kind: 'text', value: 'file', summary: 'write a chart that fits light and dark pages' },
    json: { kind: 'flag', summary: 'print the numbers as JSON' },
  },
  details: `
The policy is a file, "-" for stdin, or one of ${dataPolicyNames.join(', ')}.

For each retry, it prints the shortest, the longest and the median wait, and the same for the time since the first
failure. The median of a sum is not the sum of the medians, so it is simulated, with a fixed seed. Waits that a server
asks for are not included.

  undaunted waits policy.json
  undaunted waits policy.json --rule 2 --svg waits.svg
`,
  async run({ options, operands: [name = ''] }, io) {
    const policy = await readDefined(name, io);
    const rule = ruleAt(policy, options.rule);
    const plan = planOf(`${label(name)}, ${placeOf(rule, policy)}`, rule);
    if (options.svg !== undefined) await draw(plan, options.svg);
    if (options.json) io.stdout.line(JSON.stringify(dataOf(plan, rule), null, 2));
    else printPlan(io.stdout, plan, glyphsFor(process.env, process.platform));
    for (const remark of remarksOn(policy)) io.stderr.text(remarkText(remark));
    return exitCodes.fine;
  },
});

function ruleAt({ rules, fallback }: Policy, index: number | undefined): Rule {
  if (index === undefined) return fallback;
  const rule = rules[index];
  if (rule !== undefined) return rule;
  const known = rules.length === 0 ? 'it has none' : `its rules are numbered 0 to ${rules.length - 1}`;
  throw new Failure(`--rule is ${index}, but the policy has no such rule: ${known}.`);
}

function placeOf({ index, name }: Rule, { rules }: Policy): string {
  if (index >= 0) return `rules[${index}] "${name}"`;
  return rules.length === 0 ? 'for all requests' : 'where no rule matches';
}

async function draw(plan: Plan, file: string): Promise<void> {
  if (plan.maxRetries === 0) throw new Failure('--svg has nothing to draw: this policy does not retry.');
  await writeText(file, pictureOf(plan), '--svg');
}

function dataOf({ maxRetries, deadlineMs, parts }: Plan, { index, name }: Rule): object {
  const schedules = Object.fromEntries(parts.map(({ key, waits: some }) => [key, some]));
  return { rule: { index, name }, maxRetries, deadlineMs, ...schedules };
}
