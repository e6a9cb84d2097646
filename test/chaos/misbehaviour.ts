/** Random faults of the server: plain data, since it goes to another process. */

import type { Dice } from '../adapters/fuzz/dice.js';
import type { HangUp, Play } from '../faults/play.js';
import { answer, cutAfter, garbage, halfHead, rst, silence } from '../faults/plays.js';

export interface Misbehaviour {
  readonly does:
    | 'nothing'
    | 'resets'
    | 'stalls'
    | 'cuts heads'
    | 'cuts bodies'
    | 'talks garbage'
    | 'throttles'
    | 'sends elsewhere'
    | 'wants a token';
  /** The share of requests; if connections are reset, also the share of connections. */
  readonly share: number;
  /** The share of requests on which the server works for long, whatever it does then. Default: none. */
  readonly late?: number;
}

export interface Course {
  /** Whether the request takes effect before the fault. */
  readonly applies: boolean;
  readonly play: Play;
}

/** What becomes of a request at the place that the server sends its client to. Nothing takes effect there. */
export const elsewhere = ['refused', 'cut', '429', '425', '408', 'good'] as const;
export type Elsewhere = (typeof elsewhere)[number];

/** The address of such a place. */
export type AddressOf = (place: Elsewhere) => string;

const ways: readonly HangUp[] = ['fin', 'rst'];
const noHttp: readonly string[] = [
  '\x15\x03\x01\x00\x02\x02\x50',
  'HTTP/9.9 every thing is fine\r\n\r\n',
  '<html>no head at all</html>\r\n\r\n',
];

/** `good` is the answer without a fault: with a filled body. */
export function courseOf(
  { late = 0, ...rest }: Misbehaviour,
  dice: Dice,
  good: Play,
  addressOf: AddressOf,
): Course {
  const course = courseInTime(rest, dice, good, addressOf);
  if (late === 0 || !dice.chance(late)) return course;
  return { ...course, play: lateBy(dice.whole(60, slowestMs), course.play) };
}

function courseInTime({ does, share }: Misbehaviour, dice: Dice, good: Play, addressOf: AddressOf): Course {
  if (!dice.chance(share)) return { applies: true, play: good };
  const applies = dice.chance(0.5);
  switch (does) {
    case 'nothing':
      return { applies: true, play: good };
    case 'resets':
      return { applies, play: rst() };
    case 'stalls':
      return dice.chance(0.5) ? { applies, play: silence() } : { applies: true, play: stalled(good) };
    case 'cuts heads':
      return { applies, play: halfHead(dice.oneOf(ways)) };
    case 'cuts bodies':
      return { applies: true, play: cutAfter(dice.whole(0, bytesOf(good) - 1), dice.oneOf(ways), good) };
    case 'talks garbage':
      return { applies, play: garbage(dice.oneOf(noHttp)) };
    case 'throttles':
      return { applies: false, play: answer(429, '', { 'retry-after-ms': '30' }) };
    case 'sends elsewhere': {
      const location = addressOf(dice.oneOf(elsewhere));
      return { applies: true, play: answer(dice.oneOf([302, 303, 307, 308]), '', { location }) };
    }
    case 'wants a token': {
      const location = addressOf(dice.oneOf(failures));
      return { applies: true, play: answer(401, '', { location }) };
    }
  }
}

/** No token is ever given. */
const failures = elsewhere.filter((place) => place !== 'good');

/** What the server itself does at such a place. */
export function playElsewhere(place: string, good: Play): Play {
  if (place === 'good') return good;
  return place === 'cut' ? rst() : answer(Number(place), '', { 'retry-after-ms': '30' });
}

function bytesOf({ steps }: Play): number {
  const fill = steps.find((step) => step.do === 'fill');
  return typeof fill?.bytes === 'number' ? fill.bytes : 0;
}

/** Longer than an attempt may take, now and then. */
const slowestMs = 400;

function lateBy(ms: number, play: Play): Play {
  return { ...play, steps: [{ do: 'wait', ms }, ...play.steps] };
}

function stalled(good: Play): Play {
  const { steps } = cutAfter(Math.floor(bytesOf(good) / 2), 'fin', good);
  return { steps: [...steps.slice(0, -1), { do: 'stall' }] };
}
