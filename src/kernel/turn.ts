/**
 * What is done once for all that happens in one turn of the event loop: at its end, when this turn's code has run, and
 * before anything that the platform brings.
 */

import { monotonicNow } from './stalls.js';

interface Awaiting {
  turnEnds(): void;
}

const awaiting: Awaiting[] = [];
/** How many of them have been told. */
let told = 0;
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

/**
 * What is begun at the end of the turn may await that as well, and ends with the rest. If one throws, the others are told
 * nevertheless: among them are all time limits of the process.
 */
function end(): void {
  try {
    for (let one = awaiting[told]; one !== undefined; one = awaiting[told]) {
      told += 1;
      one.turnEnds();
    }
  } finally {
    if (told < awaiting.length) void thisTurn.then(end);
    else {
      awaiting.length = 0;
      told = 0;
      isAwaited = false;
      readAt = undefined;
      endedAt = undefined;
    }
  }
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
