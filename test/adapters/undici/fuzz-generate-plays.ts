/** Generates what a server does to one call: faults first, and most often a good answer in the end. */

import type { Dice } from '../fuzz/dice.js';
import type {
  Afterwards,
  Die,
  FuzzCall,
  FuzzCaller,
  FuzzPlay,
  Hang,
  RangeAnswer,
  Refuse,
  SendAway,
  Serve,
} from './fuzz-script.js';

export function playsOf(
  dice: Dice,
  maxRetries: number,
  method: FuzzCall['method'],
  caller: FuzzCaller,
): FuzzPlay[] {
  const file = fileOf(dice);
  const faults = dice.some(0, maxRetries + 1, () => faultOf(dice, file, method));
  const plays = dice.chance(0.15) && faults.length > 0 ? faults : [...faults, { ...timing(dice), ...file }];
  return plays.map((play) => (mayPause(caller, play) ? leftOpen(play) : play));
}

/** undici 6 and 7 crash when a connection with `close` ends while its reader pauses. */
function leftOpen(play: FuzzPlay): FuzzPlay {
  return 'afterwards' in play && play.afterwards === 'close' ? { ...play, afterwards: 'nothing' } : play;
}

/** Only a handler of the test's own surely never pauses; `retry()` pauses while more than 64 KiB are set aside. */
function mayPause({ through, pausesMs }: FuzzCaller, play: FuzzPlay): boolean {
  const isLong = 'bytes' in play && (play.bytes === 'endless' || play.bytes > 60_000);
  return !through.startsWith('dispatch') || pausesMs !== undefined || isLong;
}

type File = Omit<Serve, 'at'>;

function fileOf(dice: Dice): File {
  return {
    does: 'serve',
    mark: dice.oneOf(['a', 'b']),
    bytes: dice.chance(0.15) ? dice.whole(0, 1) : dice.oneOf([dice.whole(2, 2_000), dice.whole(2, 200_000)]),
    chunkBytes: dice.oneOf([1_000, 16_384, 65_536]),
    framing: dice.chance(0.85) ? 'length' : 'chunked',
    tag: dice.chance(0.85) ? 'strong' : dice.oneOf(['weak', 'none'] as const),
    takesRanges: dice.chance(0.9),
    toRange: 'honest',
    hasEarlyHints: dice.chance(0.1),
    ...(dice.chance(0.2) && { stream: dice.oneOf(['events', 'lines'] as const) }),
    afterwards: afterwards(dice),
  };
}

/** A cut answer is from the same file, so that it can be resumed, or from another one. */
function faultOf(dice: Dice, file: File, method: FuzzCall['method']): FuzzPlay {
  const cutShare = method === 'GET' ? 0.5 : 0.1;
  if (dice.chance(cutShare)) return cutOf(dice, dice.chance(0.85) ? file : fileOf(dice));
  if (dice.chance(0.55)) return refusalOf(dice);
  return dice.chance(0.8) ? deathOf(dice) : hangOf(dice);
}

const lies: readonly RangeAnswer[] = [
  'all again',
  'changed',
  'elsewhere',
  'longer',
  'shorter',
  'untagged',
  '416',
];

function cutOf(dice: Dice, file: File): Serve {
  const after = dice.chance(0.2) ? 0 : dice.whole(0, Math.max(0, file.bytes - 1));
  return {
    ...timing(dice),
    ...file,
    toRange: dice.chance(0.8) ? 'honest' : dice.oneOf(lies),
    ...(dice.chance(0.9) && {
      cut: { after, how: dice.oneOf(['fin', 'fin', 'rst', 'rst', 'stall'] as const) },
    }),
  };
}

const hints: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  {},
  { 'retry-after': '0' },
  { 'retry-after': '1' },
  { 'retry-after-ms': '40' },
  { 'retry-after': '3600' },
  { 'retry-after': 'soon' },
  { 'x-should-retry': 'false' },
  { 'x-should-retry': 'true' },
];

function refusalOf(dice: Dice): Refuse {
  const framing = dice.chance(0.6) ? 'length' : 'chunked';
  const isEndless = framing === 'chunked' && dice.chance(0.2);
  return {
    ...timing(dice),
    does: 'refuse',
    status: dice.oneOf([503, 503, 503, 500, 502, 429, 429, 408, 425, 404, 417]),
    headers: dice.oneOf(hints),
    bytes: isEndless ? 'endless' : dice.oneOf([0, 0, 20, dice.whole(1, 3_000), dice.whole(1, 300_000)]),
    framing,
    isCut: dice.chance(0.1),
    afterwards: afterwards(dice),
  };
}

function deathOf(dice: Dice): Die {
  const after = dice.oneOf(['nothing', 'nothing', 'early hints', 'half a head', 'garbage'] as const);
  return { ...timing(dice), does: 'die', how: dice.oneOf(['fin', 'rst'] as const), after };
}

function hangOf(dice: Dice): Hang {
  return {
    ...timing(dice),
    does: 'hang',
    after: dice.oneOf(['nothing', 'early hints', 'half a head'] as const),
  };
}

export function sendAway(dice: Dice, layer: 'redirects' | 'tokens'): Omit<SendAway, 'at'> {
  const status = layer === 'tokens' ? 401 : dice.oneOf([302, 303, 307, 308]);
  return { does: 'send away', status, to: dice.oneOf(['here', 'here', 'nowhere']) };
}

function timing(dice: Dice): { readonly at: 'head' | 'body'; readonly lateMs?: number } {
  const at = dice.chance(0.2) ? 'head' : 'body';
  return dice.chance(0.2) ? { at, lateMs: dice.whole(1, 10) } : { at };
}

const endings: readonly Afterwards[] = [
  'close',
  'close',
  'fin later',
  'rst later',
  '408 later',
  'fin in a race',
  'rst in a race',
];

function afterwards(dice: Dice): Afterwards {
  return dice.chance(0.15) ? dice.oneOf(endings) : 'nothing';
}
