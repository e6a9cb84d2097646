/**
 * The whole scenario with real processes, in a few seconds; and that nothing is left of it, however it ends. They mostly
 * wait, so they do it together.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { presets } from '../../src/core/policy/presets.js';
import type { Program, Running, StartOptions } from '../tools/cli/program.js';
import { buildProgram, isAlive } from '../tools/cli/program.js';

let program: Program;
const folder = mkdtempSync(join(tmpdir(), 'outage-'));

/** Starts `undaunted outage …`, and ends what is left of it with the test. */
type Start = (args: readonly string[], options?: StartOptions) => Running;

function startFor({ onTestFinished }: TestContext): Start {
  return (args, options) => {
    const running = program.start(['outage', ...args], options);
    onTestFinished(async () => {
      running.killAll('SIGKILL');
      await running.ended;
    });
    return running;
  };
}

beforeAll(async () => {
  program = await buildProgram(['undici']);
});
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true });
});

/** Fifty clients that ask as much as a thousand would. */
const crowd = ['--clients', '50', '--lambda', '300ms', '--timeout', '300ms'] as const;

/** Of the server that the clients have started. */
async function serverOf({ until }: Running): Promise<number> {
  const [, pid] = await until(/ \(process (\d+)\)\n/);
  return Number(pid);
}

/** A row of the summary, by its columns. */
function rates({ written }: Running, label: string): number[] {
  const [row = ''] = new RegExp(`^${label} .*$`, 'm').exec(written.stdout) ?? [];
  return row.slice(label.length).trim().split(/ +/).map(Number);
}

describe.concurrent('one command plays it', () => {
  test('and `service` leaves a stopped server alone', async (context) => {
    const start = startFor(context);
    const policy = join(folder, 'service.json');
    // Long enough for a machine that starts a dozen of programs beside it: nothing else may shut the gate.
    // And it shuts as soon as the first of them are over, since four seconds are all that there is to see.
    const gate = { deadForMs: 0 };
    writeFileSync(policy, JSON.stringify({ ...presets.policies.service, attemptTimeoutMs: 1_000, gate }));
    const stop = ['--stop-after', '3', '--stop-for', '4', '--duration', '9s'];
    const patient = ['--clients', '50', '--lambda', '300ms', '--timeout', '1s'];
    const clients = start(['clients', ...patient, ...stop, '--policy', policy]);
    const pid = await serverOf(clients);
    const { code, signal } = await clients.ended;
    expect([0, 1]).toContain(code);
    expect([signal, clients.written.stderr, isAlive(pid)]).toEqual([null, '', false]);
    const { stdout } = clients.written;
    expect(stdout).toMatch(
      /^per second: OK \d+\.\d\d, errors \d+\.\d\d, timed out \d+\.\d\d, refused \d+\.\d\d$/m,
    );
    expect(stdout.indexOf('SIGCONT after')).toBeGreaterThan(stdout.indexOf('SIGSTOP after'));
    expect(stdout).toMatch(
      code === 0
        ? /service\.json: the server is back to normal/
        : /service\.json: the server (does not|is not back)/,
    );
    const [before = 0, stopped] = rates(clients, 'attempts');
    expect(before).toBeGreaterThan(0);
    // Fifty are under way when it stops, and end after a second: that is 13 a second. Clients that never retried, but
    // had no gate, would go on to send fifty in each 1.3 s.
    expect(stopped).toBeLessThan(26);
    expect(rates(clients, 'OK')[0]).toBeGreaterThan(0);
    expect(Math.max(...rates(clients, 'refused, not sent'))).toBeGreaterThan(0);
  });

  test('and without a gate, no request is refused', async (context) => {
    const start = startFor(context);
    const stop = ['--stop-after', '1', '--stop-for', '1', '--duration', '3s'];
    const policies = ['fixed', 'article', 'default'];
    const runs = policies.map((policy) => start(['clients', ...crowd, ...stop, '--policy', policy]));
    for (const clients of runs) {
      const pid = await serverOf(clients);
      const { code, signal } = await clients.ended;
      expect([0, 1]).toContain(code);
      expect([signal, clients.written.stderr, isAlive(pid)]).toEqual([null, '', false]);
      expect(Math.max(...rates(clients, 'refused, not sent'))).toBe(0);
      expect(Math.max(...rates(clients, 'timed out'))).toBeGreaterThan(0);
    }
  });
});

test.concurrent('more connections than files may be open is told, with what to do', async (context) => {
  const start = startFor(context);
  const many = ['--clients', '900', '--lambda', '10ms', '--base-delay', '60s'];
  // Node itself needs some to load the program.
  const clients = start(['clients', ...many], { openFiles: 300 });
  expect(await clients.ended).toEqual({ code: 2, signal: null });
  const line = 'undaunted: too many open files. Raise the limit first: ulimit -n 10000\n';
  expect(clients.written.stderr).toBe(line);
});

describe.concurrent('no process is left', () => {
  const longStop = ['--stop-after', '1', '--stop-for', '60'] as const;

  test('by a signal or a closed pipe while the server is stopped', async (context) => {
    const start = startFor(context);
    const ends: readonly (readonly [number, ({ child }: Running) => void])[] = [
      [130, ({ child }) => child.kill('SIGINT')],
      [143, ({ child }) => child.kill('SIGTERM')],
      [129, ({ child }) => child.kill('SIGHUP')],
      [0, ({ child }) => child.stdout.destroy()],
    ];
    const runs = ends.map(([code, end]) => ({
      code,
      end,
      clients: start(['clients', ...crowd, ...longStop]),
    }));
    for (const { code, end, clients } of runs) {
      const pid = await serverOf(clients);
      await clients.until(/SIGSTOP/);
      end(clients);
      expect(await clients.ended).toEqual({ code, signal: null });
      expect([isAlive(pid), clients.written.stderr]).toEqual([false, '']);
    }
    // What was seen until then is still printed.
    expect(runs[0]?.clients.written.stdout).toMatch(
      /^Interrupted after [\d.]+ s: what follows is partial\.\n\nper second +before/m,
    );
  });

  test('by Ctrl-C, which reaches the server, too', async (context) => {
    const start = startFor(context);
    const clients = start(['clients', ...crowd]);
    const pid = await serverOf(clients);
    clients.killAll('SIGINT');
    expect(await clients.ended).toEqual({ code: 130, signal: null });
    expect([isAlive(pid), clients.written.stderr]).toEqual([false, '']);
  });

  test('by a server that ends by itself, which is told', async (context) => {
    const start = startFor(context);
    const clients = start(['clients', ...crowd]);
    const pid = await serverOf(clients);
    process.kill(pid, 'SIGKILL');
    expect(await clients.ended).toEqual({ code: 2, signal: null });
    expect(clients.written.stderr).toBe('undaunted: the server has failed: it ended with SIGKILL.\n');
  });

  test('by the end that nothing can be done about', async (context) => {
    const start = startFor(context);
    const clients = start(['clients', ...crowd]);
    await serverOf(clients);
    clients.child.kill('SIGKILL');
    // Its streams are closed when the server, which has them too, is gone.
    expect(await clients.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

describe.concurrent('a server that runs already', () => {
  test('is stopped for a while, and goes on', async (context) => {
    const start = startFor(context);
    const server = start(['server', '--port', '0']);
    const [url] = await server.until(/http:\S+(?= )/);
    const stop = ['--stop-after', '1', '--stop-for', '1', '--duration', '2s'];
    const clients = start(['clients', ...crowd, ...stop, '--url', url]);
    expect((await clients.ended).signal).toBeNull();
    expect(clients.written.stdout).toContain('SIGCONT after');
    const response = await fetch(new URL('/pid', url));
    expect(Number(await response.text())).toBe(server.child.pid);
  });

  test('goes on when its clients are interrupted', async (context) => {
    const start = startFor(context);
    const server = start(['server', '--port', '0']);
    const [url] = await server.until(/http:\S+(?= )/);
    const clients = start(['clients', ...crowd, '--stop-after', '1', '--stop-for', '60', '--url', url]);
    await clients.until(/SIGSTOP/);
    clients.child.kill('SIGINT');
    expect((await clients.ended).code).toBe(130);
    const response = await fetch(new URL('/pid', url));
    expect(Number(await response.text())).toBe(server.child.pid);
  });
});
