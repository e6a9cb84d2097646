/**
 * What is done once for all that happens in one turn of the event loop: at its end, when this turn's code has run, and
 * before anything that the platform brings.
 */

import { monotonicNow } from './stalls.js';

export interface AwaitsTurn {
  /** It is to be told. */
  awaitsTurn: boolean;
  turnEnds(): void;
}

const awaiting: AwaitsTurn[] = [];
/** How many of them have been told. */
let told = 0;
let isAwaited = false;
/** When the clock was read first in this turn, and at its end. */
let readAt: number | undefined;
let endedAt: number | undefined;
/** Others await the end of a longer turn, in which promises set off others. */
let isLonger = false;
const thisTurn = /* @__PURE__ */ Promise.resolve();

export function atEndOfTurn(one: AwaitsTurn): void {
  one.awaitsTurn = true;
  awaiting.push(one);
  if (isAwaited) return;
  isAwaited = true;
  void thisTurn.then(end);
}

/** It need not be told. What was begun last is mostly over first, and then nothing of it is left here. */
export function leaveTurn(one: AwaitsTurn): void {
  one.awaitsTurn = false;
  if (awaiting.length > told && awaiting[awaiting.length - 1] === one) awaiting.pop();
}

/**
 * What is begun at the end of the turn may await that as well, and ends with the rest. If one throws, the others are told
 * nevertheless: among them are all time limits of the process.
 */
function end(): void {
  try {
    for (let one = awaiting[told]; one !== undefined; one = awaiting[told]) {
      told += 1;
      if (one.awaitsTurn) {
        one.awaitsTurn = false;
        one.turnEnds();
      }
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

/** Those who await it are being told. */
export function isTurnEnding(): boolean {
  return told > 0;
}

/** For those whose turn ends. */
export function endOfTurn(): number {
  endedAt ??= performance.now();
  return endedAt;
}

/** For those who await the end of a longer turn anyway: it begins, or it is over. */
export function turnLasts(isOn: boolean): void {
  isLonger = isOn;
  readAnew();
}

/** A failure is timed: what is sent after it in this turn must not seem to have been sent before. */
export function readAnew(): void {
  readAt = undefined;
}

/**
 * The time for notes about what is not timed: while the end of a turn is awaited, they may be earlier by as long as the
 * turn has taken.
 */
export function turnNow(clock: () => number): number {
  if (!(isAwaited || isLonger) || clock !== monotonicNow) return clock();
  readAt ??= clock();
  return readAt;
}
