/** Other retry layers for fetch, installed into a scratch folder during the measurement. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { outputOf } from '../scripts/command.js';
import { installInto } from '../scripts/versions.js';

export type Fetch = (input: string | Request) => Promise<Response>;

/** The parts of each that are called here. */
interface Ofetch {
  createFetch(own: { readonly fetch: Fetch }): {
    raw(url: string, options: { readonly retry?: number; readonly retryDelay?: number }): Promise<Response>;
  };
}

interface Ky {
  readonly default: {
    create(options: {
      readonly fetch: Fetch;
      readonly timeout: false;
      readonly retry?: { readonly limit: number; readonly delay: () => number };
    }): (url: string) => Promise<Response>;
  };
}

interface PRetry {
  default<T>(
    attempt: () => Promise<T>,
    options?: { readonly retries: number; readonly minTimeout: number },
  ): Promise<T>;
}

/** The newest versions when this was written. */
const packages = {
  ofetch: { version: '1.5.1', node: 20 },
  ky: { version: '2.1.0', node: 22 },
  // Its manifest asks for Node 22; it runs on this one as well.
  'p-retry': { version: '9.0.0', node: 20 },
} as const;

type Name = keyof typeof packages;

export interface Peers {
  readonly ofetch?: Ofetch;
  readonly ky?: Ky;
  readonly 'p-retry'?: PRetry;
  /** Why some are missing. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

export async function withPeers<T>(measure: (peers: Peers) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fetch-'));
  try {
    return await measure(await installed(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function labelOf(name: Name): string {
  return `${name} ${packages[name].version}`;
}

async function installed(folder: string): Promise<Peers> {
  const names = Object.keys(packages) as Name[];
  const [major = 0] = process.versions.node.split('.').map(Number);
  const usable = names.filter((name) => packages[name].node <= major);
  const missing = names
    .filter((name) => !usable.includes(name))
    .map((name) => ({ name: labelOf(name), why: `left out: it needs Node ${packages[name].node}` }));
  try {
    const wanted = usable.map((name) => `${name}@${packages[name].version}`);
    // Without a registry, the other contestants must not wait for minutes.
    await installInto(folder, wanted, ['--fetch-retries=0']);
  } catch (error) {
    console.error(outputOf(error));
    const why = 'left out: npm could not install it';
    return { missing: [...missing, ...usable.map((name) => ({ name: labelOf(name), why }))] };
  }
  const modules = await Promise.all(usable.map(async (name) => [name, await loaded(name, folder)] as const));
  return { ...Object.fromEntries(modules), missing };
}

/** As a module of that folder would import it. */
async function loaded(name: Name, folder: string): Promise<unknown> {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, `export * as peer from '${name}';\n`);
  const { peer } = (await import(pathToFileURL(file).href)) as { readonly peer: unknown };
  return peer;
}
