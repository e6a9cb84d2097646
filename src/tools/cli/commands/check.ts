/** Lists everything that is wrong with a policy. */

import type { PolicyOptions, Problem } from '../../../index.js';
import { definePolicy, PolicyError } from '../../../index.js';
import { checkPolicy, wholeBodies } from '../../../internal.js';
import { dataPolicyNames, policyNamed } from '../../sim/internal.js';
import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import { exitCodes } from '../failure.js';
import { label, readJson, remarksOn, remarkText } from '../policy-file.js';
import type { Printer } from '../printer.js';

export const check: Command = defineCommand({
  name: 'check',
  summary: 'check a policy file and list everything that is wrong with it',
  operands: { usage: '<policy.json>', least: 1, most: 1 },
  options: {
    json: {
      kind: 'flag',
      summary:
        'print { "valid": …, "problems": [{ path, found, allowed, advice }], "remarks": [{ path, says, advice }] }',
    },
  },
  details: `
The policy is a file, "-" for stdin, or one of ${dataPolicyNames.join(', ')}.
Exits with 1 if there are problems. A remark is not one: the policy is valid, but may not say what you mean.

  undaunted check policy.json
  git show HEAD:policy.json | undaunted check -
`,
  async run({ options, operands: [name = ''] }, io) {
    const named = policyNamed(name);
    const read =
      named === undefined ? await readJson(name, io, dataPolicyNames) : { value: named, twice: [] };
    const { value: policy, twice } = read;
    const problems = [...twice, ...checkPolicy(policy)];
    const valid = problems.length === 0;
    const remarks = valid ? [...remarksOn(definePolicy(policy as PolicyOptions))] : [];
    // What a known name stands for is no news.
    if (valid && named === undefined) remarks.push(...wholeBodies(policy as PolicyOptions));
    if (options.json) io.stdout.line(JSON.stringify({ valid, problems, remarks }, null, 2));
    else {
      print(io.stdout, label(name), policy, problems);
      for (const remark of remarks) io.stdout.text(`  - ${remarkText(remark)}`);
    }
    return problems.length === 0 ? exitCodes.fine : exitCodes.no;
  },
});

function print(out: Printer, name: string, policy: unknown, problems: readonly Problem[]): void {
  if (problems.length > 0) {
    out.text(`${out.paint('red', name)}: ${new PolicyError(problems).message}`);
    return;
  }
  const { rules = [] } = policy as PolicyOptions;
  out.text(
    `${out.paint('green', name)}: valid, with ${rules.length || 'no'} ${rules.length === 1 ? 'rule' : 'rules'}.`,
  );
}
