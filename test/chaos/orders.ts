/** The protocol between the test and the server's process. */

import type { Misbehaviour } from './misbehaviour.js';

/** The arguments that the server starts with. */
export interface Orders {
  readonly port: number;
  /** Where nothing listens. */
  readonly deadOrigin: string;
  readonly ledgerPath: string;
  readonly seed: number;
  readonly misbehaviour: Misbehaviour;
  /** A token expires after it has come so often, or up to twice as often. Undefined: none is asked for. */
  readonly tokenUses: number | undefined;
}

/**
 * `leave`: accepts no new connections, and closes each existing one after its next answer. `slam`: closes all
 * connections at once. `finish`: accepts no new connections, and ends with the last one.
 */
export type Command = 'listen' | 'leave' | 'slam' | 'finish';
export type Notice = 'listening' | 'shut';

export const bodyBytes = 4_000;

/** The body of a POST, which the server requires completely, however it was sent. */
export function orderText(id: number): string {
  return `the order ${id}`;
}

/** The offset of this request's answer in `contentOf` all: each request has its own part. */
export function bodyStart(id: number): number {
  return id * bodyBytes;
}
