/** A scenario, in the format of `fixtures/scenarios.schema.json`. Runs in any runtime. */

import type { OverrideOptions, PolicyOptions } from '../../src/core/policy/options.js';
import type { Retry, RetryReason, StopReason } from '../../src/core/types.js';

export type RunnerName = 'undici request' | 'undici dispatch' | 'axios' | 'fetch' | 'simulator';

export interface Scenario {
  readonly name: string;
  /** What would be lost if it were otherwise, in one sentence. */
  readonly why: string;
  readonly policy: PolicyOptions;
  /** In turn, the last one again and again. Default: always 0.5. */
  readonly draws?: readonly [number, ...number[]];
  readonly requests: readonly [ScenarioRequest, ...ScenarioRequest[]];
  /** Who cannot say what it says, and why. */
  readonly skip?: Partial<Readonly<Record<RunnerName, string>>>;
}

export interface ScenarioRequest {
  /** When its caller sends it. Default: 0. */
  readonly atMs?: number;
  /** Default: GET. */
  readonly method?: string;
  /** Default: `defaultUrl`. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A body that can be read only once. */
  readonly stream?: string;
  /** What it says for itself, over its rule. */
  readonly retry?: OverrideOptions | false;
  /** Every attempt that reaches its server, in order: what it is answered, and what is decided then. */
  readonly attempts: readonly ScenarioAttempt[];
  /** Headers that all attempts have, with the same value. */
  readonly keeps?: readonly string[];
  /** What its caller gets, and when: a status, or the code of an error. */
  readonly ends: End;
}

export interface ScenarioAttempt {
  readonly atMs: number;
  /** A status; or the connection is cut, or refused, or bytes come that are no HTTP, or nothing ever does. */
  readonly answer: number | 'reset' | 'refused' | 'garbage' | 'silence';
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the server takes. Default: 0. */
  readonly afterMs?: number;
  /** Headers of the attempt; null: it has none of that name. */
  readonly sends?: Readonly<Record<string, string | null>>;
  readonly decision: DecisionInWords;
}

export type DecisionInWords =
  | { readonly retry: RetryReason; readonly delayMs: number; readonly waitFrom: Retry['waitFrom'] }
  | { readonly stop: StopReason; readonly delayMs?: number; readonly limit?: number };

export interface End {
  readonly with: number | string;
  readonly atMs: number;
}

export const defaultUrl = 'http://api.example.com/things/1';

/** Wall time at the beginning of every scenario. */
export const epochMs: number = Date.UTC(2026, 2, 10, 12, 0, 0);

export function diceOf({ draws = [0.5] }: Scenario): () => number {
  let drawn = 0;
  return () => {
    const draw = draws[Math.min(drawn, draws.length - 1)];
    drawn += 1;
    return draw ?? 0.5;
  };
}
