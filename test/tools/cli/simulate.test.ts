import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulateWith } from '../../../src/tools/cli/commands/simulate.js';
import { commands } from '../../../src/tools/cli/commands.js';
import { Interruption } from '../../../src/tools/cli/failure.js';
import type { Report } from '../../../src/tools/pages/report.js';
import { runCandidate } from '../../../src/tools/pages/report.js';
import { dataPlace } from '../../../src/tools/pages/template.js';
import { scenarios } from '../../../src/tools/sim/scenarios.js';
import { verdictOn } from '../../../src/tools/sim/verdict/verdict.js';
import { smallOutage } from '../pages/runs.js';
import type { Outcome, Surroundings } from './kit.js';
import { undaunted } from './kit.js';

const simulate = simulateWith(async () => `<body>${dataPlace}</body>`);

function run(argv: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  return undaunted(['simulate', ...argv], { ...surroundings, commands: [simulate] });
}

const { name: _, ...written } = smallOutage;
const small = JSON.stringify(written);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulate-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('is one of the commands, and its help names scenarios and policies', async () => {
  expect(commands.map(({ name }) => name)).toContain('simulate');
  const { exitCode, stdout } = await run(['--help']);
  expect(exitCode).toBe(0);
  for (const { name } of scenarios) expect(stdout).toContain(name);
  expect(stdout).toContain('fixed-for-ever');
});

describe('prints', () => {
  test('the verdict first, then the figures, then what was played', async () => {
    const { exitCode, stdout, stderr } = await run(['-'], { stdin: small });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [verdict, , ...lines] = stdout.split('\n');
    expect(verdict).toMatch(/^A server is down for five seconds: the server recovers with every policy/);
    expect(lines[0]).toMatch(
      /^no retry +The server is back to normal at once; during the outage it gets .*\.$/,
    );
    expect(lines[1]).toMatch(/^default +The server is .*\(no retry: .*\.$/);
    expect(lines.slice(3, 7)).toEqual([
      expect.stringMatching(/^ +good\/s +good\/s +good\/s +sent\/s +sent\/s +back to$/),
      expect.stringMatching(/^ +in outage +10 s after +in all +in outage +in all +normal$/),
      expect.stringMatching(/^no retry +0\.0 +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d +at once$/),
      expect.stringMatching(/^default( +\d+\.\d){5} +\S/),
    ]);
    expect(stdout).toContain('\nFrom 5 s to 10 s, the server is down and refuses connections.\n');
    expect(stdout).toMatch(/Seed 1: the same seed gives the same run\.\n$/);
  });

  test('with --details also a column for each policy with the best marked', async () => {
    const { exitCode, stdout, stderr } = await run(['-', '--details'], { stdin: small });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('A server is down for five seconds');
    expect(stdout).toContain('From 5 s to 10 s, the server is down and refuses connections.');
    expect(stdout).toMatch(/^ +none +default$/m);
    expect(stdout).toMatch(/^Attempts +\d+ \* +\d+$/m);
  });

  test('how long requests take, where none is lost but some are slow', async () => {
    const policies = ['--policy', 'none', '--policy', 'service-hedge'];
    const { stdout } = await run(['slow-tail', '--details', ...policies]);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(
      /: 99\.9 % of the requests succeed within \d+ ms with service-hedge \(no retry: /,
    );
    expect(lines.slice(5, 7)).toEqual([
      expect.stringMatching(/ answered +answered +answered$/),
      expect.stringMatching(/ half in +99 % in +99\.9 % in$/),
    ]);
    expect(lines[8]).toMatch(/^service-hedge .* \d+ ms +\d+ ms +\d+ ms$/);
    expect(stdout).toMatch(
      /^The run lasts 6 min\. How long requests take is measured after the first 60 s\.$/m,
    );
    expect(stdout).toMatch(/^Hedges +0 +[1-9]\d+ *$/m);
    expect(stdout).toMatch(/^Hedges that won +0 +[1-9]\d+ *$/m);
  });

  test('no wider than the terminal, however many there are', async () => {
    const policies = ['none', 'axios-retry', 'default', 'service', 'fixed-for-ever'];
    const argv = ['-', '--details', ...policies.flatMap((policy) => ['--policy', policy])];
    const { stdout } = await run(argv, { stdin: small, columns: 60, env: { NO_COLOR: '1' } });
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(lines.filter((line) => line.startsWith('Requests ')).length).toBeGreaterThan(1);
    const totals = lines.slice(lines.findIndex((line) => line.startsWith('Seed ')));
    const titles = totals.filter((line) => /^ {20}/.test(line)).flatMap((line) => line.trim().split(/ +/));
    expect(titles).toEqual(policies);
  });

  test('the same for the same seed, and another thing for another', async () => {
    const [first, again, other] = await Promise.all(
      [
        ['--seed', '7'],
        ['--seed', '7'],
        ['--seed', '8'],
      ].map((seed) => run(['-', ...seed], { stdin: small })),
    );
    expect(again?.stdout).toBe(first?.stdout);
    expect(other?.stdout).not.toBe(first?.stdout);
  });

  test('as JSON the verdict and all that the report holds, and nothing else', async () => {
    const { stdout } = await run(['-', '--json', '--seed', '3', '--policy', 'got'], { stdin: small });
    const report = JSON.parse(stdout) as Report;
    const scenario = { ...smallOutage, name: 'stdin' };
    const expected = runCandidate({ name: 'got' }, { scenario, seed: 3 });
    const played = { format: 1, scenario, seed: 3, entries: [{ name: 'got', run: expected }] };
    const verdict = verdictOn(played);
    expect(report).toEqual(JSON.parse(JSON.stringify({ ...played, verdict })));
    expect(verdict.policies[0]?.figures.good.during).toBe(0);
  });
});

describe('remarks', () => {
  const legend = '* the best of them, with seed 1';

  test('on the best, only where one is marked', async () => {
    const [two, one] = [
      await run(['-', '--details'], { stdin: small }),
      await run(['-', '--details', '--policy', 'got'], { stdin: small }),
    ];
    expect(two.stdout).toContain(`\n\n${legend}\n`);
    expect(one.stdout).not.toContain('*');
    expect(one.stdout).not.toContain('best');
    expect(one.stdout).toMatch(/\S\n$/);
  });

  test('on rules of which none matches, aside from the table', async () => {
    const policy = await file('ruled.json', { rules: [{ match: 'POST /a' }, { match: 'api.example.com' }] });
    const argv = ['-', '--policy', policy, '--policy', 'default'];
    const [plain, json] = [
      await run(argv, { stdin: small }),
      await run([...argv, '--json'], { stdin: small }),
    ];
    const warning = /^None of the 2 rules of .*ruled\.json matches GET http:\/\/first\.example\/: .*\n$/;
    expect([plain.exitCode, json.exitCode]).toEqual([0, 0]);
    expect(plain.stderr).toMatch(warning);
    expect(json.stderr).toMatch(warning);
    expect(plain.stdout).not.toContain('None of');
    expect((JSON.parse(json.stdout) as Report).entries).toHaveLength(2);
  });

  test('on requests that were turned away, no wider than the terminal', async () => {
    const thinking = { ...written, clients: { kind: 'closed', count: 200, thinkMs: 1_000 } };
    const argv = ['-', '--details', '--policy', 'default', '--policy', 'service'];
    const { stdout } = await run(argv, {
      stdin: JSON.stringify(thinking),
      columns: 60,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toContain(`\n${legend}\nA client whose request is refused`);
    expect(stdout).not.toContain('Success rate');
    expect(stdout.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });
});

describe('policies', () => {
  test('come from files and by name, in the order that was asked for', async () => {
    const [scenario, policy] = [await file('small.json', small), await file('mine.json', { maxRetries: 1 })];
    const { stdout } = await run([scenario, '--json', '--policy', policy, '--policy', 'axios-retry']);
    const { entries } = JSON.parse(stdout) as Report;
    expect(entries.map(({ name, policy: data }) => [name, data])).toEqual([
      [policy, { maxRetries: 1 }],
      ['axios-retry', undefined],
    ]);
  });

  test('come with a scenario that was printed, to start from', async () => {
    const printed = await run(['-', '--json'], { stdin: small });
    const { scenario } = JSON.parse(printed.stdout) as Report;
    const { exitCode, stdout } = await run(['-', '--json'], { stdin: JSON.stringify(scenario) });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(printed.stdout));
  });

  test('come from the scenario, if no others are given', async () => {
    const policies = ['ky', { name: 'mine', policy: { maxRetries: 1 } }];
    const { stdout } = await run(['-', '--json'], { stdin: JSON.stringify({ ...written, policies }) });
    expect((JSON.parse(stdout) as Report).entries.map(({ name }) => name)).toEqual(['ky', 'mine']);
  });

  test.each([
    [
      ['--policy', 'axois-retry'],
      'axois-retry cannot be read: there is no such file. Did you mean axios-retry?',
    ],
    [['--policy', '-'], 'stdin can be read only once: put the scenario or the policy into a file.'],
    [['--policy', 'got', '--policy', 'got'], '--policy got is given twice: remove one.'],
    [['--seed', 'one'], '--seed is "one", but must be a whole number from 0 to 4294967295.'],
  ])('that are invalid are refused: %o', async (argv, message) => {
    const { exitCode, stdout, stderr } = await run(['-', ...argv], { stdin: small });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `undaunted: ${message}\n`,
    });
  });

  test('with problems are refused with all of them', async () => {
    const path = await file('wrong.json', { maxRetry: 1, deadlineMs: -1 });
    const { exitCode, stderr } = await run(['-', '--policy', path], { stdin: small });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${path}: The policy has 2 problems:`);
    expect(stderr).toContain('Did you mean "maxRetries"?');
  });
});

test.each([
  ['brownout', 'Did you mean brown-out?'],
  [
    'nonsense',
    'Known names: seed-outage, deep-backlog, surge, layers, metastable, five-layers, shared-quota, fan-out, dashboards, rate-limit, noisy-tenant, new-limit, brown-out, deploy, pause, flapping, broken-route, bad-backend, slow-tail, slow-backend, slow-by-nature.',
  ],
])('the unknown scenario %s is refused, with the known ones', async (name, advice) => {
  const { exitCode, stderr } = await run([name]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(`undaunted: ${name} cannot be read: there is no such file. ${advice}\n`);
});

describe('the report', () => {
  test('is written where it was asked for', async () => {
    const out = join(folder, 'report.html');
    const { stdout } = await run(['-', '--out', out], { stdin: small });
    expect(stdout).toContain(`The report is in ${out}.`);
    const page = await readFile(out, 'utf8');
    expect(page).toMatch(/^<body><script type="application\/json" id="report">\{"format":1,/);
  });

  test('that cannot be written is a failure, which loses no table', async () => {
    const out = join(folder, 'nowhere', 'report.html');
    const { exitCode, stdout, stderr } = await run(['-', '--out', out], { stdin: small });
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^default( +\d+\.\d){5} /m);
    expect(stdout).not.toContain('The report');
    expect(stderr).toMatch(
      /^undaunted: .*nowhere.* cannot be written: there is no such folder\. Choose another file with --out\.\n$/,
    );
  });
});

describe('Ctrl-C', () => {
  /** Aborted as soon as the policies are asked about so often: the scenario's own order decides what is played then. */
  function interruptedAfter(looks: number): AbortSignal {
    const controller = new AbortController();
    let left = looks;
    return new Proxy(controller.signal, {
      get(signal, key) {
        if (key === 'aborted' && left-- <= 0) controller.abort(new Interruption(130));
        const value: unknown = Reflect.get(signal, key, signal);
        return typeof value === 'function' ? value.bind(signal) : value;
      },
    });
  }

  // A look for each second of the thirty, and a few of the second policy's.
  const inTheSecond = 40;

  test('prints what has been played, says that it is partial, and ends with 130', async () => {
    const { exitCode, stdout, stderr } = await run(['-'], {
      stdin: small,
      interruption: interruptedAfter(inTheSecond),
    });
    expect(exitCode).toBe(130);
    expect(stdout).toContain('the server recovers with no retry.\n');
    expect(stdout).toMatch(/^no retry( +\d+\.\d){5} /m);
    expect(stdout).not.toContain('default');
    expect(stderr).toBe('Interrupted: this comparison is partial and lacks default.\n');
  });

  test('leaves JSON whole, with the names of what is missing', async () => {
    const { exitCode, stdout } = await run(['-', '--json'], {
      stdin: small,
      interruption: interruptedAfter(inTheSecond),
    });
    const report = JSON.parse(stdout) as Report & { readonly missing?: readonly string[] };
    expect(exitCode).toBe(130);
    expect(report.entries.map(({ name }) => name)).toEqual(['none']);
    expect(report.missing).toEqual(['default']);
  });

  test('before anything is known says so, and writes no report', async () => {
    const out = join(folder, 'interrupted.html');
    const { exitCode, stdout, stderr } = await run(['-', '--out', out], {
      stdin: small,
      interruption: interruptedAfter(0),
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
    expect(stderr).toMatch(/^Interrupted before the first policy was played to the end/);
    await expect(readFile(out)).rejects.toThrow('ENOENT');
  });
});
