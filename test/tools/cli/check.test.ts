import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkPolicy } from '../../../src/parts/all.js';
import { undaunted } from './kit.js';

const folder = mkdtempSync(join(tmpdir(), 'check-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const wrong = { maxRetry: 3, deadlineMs: 100, rules: [{ match: '/a', attemptTimeoutMs: 800 }] };

describe('a policy', () => {
  test.each<[string, string]>([
    ['{}', 'valid, with no rules.'],
    ['{ "rules": [{ "match": "/health", "retry": false }] }', 'valid, with 1 rule.'],
    ['\uFEFF{ "maxRetries": 1 }', 'valid, with no rules.'],
    ['{ "hedge": { "afterMs": 80 }, "attemptTimeoutMs": { "maxMs": 5000 } }', 'valid, with no rules.'],
  ])('%s is fine', async (text, answer) => {
    const path = file('fine.json', text);
    expect(await undaunted(['check', path])).toEqual({
      exitCode: 0,
      stdout: `${path}: ${answer}\n`,
      stderr: '',
    });
  });

  test('is told all that is wrong with it, one problem a line', async () => {
    const path = file('wrong.json', JSON.stringify(wrong));
    const { exitCode, stdout, stderr } = await undaunted(['check', path]);
    expect([exitCode, stderr]).toEqual([1, '']);
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${path}: The policy has 2 problems:`,
      '  - maxRetry: unknown setting. Did you mean "maxRetries"?',
      expect.stringContaining(
        '  - rules[0].attemptTimeoutMs: found the number 800; allowed: at most deadlineMs',
      ),
    ]);
  });

  test('is told what is wrong with hints of one’s own', async () => {
    const hints = {
      name: 'acme',
      statuses: [403],
      headers: [{ name: 'x-acme-reset', unit: 'epoch' }],
      body: [{ at: 'error/code', means: 'throttled' }],
    };
    const { exitCode, stdout } = await undaunted(['check', '-'], { stdin: JSON.stringify({ hints }) });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/hints\.headers\[0\]\.unit: found a string "epoch"; allowed: .*"epoch-s"/);
    expect(stdout).toMatch(/hints\.body\[0\]\.at: found a string "error\/code"/);
  });

  test('may come from stdin', async () => {
    const { exitCode, stdout } = await undaunted(['check', '-'], { stdin: '{ "maxRetries": -1 }' });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^stdin: The policy has 1 problem:\n {2}- maxRetries: found the number -1; /);
  });

  test('may be one that has a name, as everywhere', async () => {
    const answer = await undaunted(['check', 'service']);
    expect(answer).toEqual({ exitCode: 0, stdout: 'service: valid, with no rules.\n', stderr: '' });
  });

  test.each<[unknown, number]>([
    [{}, 0],
    [wrong, 1],
    [[], 1],
    [null, 1],
  ])('%j as JSON', async (policy, code) => {
    const { exitCode, stdout } = await undaunted(['check', '--json', '-'], { stdin: JSON.stringify(policy) });
    const problems = checkPolicy(policy);
    expect(exitCode).toBe(code);
    expect(JSON.parse(stdout)).toEqual({ valid: problems.length === 0, problems, remarks: [] });
  });

  test('gets remarks, which are not problems', async () => {
    const stdin = '{ "rules": [{ "match": "/health" }, { "match": "GET users/*" }] }';
    const { exitCode, stdout, stderr } = await undaunted(['check', '-'], { stdin });
    expect([exitCode, stderr]).toEqual([0, '']);
    const remark = {
      path: 'rules[1].match',
      says: '"GET users/*" means the path "/*" on a host named "users"',
      advice:
        'Write "GET /users/*" for a path, or {"methods":["GET"],"host":"users","path":"/*"} for that host.',
    };
    expect(stdout).toBe(
      `stdin: valid, with 2 rules.\n  - ${remark.path}: ${remark.says}. ${remark.advice}\n`,
    );
    const { stdout: json } = await undaunted(['check', '--json', '-'], { stdin });
    expect(JSON.parse(json)).toEqual({ valid: true, problems: [], remarks: [remark] });
  });

  test('is asked about a time that looks like seconds', async () => {
    const stdin = '{ "deadlineMs": 30 }';
    const { exitCode, stdout } = await undaunted(['check', '-'], { stdin });
    expect([exitCode, stdout]).toEqual([
      0,
      'stdin: valid, with no rules.\n' +
        '  - deadlineMs: 30 ms is very short. Did you mean 30 s? Times are in milliseconds: 30 s is 30000.\n',
    ]);
  });

  test('is asked about methods with effects that are hedged', async () => {
    const stdin = '{ "hedge": { "afterMs": 80, "methods": ["GET", "POST"] } }';
    const { exitCode, stdout } = await undaunted(['check', '-'], { stdin });
    expect([exitCode, stdout]).toEqual([
      0,
      'stdin: valid, with no rules.\n' +
        '  - hedge.methods: a hedge of POST may be carried out at the same time as the first attempt. Leave it out, ' +
        'unless the server carries out only one of two such requests and gives both the same answer.\n',
    ]);
  });

  test('is told that bodies are not read, where a named set would look into them', async () => {
    const stdin = '{ "bodyHintBytes": 0, "rules": [{ "match": "api.github.com", "hints": "github" }] }';
    const { exitCode, stdout } = await undaunted(['check', '-'], { stdin });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^ {2}- rules\[0\]\.hints: bodyHintBytes is 0, so "github" does not read response bodies/m,
    );
  });
});

describe('a key that stands twice in a file is a problem', () => {
  const stdin = '{\n  "maxRetries": 0,\n  "maxRetries": 9\n}';

  test('to check', async () => {
    const { exitCode, stdout } = await undaunted(['check', '-'], { stdin });
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      '- maxRetries: found the same key again, in line 3, column 3; allowed: each key once.',
    );
    const asJson = await undaunted(['check', '-', '--json'], { stdin });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ valid: false, problems: [{ path: 'maxRetries' }] });
  });

  test.each([
    ['explain', '-', 'GET', 'https://a.test/'],
    ['waits', '-'],
    ['simulate', 'seed-outage', '--policy', '-'],
    ['simulate', '-'],
    ['lab', '--policy', '-', '--out', '/dev/null'],
  ])('to %s', async (...argv) => {
    const { exitCode, stdout, stderr } = await undaunted(argv, { stdin });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('maxRetries: found the same key again, in line 3, column 3');
  });
});

describe('something that is not a policy is reported in one line', () => {
  test.each<[string, string, RegExp]>([
    [
      'a comma too many',
      '{\n  "maxRetries": 3,\n}',
      /^undaunted: stdin:3:1 is not JSON: a key in double quotes is expected here\.\n$/,
    ],
    ['the end missing', '{\n  "rules": [', /^undaunted: stdin:2:13 is not JSON: .*\.\n$/],
    ['nothing at all', '', /^undaunted: stdin is empty\.\n$/],
    [
      'YAML',
      'maxRetries: 3\nrules:\n  - match: /a\n',
      / is not JSON: .*[^.]\. Convert it from YAML to JSON\.\n$/,
    ],
    [
      'keys without quotes',
      '{ maxRetries: 3 }',
      / is not JSON: .*\. JSON has its keys in double quotes\.\n$/,
    ],
    ['single quotes', "{ 'maxRetries': 3 }", / is not JSON: .*\. JSON has its keys in double quotes\.\n$/],
    [
      'a comment',
      '{\n  // three\n  "maxRetries": 3\n}',
      /stdin:2:3 is not JSON: .*\. JSON has no comments\.\n$/,
    ],
    ['a word', '{ "retry": nope }', /^undaunted: stdin:1:12 is not JSON: a value is expected here\.\n$/],
  ])('%s', async (_, stdin, line) => {
    const { exitCode, stdout, stderr } = await undaunted(['check', '-'], { stdin });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(line);
  });

  test.each([
    'hunter2',
    '{ "password": hunter2 }',
    '{ "password": "hunter2 }',
    '["hunter2" "hunter2"]',
    '{}hunter2',
  ])('and never quoted, since it may hold a password: %s', async (stdin) => {
    const { exitCode, stdout, stderr } = await undaunted(['check', '-'], { stdin });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^undaunted: stdin:1:\d+ is not JSON: /);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  test('no such file', async () => {
    const { exitCode, stderr } = await undaunted(['check', join(folder, 'none.json')]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^undaunted: .*none\.json cannot be read: there is no such file\.\n$/);
  });

  test('a program', async () => {
    const program = join(folder, 'policy.ts');
    writeFileSync(program, 'export default { maxRetries: 3 };');
    const { exitCode, stderr } = await undaunted(['check', program]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/ Let the program print its policy: JSON\.stringify\(policy\)\.\n$/);
  });

  test('an unknown name', async () => {
    const { exitCode, stderr } = await undaunted(['check', 'serivce']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe('undaunted: serivce cannot be read: there is no such file. Did you mean service?\n');
  });

  test('a folder', async () => {
    const { exitCode, stderr } = await undaunted(['check', folder]);
    expect([exitCode, stderr]).toEqual([
      2,
      `undaunted: ${folder} cannot be read: it is a folder, not a file.\n`,
    ]);
  });
});
