import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fillSchedule } from '../../../src/core/decide/schedule.js';
import type { PolicyOptions, ScheduleOptions } from '../../../src/core/policy/options.js';
import { ticksUpTo } from '../../../src/tools/cli/waits/picture.js';
import { scheduleText } from '../../../src/tools/cli/waits/plan.js';
import { bar, glyphsFor } from '../../../src/tools/cli/waits/print.js';
import type { Wait } from '../../../src/tools/pages/waits.js';
import { undaunted } from './kit.js';

const folder = mkdtempSync(join(tmpdir(), 'waits-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Without jitter, nothing is left to luck. */
const steady: PolicyOptions = {
  maxRetries: 3,
  deadlineMs: 700,
  schedule: { kind: 'exponential', firstMs: 100, factor: 2, maxMs: 20_000, jitter: 'none' },
  throttledSchedule: { kind: 'table', waitsMs: [100, 400], jitter: 'none' },
  rules: [{ match: '/<b>&c', name: '<b> & "c"', maxRetries: 1 }],
};

function waits(policy: unknown, ...more: readonly string[]) {
  return undaunted(['waits', '-', ...more], { stdin: JSON.stringify(policy) });
}

// ---------------------------------------------------------------- the parts

describe('a schedule in words', () => {
  test.each<[ScheduleOptions, string]>([
    [{ kind: 'exponential' }, '100 ms, times 2 each time, at most 20 s; full jitter'],
    [
      { kind: 'exponential', firstMs: 1_000, factor: 1.6182, maxMs: 300_000, jitter: { normal: 0.1 } },
      '1 s, times 1.62 each time, at most 5 min; normally distributed, standard deviation 10 %',
    ],
    [
      { kind: 'exponential', jitter: 'decorrelated' },
      '100 ms, up to 3 times the previous wait, at most 20 s; decorrelated jitter',
    ],
    [{ kind: 'fixed', waitMs: 50 }, '50 ms; no jitter'],
    [{ kind: 'table', waitsMs: [0, 10] }, '0 ms, 10 ms; no jitter'],
    [
      { kind: 'fixed', waitMs: 50, jitter: { addMs: 9 }, slotMs: 5 },
      '50 ms, in slots of 5 ms; plus up to 9 ms',
    ],
    [
      { kind: 'table', waitsMs: [0, 10, 2_000], jitter: { spread: 0.5 } },
      '0 ms, 10 ms, 2 s; plus or minus 50 %',
    ],
    [
      { kind: 'table', waitsMs: [1, 2, 3, 4, 5, 6, 7, 8, 9], jitter: 'none' },
      '1 ms, 2 ms, 3 ms, 4 ms, 5 ms, 6 ms, 7 ms, 8 ms, …; no jitter',
    ],
    [() => 1, 'a function'],
  ])('%j', (schedule, text) => {
    expect(scheduleText(fillSchedule(schedule))).toBe(text);
  });
});

describe('a bar', () => {
  const glyphs = { range: '-', median: '|' };
  test.each<[readonly [number, number, number], number, string]>([
    [[0, 50, 100], 100, '-----|-----'],
    [[0, 0, 100], 100, '|----------'],
    [[50, 60, 70], 100, '     -|-'],
    [[100, 100, 100], 100, '          |'],
    [[0, 0, 0], 0, '|'],
  ])('%j of %d', ([shortest, median, longest], whole, expected) => {
    expect(bar({ shortest, median, longest }, whole, 11, glyphs)).toBe(expected);
  });
});

describe('lines are drawn where they can be seen', () => {
  test.each<[Record<string, string>, string, string]>([
    [{ LANG: 'en_GB.UTF-8' }, 'linux', '╋'],
    [{ LANG: 'C.utf8' }, 'linux', '╋'],
    [{ LC_ALL: 'C', LANG: 'en_GB.UTF-8' }, 'linux', '|'],
    [{ LC_ALL: '', LC_CTYPE: 'UTF-8', LANG: 'C' }, 'darwin', '╋'],
    [{}, 'linux', '|'],
    [{}, 'win32', '╋'],
  ])('%j on %s: %s', (env, platform, median) => {
    expect(glyphsFor(env, platform).median).toBe(median);
  });
});

test.each<[number, readonly number[]]>([
  [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [700, [0, 200, 400, 600, 800]],
  [3_000, [0, 1_000, 2_000, 3_000]],
  [55_800, [0, 20_000, 40_000, 60_000]],
])('the axis up to %d', (most, ticks) => {
  expect(ticksUpTo(most).map((tick) => Number(tick.toFixed(9)))).toEqual(ticks);
});

// ---------------------------------------------------------------- the command

test('the waits of a policy, those after throttling, and where the deadline ends them', async () => {
  const { exitCode, stdout, stderr } = await waits(steady);
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n').map((line) => line.replace(/[ ━╋|-]+$/, ''));
  expect(lines).toEqual([
    'stdin, where no rule matches: 3 retries',
    '',
    'schedule, after failures: 100 ms, times 2 each time, at most 20 s; no jitter',
    'retry    wait  median  since first failure  median',
    '    1  100 ms  100 ms               100 ms  100 ms',
    '    2  200 ms  200 ms               300 ms  300 ms',
    '    3  400 ms  400 ms               700 ms  700 ms',
    '',
    'throttledSchedule, after 429 and other rate limits: 100 ms, 400 ms; no jitter',
    'retry    wait  median  since first failure  median',
    '    1  100 ms  100 ms               100 ms  100 ms',
    '    2  400 ms  400 ms               500 ms  500 ms',
    '    3  400 ms  400 ms               900 ms  900 ms',
    '',
    'schedule: retry 3 usually does not happen: it would come after the deadline of 700 ms.',
    'throttledSchedule: retry 3 usually does not happen: it would come after the deadline of 700 ms.',
    'Medians are simulated, with a fixed seed. A wait that the server asks for overrides these.',
    '',
  ]);
});

test('those of one rule', async () => {
  const { stdout } = await waits(steady, '--rule', '0');
  expect(stdout).toMatch(/^stdin, rules\[0\] "<b> & "c"": 1 retry\n/);
});

test('jitter makes a range of a wait', async () => {
  const { stdout } = await undaunted(['waits', 'default']);
  expect(stdout).toMatch(/^default, for all requests: 3 retries\n/);
  expect(stdout).toMatch(/^ +3 +0 ms to 400 ms +\d+ ms +0 ms to 700 ms +\d+ ms /m);
});

test('of a thousand retries, the first are enough', async () => {
  const { stdout } = await waits({ ...steady, deadlineMs: undefined, maxRetries: 1_000 });
  expect(stdout).toMatch(/^ +20 /m);
  expect(stdout).not.toMatch(/^ +21 /m);
  expect(stdout).toContain('\nOnly the first 20 of 1000 retries are shown.\n');
});

test('no retries, no waits', async () => {
  const { exitCode, stdout } = await waits({ retry: false });
  expect([exitCode, stdout]).toEqual([0, 'stdin, for all requests: no retries, and no waits\n']);
});

test('JSON', async () => {
  const { stdout } = await waits(steady, '--json');
  const printed = JSON.parse(stdout) as { schedule: readonly Wait[]; throttledSchedule: readonly Wait[] };
  expect(printed).toMatchObject({ rule: { index: -1, name: 'default' }, maxRetries: 3, deadlineMs: 700 });
  expect(printed.schedule.map(({ sumMs }) => sumMs.median)).toEqual([100, 300, 700]);
  expect(printed.throttledSchedule.map(({ ms }) => ms.longest)).toEqual([100, 400, 400]);
});

describe('the picture', () => {
  const file = join(folder, 'waits.svg');

  test('shows a bar for each wait, and says the same in words', async () => {
    const { exitCode, stdout } = await waits(steady, '--svg', file);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('where no rule matches: 3 retries');
    const picture = readFileSync(file, 'utf8');
    expect(picture.match(/<rect class="schedule range"/g)).toHaveLength(6);
    expect(picture.match(/<rect class="throttledSchedule range"/g)).toHaveLength(6);
    expect(picture.match(/<line class="limit"/g)).toHaveLength(2);
    expect(picture).toContain(
      '<title id="title">The waits before each retry: stdin, where no rule matches</title>',
    );
    expect(picture).toContain(
      'retry 3 waits 400 ms, usually 400 ms, and comes 700 ms after the first failure',
    );
    expect(picture).toContain('@media(prefers-color-scheme:dark)');
  });

  test('takes a name for text, not for elements', async () => {
    await waits(steady, '--svg', file, '--rule', '0');
    const picture = readFileSync(file, 'utf8');
    expect(picture).toContain('rules[0] "&lt;b&gt; &amp; "c""</text>');
    expect(picture).not.toContain('<b>');
  });
});

describe('what cannot be shown gets one line', () => {
  const nowhere = join(folder, 'no', 'such', 'folder.svg');
  test.each<[unknown, readonly string[], RegExp]>([
    [
      steady,
      ['--rule', '1'],
      /^undaunted: --rule is 1, but the policy has no such rule: its rules are numbered 0 to 0\.\n$/,
    ],
    [{}, ['--rule', '0'], /^undaunted: --rule is 0, but the policy has no such rule: it has none\.\n$/],
    [
      { retry: false },
      ['--svg', nowhere],
      /^undaunted: --svg has nothing to draw: this policy does not retry\.\n$/,
    ],
    [
      {},
      ['--svg', nowhere],
      /^undaunted: .*folder\.svg cannot be written: there is no such folder\. Choose another file with --svg\.\n$/,
    ],
  ])('%j %j', async (policy, more, message) => {
    const { exitCode, stdout, stderr } = await waits(policy, ...more);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

test('a time that looks like seconds is remarked on, beside the waits', async () => {
  const { exitCode, stderr } = await undaunted(['waits', '-'], { stdin: '{ "deadlineMs": 30 }' });
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    'deadlineMs: 30 ms is very short. Did you mean 30 s? Times are in milliseconds: 30 s is 30000.\n',
  );
});
