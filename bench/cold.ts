/** What a cold start pays for us: the CPU time of a fresh process, from before the package is loaded until it is there. */

import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { measureRounds, median, ratioTo, type Series } from './measure.js';
import type { Row } from './row.js';

/** Processes vary more than loops do. */
const rounds = 21;

interface Start {
  readonly name: string;
  /** For `node`; the process writes its CPU time in microseconds to stderr. */
  readonly args: readonly string[];
}

interface Pair extends Start {
  readonly peer: Start;
  readonly atMost?: number;
}

const execute = promisify(execFile);

async function microsecondsOf({ name, args }: Start): Promise<number> {
  const { stderr } = await execute(process.execPath, args);
  const found = Number(stderr);
  if (!(found > 0)) throw new Error(`${name}: ${stderr}`);
  return found;
}

/** By their names, as programs do: `dist` is the package itself here. */
const told = 'const { user, system } = process.cpuUsage(before); console.error(user + system)';

function imported(name: string): Start {
  const code = `const before = process.cpuUsage(); await import('${name}'); ${told}`;
  return { name: `${name}, imported`, args: ['--input-type=module', '-e', code] };
}

function required(name: string, file = name): Start {
  const code = `const before = process.cpuUsage(); require('${file}'); ${told}`;
  return { name: `${name}, required`, args: ['--input-type=commonjs', '-e', code] };
}

const wholeProcess = `process.once('exit', () => { const before = undefined; ${told} })`;

function pairs(folder: string): readonly Pair[] {
  const atExit = join(folder, 'at-exit.cjs');
  const policy = join(folder, 'policy.json');
  writeFileSync(atExit, wholeProcess);
  writeFileSync(policy, '{ "maxRetries": 3 }');
  const idle: Start = { name: 'node -e 0', args: ['--require', atExit, '-e', '0'] };
  const axios = { imported: imported('axios'), required: required('axios') };
  return [
    ...entries.flatMap((entry): Pair[] => [
      { ...imported(entry), peer: axios.imported, atMost: 0.1 },
      { ...required(entry), peer: axios.required },
    ]),
    {
      name: 'undaunted check policy.json',
      args: ['--require', atExit, 'dist/cli.js', 'check', policy],
      peer: idle,
      atMost: 2,
    },
  ];
}

const entries = [
  'undaunted',
  'undaunted/fetch',
  'undaunted/undici',
  'undaunted/axios',
  'undaunted/light/fetch',
  'undaunted/light/axios',
  'undaunted/redis',
];

export async function benchCold(): Promise<Row[]> {
  execFileSync(process.execPath, ['scripts/prepare.mjs', '--here'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const folder = mkdtempSync(join(tmpdir(), 'cold-'));
  try {
    const all = pairs(folder);
    const starts = new Map<string, Start>();
    for (const { peer, ...start } of all) starts.set(start.name, start).set(peer.name, peer);
    const names = [...starts.keys()];
    const found = await measureRounds(
      [...starts.values()].map((start) => () => microsecondsOf(start)),
      rounds,
    );
    const series = new Map(names.map((name, index) => [name, found[index] ?? []] as const));
    return all.map((pair) => rowOf(pair, series));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rowOf({ name, peer, atMost }: Pair, series: ReadonlyMap<string, Series>): Row {
  const own = series.get(name) ?? [];
  return {
    name,
    value: median(own) / 1_000,
    unit: 'ms',
    ratio: ratioTo(peer.name, own, series.get(peer.name) ?? []),
    ...(atMost !== undefined && { atMost }),
  };
}
