/** Rows of failures that a server has come back from: how long they were is remembered, and fades. */

/** The longest row of failures that ended with a sign of life, and when. */
export interface Survived {
  readonly longest: number;
  readonly at: number;
}

export const nothingSurvived: Survived = { longest: 0, at: 0 };

/** How long such a row is remembered: after this time, it counts half as long. */
const rowHalfLifeMs = 180_000;

export function afterSurvived(survived: Survived, failures: number, now: number): Survived {
  return failures < remembered(survived, now) ? survived : { longest: failures, at: now };
}

export function remembered({ longest, at }: Survived, now: number): number {
  return longest * 2 ** ((at - now) / rowHalfLifeMs);
}
