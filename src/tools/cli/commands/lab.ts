/** The lab as a page in the browser: change a policy, and see what it does in an outage. */

import { once } from 'node:events';
import { readLink } from '../../pages/link.js';
import type { Report } from '../../pages/report.js';
import { fillTemplate } from '../../pages/template.js';
import type { NamedPolicy, Scenario } from '../../sim/internal.js';
import { contenderNamed, policyNamed, policyNames, scenarios } from '../../sim/internal.js';
import type { Command } from '../command.js';
import { defineCommand } from '../command.js';
import { exitCodes, Failure } from '../failure.js';
import { writeText } from '../files.js';
import { readTemplate } from '../installed.js';
import type { Io } from '../io.js';
import type { OpenBrowser } from '../lab/browser.js';
import { openInBrowser } from '../lab/browser.js';
import { openPageServer } from '../lab/page-server.js';
import { label, readPolicy } from '../policy-file.js';
import { readScenario } from '../scenarios-file.js';

const details = `
The lab has sliders for a policy, shows its waits, and runs it at once in an outage, a rate limit or an ordinary day
beside another policy. It runs in your browser and needs no network. "Copy link" in the lab copies an address that
holds the policy, the scenario and the seed; give such a link to this command to open it here.

[scenario] is a name or a file, as in simulate.

  undaunted lab
  undaunted lab rate-limit --policy policy.json
  undaunted lab 'http://127.0.0.1:4321/#lab=1&scenario=surge'
  undaunted lab --out lab.html
`;

interface LabSurroundings {
  /** The page without its data. Where it is depends on the build. */
  readTemplate(): Promise<string>;
  openBrowser: OpenBrowser;
}

export function labWith({ readTemplate, openBrowser }: LabSurroundings): Command {
  return defineCommand({
    name: 'lab',
    summary: 'open the lab in the browser: change a policy and see at once what it does',
    operands: { usage: '[scenario | link]', least: 0, most: 1 },
    options: {
      policy: { kind: 'list', value: 'policy', summary: 'a policy to start from: a file or a name' },
      seed: { kind: 'integer', default: 1, most: 4_294_967_295, summary: 'the same seed gives the same run' },
      port: {
        kind: 'integer',
        default: 0,
        most: 65_535,
        summary: 'the port on 127.0.0.1; 0: any free one',
      },
      'no-open': { kind: 'flag', summary: 'only print the address' },
      out: { kind: 'text', value: 'lab.html', summary: 'write the page to a file and serve nothing' },
    },
    details,
    async run({ options, operands: [asked = ''] }, io) {
      const fragment = linkIn(asked);
      const name = fragment === '' ? asked : '';
      const scenario = name === '' ? firstScenario() : await readScenario(name, io);
      const policies = await startPolicies(options.policy, io);
      const report = labOf(scenario, policies, options.seed);
      if (options.out !== undefined) {
        const page = fillTemplate(await readTemplate(), {
          ...report,
          ...(fragment !== '' && { link: fragment }),
        });
        await writeText(options.out, page, '--out');
        io.stdout.line(`The lab is in ${options.out}. Open it in a browser.`);
        return exitCodes.fine;
      }
      const page = fillTemplate(await readTemplate(), report);
      const isOpened = io.stdout.isTerminal && !options['no-open'];
      return serve(page, { port: options.port, fragment, open: isOpened ? openBrowser : () => {} }, io);
    },
  });
}

export const lab: Command = labWith({ readTemplate, openBrowser: openInBrowser });

// ---------------------------------------------------------------- what it begins with

/** The checked part of a link after its #, with the #. Empty if a scenario was given: its name has no #. */
function linkIn(asked: string): string {
  const [, ...rest] = asked.split('#');
  if (rest.length === 0) return '';
  const fragment = rest.join('#');
  const read = readLink(fragment, { scenarios: scenarios.map(({ name }) => name), policies: policyNames });
  if (read.kind === 'broken') throw new Failure(`the link cannot be used: ${read.fault}.`);
  return `#${fragment}`;
}

function firstScenario(): Scenario {
  const [first] = scenarios;
  if (first === undefined) throw new Error('There are no scenarios');
  return first;
}

/** A name that stands for another library can only be compared with; the lab starts from the first of the others. */
async function startPolicies(written: readonly string[], io: Io): Promise<NamedPolicy[]> {
  const policies: NamedPolicy[] = [];
  for (const name of written) {
    const isCode = contenderNamed(name) !== undefined && policyNamed(name) === undefined;
    policies.push(isCode ? name : { name: label(name), policy: await readPolicy(name, io, policyNames) });
  }
  return policies;
}

/** A report without runs: the page runs them itself. */
function labOf(scenario: Scenario, policies: readonly NamedPolicy[], seed: number): Report {
  const named = policies.map(nameOf);
  const others = scenario.policies.filter((policy) => !named.includes(nameOf(policy)));
  return { format: 1, scenario: { ...scenario, policies: [...policies, ...others] }, seed, entries: [] };
}

function nameOf(policy: NamedPolicy): string {
  return typeof policy === 'string' ? policy : policy.name;
}

// ---------------------------------------------------------------- serving

interface Serving {
  readonly port: number;
  readonly fragment: string;
  readonly open: OpenBrowser;
}

async function serve(page: string, { port, fragment, open }: Serving, io: Io): Promise<never> {
  const ended = io.interruption();
  const server = await openPageServer(page, port);
  try {
    const address = `${server.url}${fragment}`;
    io.stdout.line(`The lab is at ${address}`);
    io.stdout.line('Press Ctrl-C to end it.');
    open(address);
    if (!ended.aborted) await once(ended, 'abort');
    throw ended.reason;
  } finally {
    await server.close();
  }
}
