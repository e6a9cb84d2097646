/** What a pending wait means to the process: it stays alive for it, unless told not to; and nothing outlives it. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer, refusedOrigin, silence } from '../../faults/lab.js';
import { openLab } from './kit.js';

const execute = promisify(execFile);
const project = resolve(import.meta.dirname, '../../..');
let compiled: string;

beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'undaunted-'));
  // What is imported here and no more, and unchecked: whatever else is wrong is for others to say.
  const config = {
    extends: join(project, 'tsconfig.build.json'),
    compilerOptions: { rootDir: join(project, 'src'), outDir: compiled, noCheck: true },
    files: [join(project, 'src/adapters/undici/index.ts')],
    include: [],
  };
  await writeFile(join(compiled, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(project, 'node_modules/typescript/bin/tsc');
  await execute(process.execPath, [tsc, '-p', compiled]);
  await symlink(join(project, 'node_modules'), join(compiled, 'node_modules'));
}, 120_000);

afterAll(() => rm(compiled, { recursive: true, force: true }));

/** In a process of its own, which has to come to its end by itself: what it printed. */
async function run(origin: string, code: string): Promise<string> {
  const script = `
    import { createRequire } from 'node:module';
    import { retry } from ${JSON.stringify(join(compiled, 'adapters/undici/index.js'))};
    const folder = process.env.UNDICI_UNDER_TEST ?? ${JSON.stringify(project)};
    const { Agent } = createRequire(folder + '/package.json')('undici');
    const origin = ${JSON.stringify(origin)};
    const never = 10 * 60_000;
    const agent = new Agent();
    const get = (policy, more) =>
      agent.compose(retry(policy)).request({ origin, path: '/', method: 'GET', ...more });
    const ended = (promise) => promise.then(({ statusCode }) => statusCode, (error) => error.code ?? error.name);
    ${code}`;
  const inModule = ['--input-type=module', '--eval', script];
  // Far beyond what it takes: only a process that hangs is ended by it.
  const { stdout } = await execute(process.execPath, inModule, { timeout: 40_000 });
  return stdout;
}

describe('a pending wait', () => {
  test('keeps the process alive', async () => {
    const printed = await run(
      await refusedOrigin(),
      `ended(get({ maxRetries: 1, schedule: { kind: 'fixed', waitMs: 300, jitter: 'none' } })).then(console.log);`,
    );
    expect(printed).toBe('ECONNREFUSED\n');
  });

  test('does not, with unref: true', async () => {
    const printed = await run(
      await refusedOrigin(),
      `process.on('exit', () => console.log('left'));
       ended(get({ unref: true, schedule: { kind: 'fixed', waitMs: never, jitter: 'none' } })).then(console.log);`,
    );
    expect(printed).toBe('left\n');
  });

  test('that is aborted leaves nothing behind', async () => {
    const printed = await run(
      await refusedOrigin(),
      `const caller = new AbortController();
       const observe = ({ type }) => type === 'decision' && setImmediate(() => caller.abort());
       const policy = { observe, schedule: { kind: 'fixed', waitMs: never, jitter: 'none' } };
       console.log(await ended(get(policy, { signal: caller.signal })));
       console.log(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length);`,
    );
    // The code of a DOMException.
    expect(printed).toBe('20\n0\n');
  });
});

test('deadlines and attempt timeouts leave nothing behind, and keep nobody alive', async () => {
  const lab = await openLab((request) => {
    if (request.headers['x-silent'] !== undefined) return silence();
    return request.number === 1 ? answer(503, 'busy') : answer(200, 'yes');
  });
  const printed = await run(
    lab.origin,
    `const soon = { kind: 'fixed', waitMs: 1, jitter: 'none' };
     const policy = { schedule: soon, deadlineMs: never, deadlineCovers: 'body', attemptTimeoutMs: never / 2 };
     const { statusCode, body } = await get(policy);
     console.log(statusCode, await body.text());
     const silent = { headers: { 'x-silent': '1' } };
     console.log(await ended(get({ schedule: soon, maxRetries: 1, attemptTimeoutMs: 50 }, silent)));
     console.log(await ended(get({ schedule: soon, deadlineMs: 50 }, silent)));
     await agent.close();
     console.log(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length);`,
  );
  expect(printed).toBe('200 yes\nERR_UNDAUNTED_ATTEMPT_TIMEOUT\nERR_UNDAUNTED_DEADLINE\n0\n');
});
