/** The thread in which simulations run, one job after another: see `sim-jobs.ts`. */

import { parentPort } from 'node:worker_threads';
import { tables } from './all-tables.js';
import { goals } from './goals/all.js';
import type { Job, Results } from './sim-jobs.js';
import { seedsUpTo } from './sim-reading.js';
import { rowOf } from './sim-tables.js';
import { tailFiguresOf } from './tail/figures.js';
import { tailContenders, tailRows } from './tail/rows.js';
import { unharmed } from './tail/unharmed.js';

parentPort?.on('message', (job: Job) => parentPort?.postMessage(resultOf(job)));

function resultOf(job: Job): Results[Job['kind']] {
  const seeds = seedsUpTo(job.seeds);
  if (job.kind === 'tail') {
    const row = tailRows.find(({ name }) => name === job.row);
    if (row === undefined) throw new RangeError(`There is no day ${job.row}`);
    return tailFiguresOf(row.day, tailContenders[job.contender], seeds);
  }
  if (job.kind === 'ordinary') {
    const some = unharmed[job.index];
    if (some === undefined) throw new RangeError(`There is no ordinary day ${job.index}`);
    return some.reached(tailContenders[job.contender], seeds);
  }
  if (job.kind === 'goal') {
    const goal = goals[job.goalIndex];
    if (goal === undefined) throw new RangeError(`There is no goal ${job.goalIndex}`);
    return goal.judge(job.policy, seeds);
  }
  const table = tables.find(({ name }) => name === job.table);
  const contender = table?.contenders[job.contender];
  const some = table?.cases[job.caseIndex];
  if (contender === undefined || some === undefined) {
    throw new RangeError(`${job.table} has no case ${job.caseIndex} for ${job.contender}`);
  }
  return rowOf({ cases: [some] }, contender, seeds);
}
