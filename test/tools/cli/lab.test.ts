import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labWith } from '../../../src/tools/cli/commands/lab.js';
import { commands } from '../../../src/tools/cli/commands.js';
import { Interruption } from '../../../src/tools/cli/failure.js';
import { browserCommand } from '../../../src/tools/cli/lab/browser.js';
import { openPageServer } from '../../../src/tools/cli/lab/page-server.js';
import { main } from '../../../src/tools/cli/main.js';
import { Printer } from '../../../src/tools/cli/printer.js';
import type { Report } from '../../../src/tools/pages/report.js';
import { dataPlace } from '../../../src/tools/pages/template.js';
import type { Outcome, Surroundings } from './kit.js';
import { undaunted } from './kit.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-'));
});
afterAll(() => rm(folder, { recursive: true }));

const readTemplate = async () => `<body>${dataPlace}</body>`;

function run(argv: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const openBrowser = (): never => {
    throw new Error('no browser was asked for');
  };
  const commands = [labWith({ readTemplate, openBrowser })];
  return undaunted(['lab', ...argv], { ...surroundings, commands });
}

function reportIn(page: string): Report {
  const [, json = ''] = /<script type="application\/json" id="report">(.*)<\/script>/s.exec(page) ?? [];
  return JSON.parse(json) as Report;
}

async function writtenPage(...argv: readonly string[]): Promise<Report> {
  const out = join(folder, 'lab.html');
  const { exitCode, stdout, stderr } = await run([...argv, '--out', out]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toBe(`The lab is in ${out}. Open it in a browser.\n`);
  return reportIn(await readFile(out, 'utf8'));
}

test('is one of the commands', () => {
  expect(commands.map(({ name }) => name)).toContain('lab');
});

describe('--out writes the page', () => {
  test('with nothing run before', async () => {
    const report = await writtenPage();
    expect(report).toMatchObject({ format: 1, seed: 1, entries: [] });
  });

  test('with the scenario, the seed and the policies that were asked for', async () => {
    const file = join(folder, 'policy.json');
    await writeFile(file, '{ "maxRetries": 5 }');
    const argv = ['surge', '--seed', '7', '--policy', file, '--policy', 'none', '--policy', 'ky'];
    const { scenario, seed } = await writtenPage(...argv);
    expect({ name: scenario.name, seed }).toEqual({ name: 'surge', seed: 7 });
    expect(scenario.policies.slice(0, 3)).toEqual([
      { name: file, policy: { maxRetries: 5 } },
      { name: 'none', policy: expect.objectContaining({ retry: false }) },
      'ky',
    ]);
    // The scenario suggests it as well.
    expect(scenario.policies).not.toContain('none');
  });

  test('with the link that was given', async () => {
    const { link } = await writtenPage('http://127.0.0.1:1/#lab=1&scenario=surge&seed=7');
    expect(link).toBe('#lab=1&scenario=surge&seed=7');
    expect(await writtenPage()).not.toHaveProperty('link');
  });
});

describe('without --out, it serves the page', () => {
  interface Served {
    readonly exitCode: number;
    readonly address: string;
    readonly opened: readonly string[];
  }

  /** Runs the command until it has printed its address, looks at the page there, and presses Ctrl-C. */
  async function served(argv: readonly string[], isTTY = false): Promise<Served> {
    const interruption = new AbortController();
    let printed = '';
    const write = (text: string): void => {
      printed += text;
    };
    const opened: string[] = [];
    const openBrowser = (url: string): void => {
      opened.push(url);
    };
    const io = {
      stdin: Readable.from([]),
      stdout: new Printer({ write, isTTY }, { NO_COLOR: '1' }),
      stderr: new Printer({ write }, {}),
      interruption: () => interruption.signal,
    };
    const ended = main(['lab', ...argv], io, [labWith({ readTemplate, openBrowser })]);
    const addressIn = (text: string): string => /^The lab is at (.*)$/m.exec(text)?.[1] ?? '';
    await expect.poll(() => addressIn(printed), { timeout: 20_000 }).not.toBe('');
    try {
      expect(reportIn(await (await fetch(addressIn(printed))).text()).entries).toEqual([]);
    } finally {
      interruption.abort(new Interruption(130));
    }
    return { exitCode: await ended, address: addressIn(printed), opened };
  }

  test('on 127.0.0.1, until Ctrl-C', async () => {
    const { exitCode, address } = await served([]);
    expect(exitCode).toBe(130);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    await expect(fetch(address)).rejects.toThrow();
  });

  test('and opens the browser only in a terminal', async () => {
    expect((await served([])).opened).toEqual([]);
    const { opened, address } = await served([], true);
    expect(opened).toEqual([address]);
    expect((await served(['--no-open'], true)).opened).toEqual([]);
  });

  test('at what a link holds', async () => {
    const { opened, address } = await served(['http://127.0.0.1:1/#lab=1&scenario=surge&seed=7'], true);
    expect(address).toMatch(/:\d+\/#lab=1&scenario=surge&seed=7$/);
    expect(opened).toEqual([address]);
  });
});

describe('says what is wrong with', () => {
  test.each([
    [['sorge'], 'sorge cannot be read: there is no such file. Did you mean surge?'],
    [['#lab=1&seed=x'], 'the link cannot be used: its seed is "x", not a whole number from 0 to'],
    [['http://127.0.0.1:1/#lab=9'], 'the link cannot be used: it has the version "9"'],
    [['--policy', 'nothing.json'], 'nothing.json cannot be read: there is no such file.'],
    [['--out', '/nowhere/lab.html'], '/nowhere/lab.html cannot be written: there is no such folder.'],
  ])('%j', async (argv, message) => {
    const { exitCode, stderr } = await run(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  test('a port that is in use', async () => {
    const server = await openPageServer('taken', 0);
    const { port } = new URL(server.url);
    const { exitCode, stderr } = await run(['--port', port]);
    await server.close();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`port ${port} is in use. Choose another one, or any free one: --port 0`);
  });
});

describe('the server of the page', () => {
  test('has one page, which no other site may show in a frame', async () => {
    const server = await openPageServer('<p>täglich', 0);
    const [page, head, stray, post] = await Promise.all([
      fetch(server.url),
      fetch(server.url, { method: 'HEAD' }),
      fetch(`${server.url}favicon.ico`),
      fetch(server.url, { method: 'POST', body: 'x' }),
    ]);
    expect(await page.text()).toBe('<p>täglich');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    expect([page.status, head.status, stray.status, post.status]).toEqual([200, 200, 404, 405]);
    await server.close();
  });
});

describe('the server of the page answers', () => {
  async function statusFor(host: string): Promise<number | undefined> {
    const server = await openPageServer('the policy', 0);
    const { port } = new URL(server.url);
    const headers = { host: host.replace('PORT', port) };
    const [response] = (await once(get({ port, host: '127.0.0.1', headers }), 'response')) as [
      IncomingMessage,
    ];
    const text = Buffer.concat(await response.toArray()).toString();
    expect(text.includes('the policy')).toBe(response.statusCode === 200);
    await server.close();
    return response.statusCode;
  }

  test.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST:PORT', '[::1]:PORT', 'localhost:1', 'localhost'])(
    'to its own name %s',
    async (host) => expect(await statusFor(host)).toBe(200),
  );

  test.each([
    'evil.example:PORT',
    'evil.example',
    '127.0.0.1.evil.example:PORT',
    'localhost.evil.example',
    '0.0.0.0:PORT',
  ])('to no other name: %j', async (host) => expect(await statusFor(host)).toBe(421));
});

describe('the browser', () => {
  test.each([
    ['darwin', {}, ['open']],
    ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
    ['linux', { DISPLAY: ':0' }, ['xdg-open']],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
    ['linux', {}, undefined],
    ['linux', { DISPLAY: ':0', CI: 'true' }, undefined],
    ['darwin', { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, undefined],
  ] as const)('on %s with %j is %j', (platform, env, command) => {
    expect(browserCommand(platform, env)).toEqual(command);
  });
});
