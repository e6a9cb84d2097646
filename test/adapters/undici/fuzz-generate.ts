/** Generates a random script. */

import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { tokensAtRandom } from '../fuzz/credentials.js';
import { Dice } from '../fuzz/dice.js';
import { playsOf, sendAway } from './fuzz-generate-plays.js';
import type {
  AbortMoment,
  BodyForm,
  ConnectFault,
  FuzzAbort,
  FuzzBody,
  FuzzCall,
  FuzzCaller,
  FuzzScript,
  Through,
} from './fuzz-script.js';

export function scriptOf(seed: number, number: number): FuzzScript {
  const dice = new Dice(seed, number);
  const isHedged = dice.chance(0.35);
  const policy = isHedged ? hedgedPolicyOf(dice) : policyOf(dice);
  const calls = dice.chance(0.65) ? [callOf(dice, policy)] : dice.some(2, 3, () => callOf(dice, policy));
  const connects = dice.chance(0.15) ? dice.some(1, 3, () => dice.oneOf(connectFaults)) : [];
  const layer = dice.chance(0.3) ? dice.oneOf(['redirects', 'tokens'] as const) : undefined;
  // Beneath a layer that asks for tokens, undici 7 alone may forget the third call.
  const asked = layer === 'tokens' ? calls.slice(0, 1) : calls;
  const sent = layer === undefined ? calls : asked.map((call) => callSentAway(dice, layer, call));
  const mayHang = connects.includes('silence') || calls.some(({ plays }) => plays.some(hangs));
  const script: FuzzScript = {
    agent: {
      connections: dice.whole(1, 3),
      pipelining: dice.chance(0.25) ? dice.whole(2, 4) : 1,
      ...((mayHang || dice.chance(0.05)) && { headersTimeout: 40, bodyTimeout: 40 }),
    },
    policy,
    ...(dice.chance(0.2) && { retryIf: dice.oneOf(retryIfs) }),
    ...(!isHedged && dice.chance(0.15) && { beforeRetry: dice.oneOf(beforeRetries) }),
    connects,
    ...(layer !== undefined && { layer }),
    calls: sent,
    together: dice.chance(0.5),
    ends: dice.chance(0.5) ? 'close' : 'destroy',
  };
  const tokens = tokensAtRandom(dice);
  return tokens === undefined ? script : { ...script, tokens };
}

function hangs(play: FuzzCall['plays'][number]): boolean {
  return play.does === 'hang' || (play.does === 'serve' && play.cut?.how === 'stall');
}

const connectFaults: readonly ConnectFault[] = ['none', 'fin', 'rst', 'silence'];

// Those that throw are rare among them.
const retryIfs = [
  ...(['undecided', 'undecided later', 'again after 503, later'] as const),
  ...(['undecided', 'undecided later', 'again after 503, later'] as const),
  ...(['never, later', 'throws', 'rejects'] as const),
];
const beforeRetries = [
  ...(['adds a header', 'adds a header later'] as const),
  ...(['adds a header', 'adds a header later'] as const),
  ...(['throws', 'rejects'] as const),
];

/** Times in the policy's own time, which runs faster than the clock. */
function policyOf(dice: Dice): PolicyOptions {
  const attemptTimeoutMs = dice.whole(200, 2_000);
  return {
    maxRetries: dice.whole(0, 3),
    schedule: { kind: 'fixed', waitMs: dice.oneOf([0, 10, 200]), jitter: 'none' },
    throttledSchedule: { kind: 'fixed', waitMs: 20, jitter: 'full' },
    resume: dice.chance(0.85),
    bodyHintBytes: dice.chance(0.15) ? dice.oneOf([1, 100, 70_000]) : 0,
    bufferBodyBytes: dice.chance(0.3) ? dice.oneOf([0, 1_000, 200_000]) : 65_536,
    unsafeMethods: dice.chance(0.3) ? dice.oneOf(['never', 'unsent'] as const) : 'refused',
    idempotencyKey: dice.chance(0.15),
    attemptHeader: dice.chance(0.2),
    ...(dice.chance(0.3) && {
      wholeBodyBytes: dice.oneOf([1, 1_000, 70_000, 300_000]),
      wholeBodyMs: dice.oneOf([1, 20, 500]),
    }),
    ...(dice.chance(0.3) && {
      streamStart: { maxMs: dice.oneOf([1, 20, 500]), maxBytes: dice.oneOf([1, 1_000, 70_000]) },
    }),
    ...(dice.chance(0.15) && { attemptTimeoutMs }),
    ...(dice.chance(0.15) && {
      deadlineMs: dice.whole(attemptTimeoutMs, 4_000),
      deadlineCovers: dice.oneOf(['head', 'body'] as const),
    }),
  };
}

/** Hedges that are sent soon, and often: the scripts of a seed are short. */
function hedgedPolicyOf(dice: Dice): PolicyOptions {
  const policy = policyOf(dice);
  return {
    ...policy,
    maxRetries: Math.max(1, policy.maxRetries ?? 1),
    hedge: {
      afterMs: dice.oneOf([1, 20, 100, 190]),
      methods: ['GET', 'HEAD', ...(dice.chance(0.5) ? ['PUT'] : [])],
      share: 1,
    },
  };
}

// ---------------------------------------------------------------- one call

const everyWay: readonly Through[] = [
  'dispatch 1',
  'dispatch 2',
  'request',
  'stream',
  'fetch',
  'built-in fetch',
];

function callOf(dice: Dice, policy: PolicyOptions): FuzzCall {
  const method = dice.oneOf(['GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'PUT'] as const);
  const caller = callerOf(dice);
  const isFetch = caller.through.endsWith('fetch');
  const hasBody = method === 'POST' || method === 'PUT';
  const body = hasBody ? bodyOf(dice, isFetch, policy.bufferBodyBytes ?? 0) : noBody;
  return {
    method,
    isKeyed: dice.chance(0.2),
    body,
    expectContinue: hasBody && !isFetch && dice.chance(0.1),
    ...(method === 'GET' &&
      dice.chance(0.1) && { range: [dice.whole(0, 500), dice.whole(500, 90_000)] as const }),
    plays: playsOf(dice, policy.maxRetries ?? 0, method, caller),
    caller,
  };
}

function callerOf(dice: Dice): FuzzCaller {
  const through = dice.oneOf(everyWay);
  const isDispatch = through.startsWith('dispatch');
  const throwsAt = isDispatch
    ? (['at the start', 'at the head', 'at data', 'at the end'] as const)
    : (['at the head'] as const);
  return {
    through,
    reads: dice.chance(0.2)
      ? dice.oneOf(['a part', 'nothing'] as const)
      : dice.oneOf(['all', 'slowly'] as const),
    atBytes: dice.oneOf([0, 1, 100, 5_000, 70_000]),
    ...(dice.chance(0.2) && { pausesMs: dice.whole(0, 8) }),
    ...((isDispatch || through === 'stream') && dice.chance(0.07) && { throws: dice.oneOf(throwsAt) }),
    ...(dice.chance(0.2) && { abort: abortOf(dice, through) }),
  };
}

const momentsBeforeHead: readonly AbortMoment[] = ['before', 'attempt', 'start'];
const moments: readonly AbortMoment[] = [
  ...momentsBeforeHead,
  ...(['decision', 'wait', 'wait', 'time', 'time', 'sent', 'head', 'head', 'bytes', 'bytes'] as const),
];

function abortOf(dice: Dice, through: Through): FuzzAbort {
  // Node 20's fetch hangs, or takes the body for complete, if it is aborted between the last byte and its reading.
  const on = dice.oneOf(through === 'built-in fetch' ? momentsBeforeHead : moments);
  const most = { time: 15, bytes: 80_000 } as const;
  return {
    on,
    n: on === 'time' || on === 'bytes' ? dice.whole(1, most[on]) : dice.whole(1, 3),
    isAtOnce: dice.chance(0.5),
    hasReason: dice.chance(0.5),
  };
}

/** fetch would follow redirects itself. */
function callSentAway(dice: Dice, layer: 'redirects' | 'tokens', call: FuzzCall): FuzzCall {
  const { plays, caller } = call;
  const through = caller.through.endsWith('fetch') ? 'request' : caller.through;
  const play = { ...sendAway(dice, layer), at: 'body' } as const;
  const at = dice.whole(0, plays.length - 1);
  const isSent = dice.chance(0.7);
  return {
    ...call,
    caller: { ...caller, through },
    plays: isSent ? [...plays.slice(0, at), play, ...plays.slice(at)] : plays,
  };
}

// ---------------------------------------------------------------- its body

const noBody: FuzzBody = { form: 'none', bytes: 0, chunkBytes: 1, isSlow: false, isDeclared: false };
const forms: readonly BodyForm[] = [
  'none',
  'text',
  'bytes',
  'blob',
  'generator',
  'readable',
  'generator',
  'readable',
];
const factories: readonly BodyForm[] = ['factory of text', 'factory of generators'];

function bodyOf(dice: Dice, isFetch: boolean, limit: number): FuzzBody {
  const form = dice.oneOf(isFetch ? forms : [...forms, ...factories]);
  if (form === 'none') return noBody;
  const nearLimit = [limit - 1, limit, limit + 1].filter((bytes) => bytes >= 0);
  const bytes = dice.chance(0.3)
    ? dice.oneOf(nearLimit)
    : dice.oneOf([0, 1, dice.whole(2, 2_000), dice.whole(2, 200_000)]);
  const isSource = form === 'generator' || form === 'readable' || form === 'factory of generators';
  return {
    form,
    bytes,
    chunkBytes: isSource ? Math.max(1, Math.ceil(bytes / dice.whole(1, 9))) : Math.max(1, bytes),
    isSlow: isSource && dice.chance(0.4),
    ...(isSource && bytes > 0 && dice.chance(0.08) && { breaksAt: dice.whole(0, bytes - 1) }),
    isDeclared: isSource && !isFetch && dice.chance(0.3),
  };
}
