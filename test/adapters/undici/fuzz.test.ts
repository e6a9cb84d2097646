/**
 * Random scripts of faults, sizes, aborts and pauses, and invariants that hold for each of them. A failing script is
 * printed as JSON, with the way to replay it:
 *
 *   FUZZ_SEED=7 FUZZ_RUNS=20000    this many scripts of that seed
 *   FUZZ_SEED=7 FUZZ_ONLY=123      one of them
 *   FUZZ_SCRIPT=script.json        one from a file, as it was printed or after shrinking it by hand
 */

import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { abortsAnywhere } from '../fuzz/aborts.js';
import { listenToProcess, openHandles } from '../fuzz/process.js';
import { comesTrue } from '../kit.js';
import { version } from './client.js';
import { scriptOf } from './fuzz-generate.js';
import { type Played, run } from './fuzz-run.js';
import type { FuzzScript } from './fuzz-script.js';
import { Stage } from './fuzz-stage.js';
import { Tally } from './fuzz-tally.js';
import { subject } from './subject.js';

const { FUZZ_SEED, FUZZ_RUNS, FUZZ_ONLY, FUZZ_SCRIPT } = process.env;
/** A long run looks for new bugs; the short one is always the same. */
const seed = Number(FUZZ_SEED ?? (FUZZ_RUNS === undefined ? 1 : Date.now() % 2 ** 31));
const runs = Number(FUZZ_RUNS ?? 400);
/** The number of scripts played at once: they spend most of their time waiting. */
const lanes = 16;
/** More failures would tell little more. */
const mostFailures = 5;

interface Numbered {
  readonly number: number;
  readonly script: FuzzScript;
}

function* scripts(): Generator<Numbered> {
  if (FUZZ_SCRIPT !== undefined) {
    yield { number: 0, script: JSON.parse(readFileSync(FUZZ_SCRIPT, 'utf8')) as FuzzScript };
  } else if (FUZZ_ONLY !== undefined) {
    yield { number: Number(FUZZ_ONLY), script: scriptOf(seed, Number(FUZZ_ONLY)) };
  } else {
    for (let number = 0; number < runs; number += 1) yield { number, script: scriptOf(seed, number) };
  }
}

test(`undici ${version} keeps every promise in random scripts, seed ${seed}`, {
  timeout: 3_600_000,
}, async () => {
  const failures: string[] = [];
  const underWay = new Set<number>();
  const tally = new Tally();
  onTestFinished(
    listenToProcess((what) => failures.push(`${what}, while these ran: ${[...underWay].join(', ')}`)),
  );
  const before = openHandles();
  const all = scripts();

  const lane = async (): Promise<void> => {
    const stage = await Stage.open();
    onTestFinished(() => stage.lab.close());
    for (const { number, script } of all) {
      underWay.add(number);
      const played = await run(script, stage);
      underWay.delete(number);
      tally.add(played);
      if (played.complaints.length > 0) failures.push(report(number, script, played));
      if (failures.length >= mostFailures) break;
    }
    await stage.lab.close();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (!(await comesTrue(() => openHandles() <= before))) {
    failures.push(`open at the end: ${process.getActiveResourcesInfo().join(', ')}`);
  }

  console.log(`fuzz: seed ${seed}, undici ${version}: ${tally}`);
  if (failures.length > 0) expect.fail(failures.join('\n\n'));
  if (FUZZ_ONLY === undefined && FUZZ_SCRIPT === undefined) expect(tally.missing).toEqual([]);
});

function report(number: number, script: FuzzScript, { complaints }: Played): string {
  return [
    `script ${number} of seed ${seed}:`,
    ...complaints.map((complaint) => `  ${complaint}`),
    JSON.stringify(script),
    `again: FUZZ_SEED=${seed} FUZZ_ONLY=${number} npx vitest run test/adapters/undici/fuzz.test.ts`,
  ].join('\n');
}

abortsAnywhere(subject);
