/** Which of the last fifty events were of some kind, as bits. */

export interface LastFifty {
  /** The last 25, and the 25 before them, because more than 31 bits would be slow. */
  readonly recent: number;
  readonly older: number;
  /** How many of the fifty bits are set. */
  readonly count: number;
}

/** None of them: events before the first one count as not of that kind. */
export const noneOfFifty: LastFifty = { recent: 0, older: 0, count: 0 };

const half = 25;
const mask = 2 ** half - 1;

export function afterOne(last: LastFifty, is: boolean): LastFifty {
  if (!is && last.count === 0) return last;
  const bit = is ? 1 : 0;
  const leaving = last.older >>> (half - 1);
  return {
    recent: ((last.recent << 1) | bit) & mask,
    older: ((last.older << 1) | (last.recent >>> (half - 1))) & mask,
    count: last.count + bit - leaving,
  };
}
