/** What a process of a crowd is told, and tells: plain data. */

import type { PolicyOptions } from '../../src/index.js';

export interface Plan {
  readonly policy: PolicyOptions;
  readonly perSecond: number;
  /** Where `redis` is installed. */
  readonly nodeRedis: string;
  /** Undefined: the process does not share. */
  readonly redis?: string;
}

/** Redis passes on messages on this channel, which only say when they were sent. */
export const bareChannel = 'bare';

/** `tell`: report what was found since the last report, or since `send`. */
export type ToProcess =
  | { readonly kind: 'send'; readonly origin: string }
  | { readonly kind: 'rest' }
  | { readonly kind: 'tell' };

export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'fleet'; readonly isShared: boolean }
  | { readonly kind: 'found'; readonly found: Found };

/** Times in ms of the machine's monotonic clock. */
export interface Found {
  /** Latencies of the requests that succeeded. */
  readonly latencies: number[];
  /** Every attempt. */
  readonly sentAt: number[];
  /** By code, or status. */
  readonly failed: Record<string, number>;
  /** To Redis. */
  commands: number;
  /** When it decided on a 429 of its own. */
  refusedAt?: number;
  /** When it first knew that its server is to be left alone. */
  heldAt?: number;
  /** How long a bare message took to get here. */
  bareMs?: number;
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
