import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/tools/cli/command.js';
import { defineCommand } from '../../../src/tools/cli/command.js';
import { commands } from '../../../src/tools/cli/commands.js';
import { exitCodes, Interruption } from '../../../src/tools/cli/failure.js';
import { undaunted } from './kit.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string; description: string };

const greet: Command = defineCommand({
  name: 'greet',
  summary: 'say hello',
  operands: { usage: '<name>', least: 1, most: 1 },
  options: { loud: { kind: 'flag', summary: 'in capitals' } },
  async run({ options, operands: [name = ''] }, io) {
    io.stdout.line(options.loud ? name.toUpperCase() : name);
    return exitCodes.no;
  },
});

describe('what is asked of all commands', () => {
  test.each([['--help'], ['-h'], ['help']])('%s lists every command and the exit codes', async (asked) => {
    const { exitCode, stdout, stderr } = await undaunted([asked]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(manifest.description);
    for (const { name, summary } of commands)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    expect([...stdout.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => code)).toEqual(['0', '1', '2', '130']);
  });

  test('--help says which commands end with 1, and which of them only tell', async () => {
    const { stdout } = await undaunted(['--help']);
    expect(stdout).toMatch(/^ {2}0 +success; explain, waits and simulate only inform/m);
    expect(stdout).toMatch(/^ {2}1 +check found problems, or the server of outage clients did not/m);
    expect(stdout).toMatch(/^ {2}2 +wrong usage, .* or an invalid policy \(except in check\)$/m);
  });

  test.each([['--version'], ['-v'], ['-V']])('%s is that of the package', async (asked) => {
    expect(await undaunted([asked])).toEqual({
      exitCode: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  test('nothing at all is wrong usage, and gets the help', async () => {
    const { exitCode, stdout, stderr } = await undaunted([]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: undaunted <command> [options]');
  });
});

describe('what is asked of one command', () => {
  test.each(commands.map((command) => [command.name, command] as const))(
    'undaunted %s --help tells every option',
    async (name, { options, summary }) => {
      const { exitCode, stdout } = await undaunted([...name.split(' '), '--help']);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`Usage: undaunted ${name} `);
      expect(stdout.toLowerCase()).toContain(`${summary}.`.toLowerCase());
      for (const option of Object.keys(options)) expect(stdout).toMatch(new RegExp(`^  --${option} `, 'm'));
    },
  );

  test.each(commands.map((command) => [command.name, command] as const))(
    'undaunted %s --help tells what a time without a unit is, where one can be given',
    async (name, { options }) => {
      const takesTimes = Object.values(options).some(({ kind }) => kind === 'duration');
      const { stdout } = await undaunted([...name.split(' '), '--help']);
      expect(stdout.includes('A number alone is in seconds')).toBe(takesTimes);
      expect(stdout.includes(' <time> ')).toBe(takesTimes);
    },
  );

  test('its paragraphs are as wide as the terminal, and its examples stay whole, to be copied', async () => {
    const example = '  undaunted greet --loud somebody-with-a-name-that-is-long';
    const details = `
Of a paragraph, the lines are wrapped anew: where
they end here does not matter.

${example}
  undaunted greet ada
`;
    const asked = async (columns?: number) => {
      const surroundings = columns === undefined ? {} : { columns, env: { NO_COLOR: '1' } };
      const { stdout } = await undaunted(['help', 'greet'], {
        ...surroundings,
        commands: [{ ...greet, details }],
      });
      return stdout.slice(stdout.indexOf('Of a paragraph')).split('\n');
    };
    const examples = ['', example, '  undaunted greet ada', ''];
    expect(await asked(30)).toEqual([
      'Of a paragraph, the lines are',
      'wrapped anew: where they end',
      'here does not matter.',
      ...examples,
    ]);
    const line = 'Of a paragraph, the lines are wrapped anew: where they end here does not matter.';
    expect(await asked(90)).toEqual([line, ...examples]);
    expect(await asked()).toEqual([line, ...examples]);
  });

  test('in a pipe, too, its paragraphs end somewhere', async () => {
    const { stdout } = await undaunted(['simulate', '--help']);
    const paragraphs = stdout.split('\n').filter((line) => !line.startsWith(' '));
    expect(Math.max(...paragraphs.map(({ length }) => length))).toBeLessThanOrEqual(120);
  });

  test('help is help in front of the command, too', async () => {
    const [behind, inFront] = [await undaunted(['check', '--help']), await undaunted(['help', 'check'])];
    expect(inFront).toEqual(behind);
  });

  test('help is asked for, whatever else is wrong', async () => {
    const { exitCode, stdout } = await undaunted(['greet', '-h'], { commands: [greet] });
    expect([exitCode, stdout.split('\n')[0]]).toEqual([0, 'Usage: undaunted greet <name> [options]']);
  });

  test('it gets its arguments, and its exit code is the answer', async () => {
    const answer = await undaunted(['greet', '--loud', 'ada'], { commands: [greet] });
    expect(answer).toEqual({ exitCode: 1, stdout: 'ADA\n', stderr: '' });
  });

  test('an interruption is told by the exit code alone', async () => {
    const interrupted: Command = {
      ...greet,
      run: async () => {
        throw new Interruption(130);
      },
    };
    const answer = await undaunted(['greet', 'ada'], { commands: [interrupted] });
    expect(answer).toEqual({ exitCode: 130, stdout: '', stderr: '' });
  });

  test('a bug is not reported as a mistake of the user', async () => {
    const buggy: Command = {
      ...greet,
      run: async () => {
        throw new TypeError('undefined is not a function');
      },
    };
    await expect(undaunted(['greet', 'ada'], { commands: [buggy] })).rejects.toThrow(TypeError);
  });
});

describe('one line says what is wrong, and what to do', () => {
  test.each<[string, string]>([
    ['chekc', 'unknown command "chekc". Did you mean check? See: undaunted --help'],
    ['--jsn', 'unknown option "--jsn". See: undaunted --help'],
    ['zzzzzzzz', 'unknown command "zzzzzzzz". See: undaunted --help'],
    ['outage', '"outage" needs one of: server, clients. See: undaunted outage --help'],
    ['outage --port 1', '"outage" needs one of: server, clients. See: undaunted outage --help'],
    [
      'outage sever',
      'unknown command "outage sever". Did you mean outage server? See: undaunted outage --help',
    ],
    ['check a --jsn', 'unknown option --jsn. Did you mean --json? See: undaunted check --help'],
    ['check -j a', 'unknown option -j. See: undaunted check --help'],
    ['check a --constructor', 'unknown option --constructor. See: undaunted check --help'],
    ['check', '<policy.json> is missing. Usage: undaunted check <policy.json>'],
    ['explain a', '<request> is missing. Usage: undaunted explain <policy.json> <request>'],
    ['check a b', 'unexpected argument "b". Usage: undaunted check <policy.json>'],
    ['outage server a', 'unexpected argument "a". Usage: undaunted outage server'],
  ])('undaunted %s', async (typed, message) => {
    const { exitCode, stdout, stderr } = await undaunted(typed.split(' '));
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `undaunted: ${message}\n`,
    });
  });

  test.each([[['outage', '--help']], [['outage', '-h']], [['outage', 'help']], [['help', 'outage']]])(
    '%s shows the group itself, and its commands',
    async (argv) => {
      const { exitCode, stdout } = await undaunted(argv);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('Usage: undaunted outage <command> [options]\n');
      expect(stdout).not.toContain('--version');
      expect(stdout).toMatch(/^ {2}outage server /m);
      expect(stdout).not.toMatch(/^ {2}check /m);
    },
  );
});

const policy = JSON.stringify({
  deadlineMs: 30,
  rules: [
    { match: 'GET api.example.com/search/*', maxRetries: 1 },
    { match: '*.github.com', hints: 'github', hold: true },
    { match: '/health', retry: false },
  ],
});

describe.each([40, 80, 120])('on a terminal of %i columns', (columns) => {
  test.each([
    ['waits', 'service'],
    ['waits', 'default', '--json'],
    ['explain', '-', 'POST https://api.example.com/payments'],
    [
      'explain',
      '-',
      'POST https://api.example.com/payments',
      '--status',
      '503',
      '--header',
      'retry-after: 2',
    ],
    ['explain', '-', 'GET https://api.example.com/search/x', '--error', 'ECONRESET'],
    ['check', '-'],
    ['check', 'none.json'],
    ['chekc'],
    ['waits', 'default', '--rule', '5'],
  ])('every line of undaunted %s fits', async (...argv) => {
    const { stdout, stderr } = await undaunted(argv, { columns, stdin: policy, env: { NO_COLOR: '1' } });
    const lines = `${stdout}${stderr}`.split('\n');
    // A word that is longer than that stays whole, to be copied.
    const isBreakable = (line: string) => line.trim().includes(' ');
    expect(lines.filter((line) => line.length > columns && isBreakable(line.slice(0, columns)))).toEqual([]);
  });
});
