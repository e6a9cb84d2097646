/** Packages to compare with, installed into a scratch folder during the measurement. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { outputOf } from '../scripts/command.js';
import { installInto } from '../scripts/versions.js';
import type { Row } from './row.js';

/** By name: the version, and the oldest Node that it runs on. */
export type Packages = Readonly<Record<string, { readonly version: string; readonly node: number }>>;

export interface Scratch {
  readonly folder: string;
  /** Why some packages are missing. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

export async function withPackages<T>(
  packages: Packages,
  measure: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-packages-'));
  try {
    return await measure({ folder, missing: await install(packages, folder) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function labelOf(packages: Packages, name: string): string {
  return `${name} ${packages[name]?.version}`;
}

export function rowsOfMissing({ missing }: Pick<Scratch, 'missing'>): Row[] {
  return missing.map(({ name, why }) => ({ name, note: why }));
}

function usable(packages: Packages): string[] {
  const [major = 0] = process.versions.node.split('.').map(Number);
  return Object.keys(packages).filter((name) => (packages[name]?.node ?? 0) <= major);
}

async function install(packages: Packages, folder: string): Promise<Scratch['missing']> {
  const names = usable(packages);
  const missing = Object.entries(packages)
    .filter(([name]) => !names.includes(name))
    .map(([name, { node }]) => ({ name: labelOf(packages, name), why: `left out: it needs Node ${node}` }));
  try {
    const wanted = names.map((name) => `${name}@${packages[name]?.version}`);
    // Without a registry, the other contestants must not wait for minutes.
    await installInto(folder, wanted, ['--fetch-retries=0']);
    for (const name of names)
      writeFileSync(join(folder, `${name}.mjs`), `export * as peer from '${name}';\n`);
    return missing;
  } catch (error) {
    console.error(outputOf(error));
    const why = 'left out: npm could not install it';
    return [...missing, ...names.map((name) => ({ name: labelOf(packages, name), why }))];
  }
}

/** Those that are there, by name, as a module of that folder would import them. */
export async function packagesIn(
  { folder, missing }: Scratch,
  packages: Packages,
): Promise<Readonly<Record<string, unknown>>> {
  const isMissing = (name: string): boolean => missing.some((one) => one.name === labelOf(packages, name));
  const names = usable(packages).filter((name) => !isMissing(name));
  const modules = names.map(async (name) => {
    const { peer } = (await import(pathToFileURL(join(folder, `${name}.mjs`)).href)) as {
      readonly peer: unknown;
    };
    return [name, peer] as const;
  });
  return Object.fromEntries(await Promise.all(modules));
}
