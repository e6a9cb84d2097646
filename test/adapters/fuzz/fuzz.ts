/**
 * Random scripts for a promise client, and invariants that hold for each of them. A failing script is printed as JSON,
 * with the way to replay it:
 *
 *   FUZZ_SEED=7 FUZZ_RUNS=3000    this many scripts of that seed
 *   FUZZ_SEED=7 FUZZ_ONLY=123     one of them
 */

import { expect, onTestFinished, test } from 'vitest';
import { comesTrue } from '../kit.js';
import { listenToProcess, openHandles } from './process.js';

const { FUZZ_SEED, FUZZ_RUNS, FUZZ_ONLY } = process.env;
/** A long run looks for new bugs; the short one is always the same. */
const seed = Number(FUZZ_SEED ?? (FUZZ_RUNS === undefined ? 1 : Date.now() % 2 ** 31));
const first = Number(FUZZ_ONLY ?? 0);
/** The number of scripts played at once: they spend most of their time waiting. */
const lanes = 16;
/** More failures would tell little more. */
const mostFailures = 5;

export interface Fuzz<Script, Trial> {
  /** The adapter's folder. */
  readonly adapter: string;
  readonly client: string;
  /** The number of scripts if none is given. */
  readonly fewRuns: number;
  scriptOf(seed: number, number: number): Script;
  /** Returns what was wrong, and the trials. */
  run(script: Script): Promise<readonly [complaints: readonly string[], trials: readonly Trial[]]>;
  /** Cases that must occur: a fuzz that never reaches them proves nothing. */
  readonly milestones: Readonly<Record<string, (trial: Trial) => boolean>>;
}

export function fuzz<Script, Trial>({
  adapter,
  client,
  fewRuns,
  scriptOf,
  run,
  milestones,
}: Fuzz<Script, Trial>): void {
  const runs = FUZZ_ONLY === undefined ? Number(FUZZ_RUNS ?? fewRuns) : 1;
  test(`${client} keeps every promise in random scripts, seed ${seed}`, {
    timeout: 3_600_000,
  }, async () => {
    const failures: string[] = [];
    const counts = new Map<string, number>();
    onTestFinished(listenToProcess((what) => failures.push(what)));
    const before = openHandles();
    let next = first;

    const lane = async (): Promise<void> => {
      while (next < first + runs && failures.length < mostFailures) {
        const number = next;
        next += 1;
        const script = scriptOf(seed, number);
        const [complaints, trials] = await run(script);
        for (const [name, happened] of Object.entries(milestones)) {
          counts.set(name, (counts.get(name) ?? 0) + trials.filter(happened).length);
        }
        if (complaints.length === 0) continue;
        const again = `FUZZ_SEED=${seed} FUZZ_ONLY=${number} npx vitest run test/adapters/${adapter}/fuzz.test.ts`;
        failures.push([`script ${number}:`, ...complaints, JSON.stringify(script), again].join('\n  '));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    if (!(await comesTrue(() => openHandles() <= before))) {
      failures.push(`open at the end: ${process.getActiveResourcesInfo().join(', ')}`);
    }

    console.log(`fuzz: seed ${seed}, ${client}:`, Object.fromEntries(counts));
    if (failures.length > 0) expect.fail(failures.join('\n\n'));
    if (FUZZ_ONLY === undefined) expect([...counts].filter(([, count]) => count === 0)).toEqual([]);
  });
}
