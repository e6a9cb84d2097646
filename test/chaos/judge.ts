/** Invariants that hold for every request, however the server failed. */

import { contentOf } from '../faults/content.js';
import type { Line } from './file-ledger.js';
import { bodyBytes, bodyStart } from './orders.js';
import { callersKey, type Trial } from './trial.js';

/** The server's record of one request. */
interface Entry {
  readonly all: Line[];
  readonly arrived: Line[];
  readonly applied: Line[];
  readonly spoilt: Line[];
  readonly refused: Line[];
}

export function complaintsAbout(trials: readonly Trial[], lines: readonly Line[]): string[] {
  const entries = trials.map(noEntry);
  for (const line of lines) {
    entries[line.id]?.all.push(line);
    entries[line.id]?.[line.what].push(line);
  }
  return trials.flatMap((trial, index) => {
    const entry = entries[index] ?? noEntry();
    const complaints = [...ofCaller(trial, entry), ...ofServer(trial, entry), ...ofKeys(trial, entry)];
    return complaints.map((complaint) => `request ${trial.id} (${trial.manner}) ${complaint}`);
  });
}

function noEntry(): Entry {
  return { all: [], arrived: [], applied: [], spoilt: [], refused: [] };
}

/** The gate's own error, and those of a hold that takes longer than there is time. */
const atTheGate = /^(GateShut|Held|Deadline)Error$/;

/** A refusal (of a 401 more is asked), or a redirect that undici cannot follow because the body is a stream. */
function isNoSuccess(status: number): boolean {
  return [307, 308, 401, 408, 425, 429].includes(status);
}

function* ofCaller(trial: Trial, { applied, refused }: Entry): Generator<string> {
  const { id, answer, error, isSettled, isDone, manner, ends } = trial;
  if (!isSettled) yield 'was never settled';
  if (ends !== 1) yield `was said to be over ${ends} times`;
  if (isDone && manner !== 'read' && applied.length === 0) yield 'was said to be done, and is lost';
  if (isDone && answer?.body.equals(contentOf('a', bodyStart(id), bodyStart(id) + bodyBytes)) !== true) {
    yield `got a body that is not its own: ${answer?.body.length} bytes`;
  }
  const { status } = trial;
  // One that its fresh attempt got, too, whose token had expired as well.
  const isRefusedTwice = new Set(refused.map(({ token }) => token)).size > 1;
  if (status === 401 && !isRefusedTwice) yield 'got a 401, from which a renewed token would have saved it';
  if (answer !== undefined && !isDone && !isNoSuccess(answer.status)) yield `got the status ${answer.status}`;
  const isExplained = atTheGate.test(Object(error).name);
  if (trial.isTurnedAway && !isExplained) yield `failed without an attempt, and not at the gate: ${error}`;
}

function* ofServer(
  { manner, decisions, retries, hedges }: Trial,
  { all, arrived, applied, spoilt }: Entry,
): Generator<string> {
  if (spoilt.length > 0) yield 'arrived with a body that is not its own';
  if (applied.length > 1) yield `was applied ${applied.length} times`;
  const attempts = retries + hedges + 1;
  if (arrived.length > attempts) yield `arrived ${arrived.length} times in ${attempts} attempts`;
  if (manner !== 'read' && hedges > 0) yield `was hedged ${hedges} times`;
  if (manner !== 'write') return;
  // A request that never left has not arrived; only one that the server itself refused may arrive again.
  const refusals = decisions.filter(
    ({ action, finding }) => action === 'retry' && finding.evidence === 'refused',
  );
  const booked = all.findIndex(({ what }) => what === 'applied');
  if (booked !== -1 && all.slice(booked).some(({ what }) => what === 'arrived')) {
    yield 'was sent again after it had been applied';
  }
  if (arrived.length > refusals.length + 1) {
    yield `arrived ${arrived.length} times, and was refused ${refusals.length} times`;
  }
}

function* ofKeys({ id, manner }: Trial, { arrived }: Entry): Generator<string> {
  const keys = [...new Set(arrived.map(({ key }) => key))];
  const isRight = {
    read: () => keys[0] === undefined,
    write: () => keys[0] === undefined,
    keyed: () => keys[0] === callersKey(id),
    'keyed later': () => keys[0] !== undefined,
  }[manner];
  if (keys.length > 1 || (keys.length === 1 && !isRight())) yield `arrived with the keys ${keys.join(', ')}`;
}
