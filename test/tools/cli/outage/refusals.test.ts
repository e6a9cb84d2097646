/** What `outage` does not do, in one line each; no process is needed for that. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Interruption } from '../../../../src/tools/cli/failure.js';
import type { Outcome } from '../kit.js';
import { undaunted } from '../kit.js';

/** An unrelated server. */
const stranger = createServer((_, response) => response.writeHead(404).end());
let port = 0;

beforeAll(async () => {
  stranger.listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  ({ port } = stranger.address() as AddressInfo);
});
afterAll(() => stranger.close());

async function refused(...args: readonly string[]): Promise<Outcome> {
  // If it begins nevertheless, it ends at once.
  const interruption = AbortSignal.timeout(20_000);
  return undaunted(['outage', ...args], { interruption });
}

test.each([
  'http://example.com/api',
  'https://127.0.0.1:8070/api',
  'http://127.0.0.1.example.com/',
  'http://10.0.0.1/',
  'nonsense',
])('%s is not called', (url) => expectUncalled(url, url));

test('what looks like this machine is a name and a password, and is not shown', () =>
  expectUncalled('http://127.0.0.1:hunter2@example.com/?key=hunter2', 'http://example.com/'));

async function expectUncalled(url: string, shown: string): Promise<void> {
  const { exitCode, stdout, stderr } = await refused('clients', '--url', url);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `undaunted: --url is "${shown}", but must be on this machine, such as http://127.0.0.1:8070/api\n`,
  });
}

test('a server that is not there is told, and how to start one', async () => {
  const url = 'http://127.0.0.1:1/api';
  const { exitCode, stderr } = await refused('clients', '--url', url);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(
    /^undaunted: no server answers at http:\/\/127\.0\.0\.1:1 \(.+\)\. Start one: undaunted outage server\n$/,
  );
});

test('a server whose process is not known is not stopped', async () => {
  const url = `http://127.0.0.1:${port}/`;
  const { exitCode, stderr } = await refused('clients', '--url', url, '--stop-after', '1');
  expect([exitCode, stderr]).toEqual([
    2,
    `undaunted: ${url} does not report its process id, so it cannot be stopped. Use: undaunted outage server\n`,
  ]);
});

test.each([
  ['--limit', '5'],
  ['--factor', '2'],
  ['--base-delay', '10ms'],
  ['--backlog', '5'],
])('%s cannot change a server that is running already', async (option, value) => {
  const url = `http://127.0.0.1:${port}/`;
  const { exitCode, stdout, stderr } = await refused('clients', '--url', url, option, value);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `undaunted: ${option} cannot change the server at --url, which is already running: give it to "undaunted outage server".\n`,
  });
});

test('two policies at a time are refused', async () => {
  const { exitCode, stdout, stderr } = await refused('clients', '--policy', 'fixed', '--policy', 'service');
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'undaunted: --policy can be given only once.\n',
  });
});

test('a stop after the end is a mistake', async () => {
  const { exitCode, stderr } = await refused('clients', '--stop-after', '20', '--duration', '25');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^undaunted: --duration is over before the stop is: .*\n$/);
});

test('a stop without a beginning is a mistake', async () => {
  const { exitCode, stdout, stderr } = await refused('clients', '--stop-for', '5s');
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'undaunted: --stop-for needs --stop-after, which says when the stop begins: --stop-after 20s, for example.\n',
  });
});

test.each([
  ['fixd', 'Did you mean fixed?'],
  ['three-retires', 'Did you mean three-retries?'],
  [
    'nonsense',
    'Known names: fixed, article, default, service, service-hedge, llm, none, fixed-for-ever, three-retries, aws-standard.',
  ],
])('an invalid policy, %s, is reported before anything begins', async (policy, advice) => {
  const { exitCode, stdout, stderr } = await refused('clients', '--policy', policy);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `undaunted: ${policy} cannot be read: there is no such file. ${advice}\n`,
  });
});

test.each(['./nonsense', 'nonsense.json'])('%s can be no name: none is offered', async (policy) => {
  const { stderr } = await refused('clients', '--policy', policy);
  expect(stderr).toBe(`undaunted: ${policy} cannot be read: there is no such file.\n`);
});

test('a port that is in use is told', async () => {
  const { exitCode, stderr } = await refused('server', '--port', String(port));
  expect([exitCode, stderr]).toEqual([
    2,
    `undaunted: port ${port} is in use. Choose another one, or any free one: --port 0\n`,
  ]);
});

test('an interruption ends a server, and its code is the answer', async () => {
  const interruption = AbortSignal.abort(new Interruption(130));
  const { exitCode, stdout } = await undaunted(['outage', 'server', '--port', '0'], { interruption });
  expect(exitCode).toBe(130);
  expect(stdout).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+\/api \(process \d+, backlog 511\)\.\n$/);
});
