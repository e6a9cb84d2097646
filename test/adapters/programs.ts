/** Programs in processes of their own, which must end by themselves. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

const execute = promisify(execFile);
const project = resolve(import.meta.dirname, '../..');

/**
 * Runs the programs of a test file, and returns their output. In scope are `undaunted` (the compiled adapter), the
 * `client` under test, and `never`, a very long time.
 */
export function programsOf(name: 'axios' | 'undici' | 'fetch'): (code: string) => Promise<string> {
  let compiled: string;

  beforeAll(async () => {
    compiled = await mkdtemp(join(tmpdir(), 'undaunted-'));
    // Compiles only what is imported here, without type checks, which are made elsewhere.
    const config = {
      extends: join(project, 'tsconfig.build.json'),
      compilerOptions: { rootDir: join(project, 'src'), outDir: compiled, noCheck: true },
      files: [join(project, `src/adapters/${name}/index.ts`)],
      include: [],
    };
    await writeFile(join(compiled, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(project, 'node_modules/typescript/bin/tsc');
    await execute(process.execPath, [tsc, '-p', compiled]);
    await symlink(join(project, 'node_modules'), join(compiled, 'node_modules'));
  }, 120_000);

  afterAll(() => rm(compiled, { recursive: true, force: true }));

  return async (code) => {
    const client = name === 'fetch' ? 'undici' : name;
    const folder = process.env[`${client.toUpperCase()}_UNDER_TEST`] ?? project;
    const script = `
      import { createRequire } from 'node:module';
      import * as undaunted from ${JSON.stringify(join(compiled, `adapters/${name}/index.js`))};
      const client = createRequire(${JSON.stringify(join(folder, 'package.json'))})(${JSON.stringify(client)});
      const never = 10 * 60_000;
      ${code}`;
    const inModule = ['--input-type=module', '--eval', script];
    // Far longer than it takes: only a process that hangs is ended by it.
    const { stdout } = await execute(process.execPath, inModule, { timeout: 40_000 });
    return stdout;
  };
}
