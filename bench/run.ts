/**
 * Prints one table. Every figure of docs/compare.md that names this command comes from here.
 *
 *   npm run bench                          all of it, on this Node with the clients that are installed
 *   npm run bench -- axios core-matching   parts of it, by the beginnings of their names
 *   npm run bench -- 24 8                  what is about undici, on that Node with that undici
 *   npm run bench -- 24 8 undici-memory    parts of that
 *   npm run bench -- 24 8 fetch            what is about fetch, on that Node
 *   npm run bench -- --json                to keep
 *   npm run bench -- --rounds 2            only to see that everything works
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { manifestOf, Versions } from '../scripts/versions.js';
import { type Part, partsNamed } from './parts.js';
import { type Row, tableOf } from './row.js';

interface Ground {
  readonly node: string;
  readonly nodeVersion: string;
  /** Where the clients are installed. */
  readonly folder: string;
}

interface Finding extends Pick<Part, 'name' | 'title'> {
  readonly rows: readonly Row[];
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string' } },
});

const [nodeVersion = '', undiciVersion = '', ...names] = positionals;
if (/^\d/.test(nodeVersion)) await runOn(nodeVersion, undiciVersion, names.length > 0 ? names : ['undici']);
else
  await run(partsNamed(positionals), {
    node: process.execPath,
    nodeVersion: process.versions.node,
    folder: process.cwd(),
  });

async function runOn(node: string, undici: string, names: readonly string[]): Promise<void> {
  if (undici === '') throw new Error('Which undici? As in: npm run bench -- 24 8');
  const versions = new Versions(mkdtempSync(join(tmpdir(), 'bench-')));
  try {
    await Promise.all([versions.install('node', node), versions.install('undici', undici)]);
    const folder = versions.folderOf('undici', undici);
    const nodeVersion = manifestOf('node', versions.folderOf('node', node)).version;
    await run(partsNamed(names), { node: versions.nodeBinary(node), nodeVersion, folder });
  } finally {
    rmSync(versions.scratch, { recursive: true });
  }
}

async function run(wanted: readonly Part[], ground: Ground): Promise<void> {
  const setting = settingOf(ground);
  if (!flags.json)
    console.log(
      Object.entries(setting)
        .map((entry) => entry.join(' '))
        .join(', '),
    );
  const found: Finding[] = [];
  for (const { name, title } of wanted) {
    const rows = await rowsOf(name, ground);
    found.push({ name, title, rows });
    if (!flags.json) console.log(`\n${title} (${name})\n${tableOf(rows)}`);
  }
  if (flags.json) console.log(JSON.stringify({ setting, parts: found }, null, 2));
}

function settingOf({ nodeVersion, folder }: Ground): Readonly<Record<string, string | number>> {
  const peers = ['axios', 'axios-retry', 'retry-axios'] as const;
  return {
    node: nodeVersion,
    undici: manifestOf('undici', folder).version,
    ...Object.fromEntries(peers.map((name) => [name, manifestOf(name).version])),
    platform: `${process.platform} ${process.arch}`,
    CPUs: availableParallelism(),
  };
}

async function rowsOf(name: string, { node, folder }: Ground): Promise<readonly Row[]> {
  const child = fork(fileURLToPath(new URL('./part.js', import.meta.url)), [name], {
    execPath: node,
    env: {
      ...process.env,
      UNDICI_UNDER_TEST: folder,
      ...(flags.rounds !== undefined && { BENCH_ROUNDS: flags.rounds }),
    },
  });
  const rows = once(child, 'message').then(([message]) => message as readonly Row[]);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The part ${name} ended with ${code} before it had found anything`);
  });
  return Promise.race([rows, failed]);
}
