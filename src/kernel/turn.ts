/**
 * What is done once for all that happens in one turn of the event loop: at its end, when this turn's code has run, and
 * before anything that the platform brings.
 */

import { monotonicNow } from './stalls.js';

interface Awaiting {
  turnEnds(): void;
}

let awaiting: Awaiting[] = [];
let spare: Awaiting[] = [];
let isAwaited = false;
/** When the clock was read first in this turn, and at its end. */
let readAt: number | undefined;
let endedAt: number | undefined;
const thisTurn = /* @__PURE__ */ Promise.resolve();

export function atEndOfTurn(one: Awaiting): void {
  awaiting.push(one);
  if (isAwaited) return;
  isAwaited = true;
  void thisTurn.then(end);
}

function end(): void {
  const all = awaiting;
  awaiting = spare;
  isAwaited = false;
  readAt = undefined;
  endedAt = undefined;
  for (const one of all) one.turnEnds();
  all.length = 0;
  spare = all;
}

/** For those whose turn ends. */
export function endOfTurn(): number {
  endedAt ??= performance.now();
  return endedAt;
}

/**
 * The time for notes about what is not timed: while the end of a turn is awaited, they may be earlier by as long as the
 * turn has taken.
 */
export function turnNow(clock: () => number): number {
  if (!isAwaited || clock !== monotonicNow) return clock();
  readAt ??= clock();
  return readAt;
}
