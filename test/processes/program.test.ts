/** What only a process can show: exit codes, signals, pipes that close, and peers that are not installed. */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Program, Running, StartOptions } from '../tools/cli/program.js';
import { buildProgram } from '../tools/cli/program.js';

let program: Program;
const started: Running[] = [];

function start(...args: readonly string[]): Running {
  return startWith({}, ...args);
}

function startWith(options: StartOptions, ...args: readonly string[]): Running {
  const running = program.start(args, options);
  started.push(running);
  return running;
}

beforeAll(async () => {
  program = await buildProgram([]);
});
afterEach(async () => {
  for (const running of started) running.killAll('SIGKILL');
  await Promise.all(started.splice(0).map(({ ended }) => ended));
});
afterAll(() => program.remove());

describe('the exit code', () => {
  test.each<[number, string, string]>([
    [0, '{}', 'check -'],
    [1, '{ "maxRetries": -1 }', 'check -'],
    [2, '{', 'check -'],
    [2, '', 'chekc'],
    [0, '', '--version'],
  ])('is %i for %s in %s', async (code, stdin, args) => {
    const { child, ended } = start(...args.split(' '));
    child.stdin.end(stdin);
    expect(await ended).toEqual({ code, signal: null });
  });
});

describe('a pipe without a reader', () => {
  test('ends what has been said', async () => {
    const { child, written, ended } = start('check', '--json', '-');
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.end('{ "maxRetries": -1 }');
    expect((await ended).signal).toBeNull();
    expect(written.stderr).toBe('');
  });

  test('ends what would go on forever', async () => {
    const { child, written, ended, until } = start('outage', 'server', '--port', '0');
    await until(/Listening/);
    child.stdout.destroy();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(written.stderr).toBe('');
  });
});

describe.skipIf(!existsSync('/dev/full'))('a disk that is full', () => {
  const told = 'undaunted: the output cannot be written: no space left on device.\n';

  test.each([['check -'], ['waits default --json'], ['outage server --port 0']])(
    'is reported in one line, and is not an answer: %s',
    async (args) => {
      const { child, written, ended } = startWith({ output: '/dev/full' }, ...args.split(' '));
      child.stdin.end('{ "maxRetries": -1 }');
      expect(await ended).toEqual({ code: 2, signal: null });
      expect(written.stderr).toBe(told);
    },
  );
});

describe('a signal', () => {
  test('ends a command that has nothing to end itself, at once', async () => {
    const { child, ended } = start('check', '-');
    await once(child, 'spawn');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends a server with %i', async (signal, code) => {
    const { child, written, ended, until } = start('outage', 'server', '--port', '0');
    await until(/Listening/);
    child.kill(signal);
    expect(await ended).toEqual({ code, signal: null });
    expect(written.stderr).toBe('');
  });
});

describe('Ctrl-C in a long simulation', () => {
  /** An hour of ten thousand requests a second: it takes minutes of CPU for each policy. */
  const long = {
    world: {
      durationMs: 3_600_000,
      services: [{ server: { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } }],
    },
    clients: { kind: 'open', count: 1, perSecond: 10_000 },
    // Its rules match nothing, which it remarks on before it begins.
    policies: [{ name: 'mine', policy: { rules: [{ match: '/nothing' }] } }, 'none'],
  };

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends it with %i, and says what is missing', async (signal, code) => {
    const { child, written, ended } = start('simulate', '-', '--json');
    const begun = new Promise<void>((resolve) => {
      child.stderr.on('data', () => written.stderr.includes('does not match') && resolve());
    });
    child.stdin.end(JSON.stringify(long));
    await begun;
    child.kill(signal);
    expect(await ended).toEqual({ code, signal: null });
    expect(JSON.parse(written.stdout)).toMatchObject({ entries: [], missing: ['mine', 'none'] });
    expect(written.stderr).toContain('Interrupted before the first policy was played to the end');
  });
});

test('without undici, it says what to install', async () => {
  const { written, ended } = start('outage', 'clients');
  expect(await ended).toEqual({ code: 2, signal: null });
  expect(written).toEqual({
    stdout: '',
    stderr: 'undaunted: this command needs undici: npm install undici\n',
  });
});
