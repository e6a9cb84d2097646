/** Nodes and undicis of any version, installed from npm into scratch folders. */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

type Package = 'node' | 'undici';

const execute = promisify(execFile);

export async function run(
  command: string,
  args: readonly string[],
  cwd = '.',
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  // Far more time than any of it takes: only what hangs is ended by it.
  await execute(command, args, { cwd, env, timeout: 600_000, maxBuffer: 2 ** 26 });
}

export function manifestOf(name: string, folder = '.'): Manifest {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Manifest;
}

export class Versions {
  readonly scratch: string;

  constructor(scratch: string) {
    this.scratch = scratch;
  }

  folderOf(name: Package, version: string): string {
    return join(this.scratch, `${name}-${version}`);
  }

  nodeBinary(version: string): string {
    return join(this.folderOf('node', version), 'node_modules/node/bin/node');
  }

  async install(name: Package, version: string): Promise<void> {
    const folder = this.folderOf(name, version);
    if (existsSync(join(folder, 'package-lock.json'))) return;
    const types = name === 'undici' ? [`@types/node@${manifestOf('@types/node').version}`] : [];
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`, ...types], folder);
  }
}
