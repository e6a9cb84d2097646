/** What the server is told, and what it says: all that its process and the test's have in common. */

import type { Misbehaviour } from './misbehaviour.js';

/** With these it is started. */
export interface Orders {
  readonly port: number;
  readonly ledgerPath: string;
  readonly seed: number;
  readonly misbehaviour: Misbehaviour;
}

/**
 * `leave`: nobody new is let in, and who is there has to go after the next answer. `slam`: all are thrown out at once.
 * `finish`: nobody new is let in, and when the last one has gone, that was all.
 */
export type Command = 'listen' | 'leave' | 'slam' | 'finish';
export type Notice = 'listening' | 'shut';

export const bodyBytes = 4_000;

/** What a POST brings: whatever way its body took, the server wants all of it. */
export function orderText(id: number): string {
  return `the order ${id}`;
}

/** Where the answer to this request begins in `contentOf` all of them: each has its own part. */
export function bodyStart(id: number): number {
  return id * bodyBytes;
}
