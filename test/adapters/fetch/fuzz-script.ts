/** Generates a random script. All of it is JSON, so that a failing script can be printed and replayed. */

import type { OverrideOptions, PolicyOptions } from '../../../src/index.js';
import { type Tokens, withTokens } from '../fuzz/credentials.js';
import { Dice } from '../fuzz/dice.js';
import { withHedges } from '../fuzz/hedges.js';
import type { Hooks } from '../fuzz/hooks.js';
import { type FuzzPlay, hangs, playAtRandom, served } from '../fuzz/plays.js';

export interface FuzzScript extends Hooks {
  readonly doFetch: 'node' | 'undici';
  /** What is between ours and that fetch. */
  readonly wrapper: 'none' | 'asks for tokens' | 'rebuilds answers';
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
  readonly input: 'text' | 'URL' | 'Request';
  readonly body: { readonly form: BodyForm; readonly bytes: number };
  readonly redirect: 'follow' | 'manual' | 'error';
  /** The call's own settings, in init. */
  readonly retry?: OverrideOptions | false;
  readonly reads: 'all' | 'a part' | 'nothing';
  /** The play for the n-th arrival of this call; the last one repeats. */
  readonly plays: readonly FuzzPlay[];
  readonly abort?: { readonly on: AbortMoment; readonly n: number };
}

export type BodyForm =
  | 'none'
  | 'text'
  | 'bytes'
  | 'blob'
  | 'params'
  | 'form'
  | 'stream'
  | 'iterable'
  | 'factory of streams';
export type AbortMoment = 'before' | 'time' | 'attempt' | 'decision' | 'wait' | 'head';

/** True for a body that is read only once: a stream, an iterable, or a Request's body. */
export function isReadOnce({ input, body }: FuzzCall): boolean {
  return body.form !== 'none' && (input === 'Request' || /^(stream|iterable)$/.test(body.form));
}

export function maxRetriesOf({ retry }: FuzzCall, { maxRetries = 3 }: PolicyOptions): number {
  if (retry === false) return 0;
  return retry?.maxRetries ?? maxRetries;
}

// ---------------------------------------------------------------- the dice

export function scriptOf(seed: number, number: number): FuzzScript {
  const dice = new Dice(seed, number);
  const isHooked = dice.chance(0.2);
  const calls = dice.some(1, 3, () => callOf(dice, isHooked));
  const mayHang = calls.some(({ plays }) => plays.some(hangs));
  const script = withHedges<FuzzScript>(dice, {
    doFetch: dice.oneOf(['node', 'undici']),
    wrapper: dice.oneOf(['none', 'none', 'asks for tokens', 'rebuilds answers']),
    policy: policyOf(dice, mayHang),
    ...(isHooked && {
      retryIf: dice.oneOf(['undecided, later', 'again after 500, later', 'rejects']),
    }),
    ...(dice.chance(0.2) && {
      beforeRetry: dice.oneOf(['adds a header, later', 'goes elsewhere', 'rejects']),
    }),
    together: dice.chance(0.5),
    calls,
  });
  return withTokens(dice, script);
}

/** Times in the policy's own time, which runs faster than the clock. */
function policyOf(dice: Dice, mayHang: boolean): PolicyOptions {
  const attemptTimeoutMs = dice.whole(1_000, 2_000);
  const isCovering = dice.chance(0.5);
  return {
    maxRetries: dice.oneOf([0, 1, 2, 3, 3, 3]),
    schedule: { kind: 'fixed', waitMs: dice.oneOf([0, 10, 50]), jitter: 'none' },
    throttledSchedule: { kind: 'fixed', waitMs: 20, jitter: 'full' },
    bufferBodyBytes: dice.oneOf([0, 1_000, 65_536, 200_000]),
    unsafeMethods: dice.oneOf(['never', 'unsent', 'refused', 'refused', 'refused']),
    idempotencyKey: dice.chance(0.15),
    attemptHeader: dice.chance(0.3),
    ...(dice.chance(0.3) && {
      wholeBodyBytes: dice.oneOf([1, 1_000, 70_000, 300_000]),
      wholeBodyMs: dice.oneOf([1, 20, 500]),
    }),
    ...(dice.chance(0.3) && {
      streamStart: { maxMs: dice.oneOf([1, 20, 500]), maxBytes: dice.oneOf([1, 1_000, 70_000]) },
    }),
    ...((mayHang || dice.chance(0.2)) && { attemptTimeoutMs }),
    ...(dice.chance(0.2) && {
      deadlineMs: dice.whole(attemptTimeoutMs, 4_000),
      ...(isCovering && { deadlineCovers: 'body' }),
    }),
    ...(dice.chance(0.1) && { gate: true }),
  };
}

/** `isHooked`: a hook reads each answer, and would read an endless one forever. */
function callOf(dice: Dice, isHooked: boolean): FuzzCall {
  const method = dice.oneOf(['GET', 'GET', 'HEAD', 'POST', 'POST', 'PUT']);
  const hasBody = method === 'POST' || method === 'PUT';
  const form = hasBody ? dice.oneOf(forms) : 'none';
  const input = dice.oneOf(['text', 'text', 'URL', 'Request']);
  const isTimed = { on: 'time', n: dice.whole(0, 15) } as const;
  const on = dice.oneOf<AbortMoment>(['before', 'attempt', 'decision', 'wait', 'head']);
  return {
    method,
    isKeyed: dice.chance(0.2),
    input,
    body: {
      // A Request cannot have a factory for its body.
      form: input === 'Request' && form === 'factory of streams' ? 'stream' : form,
      bytes: form === 'none' ? 0 : dice.oneOf([1, dice.whole(2, 2_000), dice.whole(2, 200_000)]),
    },
    redirect: dice.oneOf(['follow', 'follow', 'follow', 'manual', 'error']),
    ...(dice.chance(0.3) && {
      retry: dice.oneOf<OverrideOptions | false>([false, { maxRetries: 1 }, { maxRetries: 2 }, {}]),
    }),
    reads: dice.oneOf(['all', 'all', 'all', 'a part', 'nothing']),
    // No time limit applies after the head, so nothing stalls after it.
    plays: [
      ...dice.some(0, 3, () => playAtRandom(dice, true)),
      ...(dice.chance(0.7) ? [served(dice)] : [playAtRandom(dice, true)]),
    ].map((play) => (isHooked && 'bytes' in play && play.bytes === 'endless' ? { ...play, bytes: 9 } : play)),
    ...(dice.chance(0.25) && { abort: dice.chance(0.4) ? isTimed : { on, n: dice.whole(1, 3) } }),
  };
}

const forms: readonly BodyForm[] = [
  'text',
  'bytes',
  'blob',
  'params',
  'form',
  'stream',
  'stream',
  'iterable',
  'factory of streams',
];
