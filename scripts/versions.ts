/** Nodes and clients of any version, installed from npm into scratch folders. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './clients.js';
import { run } from './command.js';

export interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node: string };
}

type Package = 'node' | Client['name'];

export function manifestOf(name: string, folder = '.'): Manifest {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Manifest;
}

/** As a project of its own, which knows nothing of what is around it. */
export async function installInto(
  folder: string,
  packages: readonly string[],
  flags: readonly string[] = [],
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  await run('npm', ['install', '--no-audit', '--no-fund', ...flags, ...packages], folder, env);
}

/** What the declarations of clients are made of. */
export function nodeTypes(): string {
  return `@types/node@${manifestOf('@types/node').version}`;
}

/** What is tested together with it. */
const beside: Readonly<Record<Package, (version: string) => readonly string[]>> = {
  node: () => [],
  undici: () => [nodeTypes()],
  // The cache wants 1.19 or newer: the newest.
  axios: (version) => [nodeTypes(), ...(version === '1' ? ['axios-cache-interceptor@1.12.3'] : [])],
};

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
    await installInto(folder, [`${name}@${version}`, ...beside[name](version)]);
  }
}
