/**
 * Random scripts of faults, bodies, hooks and aborts, and what must be true of every one of them. What is found is
 * printed as JSON, with the way to play it again:
 *
 *   FUZZ_SEED=7 FUZZ_RUNS=3000    so many scripts of that seed
 *   FUZZ_SEED=7 FUZZ_ONLY=123     one of them
 */

import { expect, onTestFinished, test } from 'vitest';
import { listenToProcess, openHandles } from '../fuzz/process.js';
import { comesTrue } from '../kit.js';
import { version } from './client.js';
import { run } from './fuzz-run.js';
import { scriptOf } from './fuzz-script.js';
import type { Trial } from './fuzz-trial.js';

const { FUZZ_SEED, FUZZ_RUNS, FUZZ_ONLY } = process.env;
/** A long run is for finding something new; a short one, in every test run, is always the same. */
const seed = Number(FUZZ_SEED ?? (FUZZ_RUNS === undefined ? 1 : Date.now() % 2 ** 31));
const first = Number(FUZZ_ONLY ?? 0);
const runs = FUZZ_ONLY === undefined ? Number(FUZZ_RUNS ?? 150) : 1;
/** Scripts that are played at the same time: most of their time they wait. */
const lanes = 16;
/** More of them say little more. */
const mostFailures = 5;

/** A fuzz that never gets there proves nothing. */
const milestones: Readonly<Record<string, (trial: Trial) => boolean>> = {
  'whole at once': ({ isWhole, arrivals }) => isWhole && arrivals.length === 1,
  'whole after a retry': ({ isWhole, arrivals }) => isWhole && arrivals.length > 1,
  failed: ({ error, atAbort }) => error !== undefined && atAbort === undefined,
  'aborted in the first attempt': ({ atAbort }) => atAbort?.decisions === 0,
  'aborted after a failure': ({ atAbort }) => (atAbort?.decisions ?? 0) > 0,
  'stream replayed': ({ call, arrivals }) => /readable/.test(call.body.form) && arrivals.length > 1,
  'write sent once': ({ call, arrivals, isWhole }) =>
    call.method === 'POST' && arrivals.length === 1 && !isWhole,
  'write retried': ({ call, arrivals }) => call.method === 'POST' && arrivals.length > 1,
};

test(`axios ${version} keeps every promise in random scripts, seed ${seed}`, {
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
      const again = `FUZZ_SEED=${seed} FUZZ_ONLY=${number} npx vitest run test/adapters/axios/fuzz.test.ts`;
      failures.push([`script ${number}:`, ...complaints, JSON.stringify(script), again].join('\n  '));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (!(await comesTrue(() => openHandles() <= before))) {
    failures.push(`open at the end: ${process.getActiveResourcesInfo().join(', ')}`);
  }

  console.log(`fuzz: seed ${seed}, axios ${version}:`, Object.fromEntries(counts));
  if (failures.length > 0) expect.fail(failures.join('\n\n'));
  if (FUZZ_ONLY === undefined) expect([...counts].filter(([, count]) => count === 0)).toEqual([]);
});
