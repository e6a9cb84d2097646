/** A scenario, in the format of `fixtures/scenarios.schema.json`. Runs in any runtime. */

import type { OverrideOptions, PolicyOptions } from '../../src/core/policy/options.js';
import type { Retry, RetryReason, StopReason } from '../../src/core/types.js';
import type { FunctionsName } from './functions.js';

export type RunnerName = 'undici request' | 'undici dispatch' | 'axios' | 'fetch' | 'simulator';

export interface Scenario {
  readonly name: string;
  /** Why this behaviour matters, in one sentence. */
  readonly why: string;
  readonly policy: PolicyOptions;
  /** The name of the functions that the policy has as well. */
  readonly functions?: FunctionsName;
  /** Random numbers in order; the last one repeats. Default: always 0.5. */
  readonly draws?: readonly [number, ...number[]];
  readonly requests: readonly [ScenarioRequest, ...ScenarioRequest[]];
  /** Runners that cannot run it, and why. */
  readonly skip?: Partial<Readonly<Record<RunnerName, string>>>;
}

export interface ScenarioRequest {
  /** When its caller sends it. Default: 0. */
  readonly atMs?: number;
  /** How many requests like this are sent, one every `everyMs`. The times are those of the first. Default: 1. */
  readonly times?: number;
  readonly everyMs?: number;
  /** Default: GET. */
  readonly method?: string;
  /** Default: `defaultUrl`. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A body that can be read only once. */
  readonly stream?: string;
  /** The request's own settings, which go over its rule. */
  readonly retry?: OverrideOptions | false;
  /** Every attempt that reaches its server, in order, with its answer and decision. */
  readonly attempts: readonly ScenarioAttempt[];
  /** Headers that have the same value in all attempts. */
  readonly keeps?: readonly string[];
  /** The caller's result, and when: a status, or an error's code. */
  readonly ends: End;
}

export interface ScenarioAttempt {
  readonly atMs: number;
  /**
   * A status, or: the connection is reset, refused, brings bytes that are not HTTP, or stays silent; or it brings half of a
   * 200's body.
   */
  readonly answer: number | 'reset' | 'refused' | 'garbage' | 'silence' | 'cut';
  /** The server answers with this redirect first, and `answer` is what becomes of the next hop. */
  readonly redirect?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the answer. Default: none. */
  readonly body?: string;
  /** How long the server takes. Default: 0. */
  readonly afterMs?: number;
  /** Headers of the attempt; null if it must not have that header. */
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
