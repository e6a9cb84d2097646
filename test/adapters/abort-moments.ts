/** The moments in which callers give up. */

import type { PolicyOptions } from '../../src/index.js';
import type { Lab, Play } from '../faults/lab.js';
import type { HandTime } from './hand-time.js';

export const wait = 7;

export interface Moment {
  readonly lab: Lab;
  readonly time: HandTime;
  /** A function of the caller's was called, and is still thinking. */
  readonly asked: Promise<void>;
}

export type Ask = () => Promise<never>;

/** Where a caller may give up: it is set up to the moment in which it does. */
export interface AbortScene {
  readonly plays: Play | readonly Play[];
  /** `ask` is for a function of the caller's to call; it never answers. */
  readonly policy?: (ask: Ask) => PolicyOptions;
  /** Resolves in the moment. */
  reach(moment: Moment): Promise<void>;
  /** Sent until then; nothing follows. */
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

/** The wait is over, and what is asked then thinks. */
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
