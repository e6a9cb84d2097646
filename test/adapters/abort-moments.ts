/** The moments at which callers abort. */

import type { PolicyOptions } from '../../src/index.js';
import type { Lab, Play } from '../faults/lab.js';
import type { HandTime } from './hand-time.js';

export const wait = 7;

export interface Moment {
  readonly lab: Lab;
  readonly time: HandTime;
  /** Resolves when a function of the caller's was called; it is still pending. */
  readonly asked: Promise<void>;
}

export type Ask = () => Promise<never>;

/** A scene in which a caller may abort: it is played up to that moment. */
export interface AbortScene {
  readonly plays: Play | readonly Play[];
  /** `ask` is for a function of the caller's to call; it never resolves. */
  readonly policy?: (ask: Ask) => PolicyOptions;
  /** Resolves at that moment. */
  reach(moment: Moment): Promise<void>;
  /** The requests sent until then; none follow. */
  readonly requests: number;
}

export const waiting = ({ time }: Moment): Promise<void> =>
  time.until(({ pending }) => pending.includes(wait));

export const arrived = ({ lab }: Moment, count: number): Promise<void> =>
  lab.until(({ requests }) => requests.length === count);

/** The wait is over, and the second attempt has arrived. */
export async function arrivedAgain(moment: Moment): Promise<void> {
  await moment.time.fire(wait);
  await arrived(moment, 2);
}

/** The wait is over, and the function asked then is still pending. */
export async function askedAfterWait({ time, asked }: Moment): Promise<void> {
  await time.fire(wait);
  await asked;
}

/** A function of the caller's that never answers. */
export function thinker(): { readonly asked: Promise<void>; readonly ask: Ask } {
  let hasAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    hasAsked = resolve;
  });
  const ask = (): Promise<never> => {
    hasAsked();
    return new Promise(() => undefined);
  };
  return { asked, ask };
}
