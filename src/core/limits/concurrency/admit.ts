/**
 * Decides whether there is room for an attempt, or whether it waits in line. The first in line goes as soon as there is
 * room, and no newcomer overtakes it.
 */

import type { Admitted } from '../admission.js';
import { refusing } from '../admission.js';
import type { Concurrency } from './setting.js';
import type { Line, Room } from './state.js';

/** `byOthers`: what the limits say that are asked later. */
export function admitByConcurrency(
  concurrency: Concurrency,
  room: Room,
  before: Admitted,
  byOthers: () => Admitted,
  now: number,
  deadlineAt: number,
): Admitted {
  const admitted = admitTo(concurrency, room, before, now, deadlineAt);
  if (admitted.admission.kind !== 'wait') return admitted;
  // A request that would be kept out anyway does not stand in line. What it would be given, it must not take yet.
  const later = byOthers();
  return later.admission.kind === 'go' ? admitted : later;
}

function admitTo(
  concurrency: Concurrency,
  { free, ahead, waiting, until }: Room,
  before: Admitted,
  now: number,
  deadlineAt: number,
): Admitted {
  if (ahead < free) return before;
  const isNew = until === undefined;
  const end = until ?? now + longestWait(concurrency, deadlineAt - now);
  if (end <= now || (isNew && waiting >= concurrency.maxWaiting)) return refusing(before, 'crowded');
  return { ...before, admission: { kind: 'wait', delayMs: end - now, why: 'concurrency', isCalled: true } };
}

/** The longest time in line without a deadline. */
const longestWaitMs = 30_000;

/** Half of the time that is left is for the attempt. */
function longestWait({ maxQueueMs }: Concurrency, leftMs: number): number {
  if (maxQueueMs !== undefined) return Math.min(maxQueueMs, leftMs);
  return leftMs < Infinity ? leftMs / 2 : longestWaitMs;
}

/**
 * Whether a retry would be refused: then the caller gets the answer that is there. It joins the line after its own wait,
 * and waits there for at least as long as the first request does that is there now.
 */
export function isTooCrowded(
  concurrency: Concurrency,
  { waiting, waitedMs }: Line,
  delayMs: number,
  leftMs: number,
): boolean {
  return waiting >= concurrency.maxWaiting || waitedMs > longestWait(concurrency, leftMs - delayMs);
}
