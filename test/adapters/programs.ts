/** Programs in processes of their own, which must end by themselves. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

const execute = promisify(execFile);
const project = resolve(import.meta.dirname, '../..');

/**
 * Runs the programs of a test file, and returns their output. In scope are `undaunted` (the built adapter), the
 * `client` under test, and `never`, a very long time.
 */
export function programsOf(name: 'axios' | 'undici' | 'fetch'): (code: string) => Promise<string> {
  let built: string;

  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), 'undaunted-'));
    // One file: each program starts sooner than with two hundred modules.
    await build({
      entryPoints: [join(project, `src/adapters/${name}/index.ts`)],
      outfile: join(built, 'adapter.mjs'),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    });
    await symlink(join(project, 'node_modules'), join(built, 'node_modules'));
  });

  afterAll(() => rm(built, { recursive: true, force: true }));

  return async (code) => {
    const client = name === 'fetch' ? 'undici' : name;
    const folder = process.env[`${client.toUpperCase()}_UNDER_TEST`] ?? project;
    const script = `
      import { createRequire } from 'node:module';
      import * as undaunted from ${JSON.stringify(join(built, 'adapter.mjs'))};
      const client = createRequire(${JSON.stringify(join(folder, 'package.json'))})(${JSON.stringify(client)});
      const never = 10 * 60_000;
      ${code}`;
    const inModule = ['--input-type=module', '--eval', script];
    // Far longer than it takes: only a process that hangs is ended by it, and before the test is.
    const { stdout } = await execute(process.execPath, inModule, { timeout: 25_000 });
    return stdout;
  };
}
