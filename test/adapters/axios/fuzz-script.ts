/** Generates a random script. All of it is JSON, so that a failing script can be printed and replayed. */

import type { PolicyOptions } from '../../../src/index.js';
import { type Tokens, withTokens } from '../fuzz/credentials.js';
import { Dice } from '../fuzz/dice.js';
import { withHedges } from '../fuzz/hedges.js';
import type { Hooks } from '../fuzz/hooks.js';
import { type FuzzPlay, hangs, playAtRandom, served } from '../fuzz/plays.js';

export interface FuzzScript extends Hooks {
  readonly adapter: 'http' | 'fetch';
  /** True: the adapter is named; false: its function is given. */
  readonly isNamed: boolean;
  /** Such a function asks for a token after a 401. */
  readonly asksForTokens: boolean;
  readonly maxSockets: number;
  readonly responseType: 'arraybuffer' | 'stream';
  readonly policy: PolicyOptions;
  /** Credentials that expire, and the server that asks for them. */
  readonly tokens?: Tokens;
  /** True: all calls at once; false: one after the other. */
  readonly together: boolean;
  readonly calls: readonly FuzzCall[];
}

export interface FuzzCall {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** The caller's own idempotency key. */
  readonly isKeyed: boolean;
  readonly body: { readonly form: BodyForm; readonly bytes: number };
  /** The play for the n-th arrival of this call; the last one repeats. */
  readonly plays: readonly FuzzPlay[];
  readonly abort?: { readonly by: 'signal' | 'token'; readonly on: AbortMoment; readonly n: number };
}

export type BodyForm = 'none' | 'text' | 'bytes' | 'blob' | 'readable' | 'factory of readables';
export type AbortMoment = 'before' | 'time' | 'attempt' | 'decision' | 'wait';

// ---------------------------------------------------------------- the dice

export function scriptOf(seed: number, number: number): FuzzScript {
  const dice = new Dice(seed, number);
  const responseType = dice.oneOf(['arraybuffer', 'arraybuffer', 'stream']);
  const calls = dice.some(1, 3, () => callOf(dice, responseType === 'stream'));
  const mayHang = calls.some(({ plays }) => plays.some(hangs));
  const script = withHedges<FuzzScript>(dice, {
    adapter: dice.oneOf(['http', 'fetch']),
    isNamed: dice.chance(0.5),
    asksForTokens: dice.chance(0.5),
    maxSockets: dice.whole(1, 3),
    responseType,
    policy: policyOf(dice, mayHang),
    ...(dice.chance(0.2) && {
      retryIf: dice.oneOf([
        'undecided, later',
        'again after 500, later',
        'again after 500, later',
        'rejects',
      ]),
    }),
    ...(dice.chance(0.2) && {
      beforeRetry: dice.oneOf(['adds a header, later', 'goes elsewhere', 'goes elsewhere', 'rejects']),
    }),
    together: dice.chance(0.5),
    calls,
  });
  return withTokens(dice, script);
}

/** Times in the policy's own time, which runs faster than the clock. */
function policyOf(dice: Dice, mayHang: boolean): PolicyOptions {
  const attemptTimeoutMs = dice.whole(1_000, 2_000);
  return {
    maxRetries: dice.oneOf([0, 1, 2, 3, 3, 3]),
    schedule: { kind: 'fixed', waitMs: dice.oneOf([0, 10, 50]), jitter: 'none' },
    throttledSchedule: { kind: 'fixed', waitMs: 20, jitter: 'full' },
    bufferBodyBytes: dice.oneOf([0, 1_000, 65_536, 200_000]),
    unsafeMethods: dice.oneOf(['never', 'unsent', 'refused', 'refused', 'refused']),
    idempotencyKey: dice.chance(0.15),
    attemptHeader: dice.chance(0.3),
    ...(dice.chance(0.3) && {
      streamStart: { maxMs: dice.oneOf([1, 20, 500]), maxBytes: dice.oneOf([1, 1_000, 70_000]) },
    }),
    ...((mayHang || dice.chance(0.2)) && { attemptTimeoutMs }),
    ...(dice.chance(0.2) && { deadlineMs: dice.whole(attemptTimeoutMs, 4_000) }),
  };
}

function callOf(dice: Dice, isStream: boolean): FuzzCall {
  // An empty stream: over `fetch`, older axios reads it nevertheless, and throws an error that nothing can catch.
  const head: FuzzCall['method'] = isStream ? 'GET' : 'HEAD';
  const method = dice.oneOf(['GET', 'GET', head, 'POST', 'POST', 'PUT']);
  const hasBody = method === 'POST' || method === 'PUT';
  const form = hasBody
    ? dice.oneOf(['text', 'bytes', 'blob', 'readable', 'readable', 'factory of readables'])
    : 'none';
  const isTimed = { on: 'time', n: dice.whole(0, 15) } as const;
  const moment = { on: dice.oneOf(['before', 'attempt', 'decision', 'wait']), n: dice.whole(1, 3) } as const;
  return {
    method,
    isKeyed: dice.chance(0.2),
    body: {
      form,
      bytes: form === 'none' ? 0 : dice.oneOf([1, dice.whole(2, 2_000), dice.whole(2, 200_000)]),
    },
    plays: [
      ...dice.some(0, 3, () => playAtRandom(dice, isStream)),
      ...(dice.chance(0.7) ? [served(dice)] : [playAtRandom(dice, isStream)]),
    ],
    ...(dice.chance(0.25) && {
      abort: { by: dice.oneOf(['signal', 'token']), ...(dice.chance(0.5) ? isTimed : moment) },
    }),
  };
}
