/**
 * Prints one table. Every figure of docs/compare.md that names this command comes from here.
 *
 *   npm run bench                          all of it, on this Node with the clients that are installed
 *   npm run bench -- axios core-matching   some parts, by the beginnings of their names
 *   npm run bench -- 24 8                  the parts about undici, on that Node with that undici
 *   npm run bench -- 24 8 undici-memory    some of these
 *   npm run bench -- 24 8 fetch            the parts about fetch, on that Node
 *   npm run bench -- --json                as JSON, to keep
 *   npm run bench -- --rounds 2            only a check that everything works (`npm run test:bench`, with the count for CI)
 *
 * A part that ends with an error does not keep the others from being measured, but the run ends with an error as well,
 * unless the machine has stood still meanwhile: then the part is measured again.
 */

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { interruptible } from '../scripts/interruption.js';
import { manifestOf, Versions } from '../scripts/versions.js';
import { Printer } from '../src/tools/cli/printer.js';
import { Progress } from '../src/tools/cli/progress.js';
import { againAfterFreeze, Freezes, lookMs } from './freezes.js';
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

async function runOn(node: string, undici: string, names: readonly string[]): Promise<void> {
  if (undici === '') throw new Error('Name a version of undici as well, as in: npm run bench -- 24 8');
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
  const broken: string[] = [];
  let isInterrupted = false;
  const measureAll = async (): Promise<void> => {
    for (const { name, title } of wanted) {
      const share = (found.length + broken.length) / wanted.length;
      const measured = async (): Promise<readonly Row[]> => {
        // The part was ended on purpose, and no other one may begin.
        if (isInterrupted) throw new Error(`${name} was interrupted`);
        return rowsOf(name, ground);
      };
      const rows = await showing(name, share, againAfterFreeze(freezes, measured)).catch((error: Error) => {
        if (isInterrupted) throw error;
        console.error(`\nError: ${error.message}`);
        broken.push(name);
      });
      if (rows === undefined) continue;
      found.push({ name, title, rows });
      if (!flags.json) console.log(`\n${title} (${name})\n${tableOf(rows)}`);
    }
    if (flags.json) console.log(JSON.stringify({ setting, parts: found }, null, 2));
    if (broken.length > 0) process.exitCode = 1;
    const suite = process.env['COUNT_AS'];
    if (suite !== undefined) console.log(`${suite}: ${found.length} passed, ${broken.length} failed`);
  };
  await interruptible(measureAll, () => {
    isInterrupted = true;
    progress.clear();
    running?.kill();
    const missing = wanted
      .map(({ name }) => name)
      .filter((name) => !found.some((part) => part.name === name));
    if (flags.json) console.log(JSON.stringify({ setting, parts: found, missing }, null, 2));
    else console.log(`\nInterrupted: this is partial and lacks ${missing.join(', ')}.`);
  });
}

const freezes = new Freezes();
const progress = new Progress(new Printer(process.stderr, process.env));

/** Shows the progress while a part is measured. */
async function showing<T>(name: string, share: number, work: Promise<T>): Promise<T> {
  const started = performance.now();
  const show = (): void => {
    freezes.look();
    const seconds = Math.floor((performance.now() - started) / 1_000);
    progress.show(share, `${name}, ${seconds} s`);
  };
  // After an interruption, the timer must not keep the process alive.
  const looks = setInterval(show, lookMs).unref();
  try {
    return await work;
  } finally {
    clearInterval(looks);
    progress.clear();
  }
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

/** The process of the part that is being measured. */
let running: ChildProcess | undefined;

async function rowsOf(name: string, { node, folder }: Ground): Promise<readonly Row[]> {
  const child = fork(fileURLToPath(new URL('./part.js', import.meta.url)), [name], {
    execPath: node,
    env: {
      ...process.env,
      UNDICI_UNDER_TEST: folder,
      ...(flags.rounds !== undefined && { BENCH_ROUNDS: flags.rounds }),
    },
  });
  running = child;
  const rows = once(child, 'message').then(([message]) => message as readonly Row[]);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the part ${name} ended with exit code ${code} before it had a result`);
  });
  return Promise.race([rows, failed]);
}

const [nodeVersion = '', undiciVersion = '', ...names] = positionals;
if (/^\d/.test(nodeVersion)) await runOn(nodeVersion, undiciVersion, names.length > 0 ? names : ['undici']);
else
  await run(partsNamed(positionals), {
    node: process.execPath,
    nodeVersion: process.versions.node,
    folder: process.cwd(),
  });
