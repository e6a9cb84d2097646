/** Rows of failures that the server has come back from. Their length is remembered, and fades with time. */

/** The longest row of failures that ended with a sign of life, and when it ended. */
export interface Survived {
  readonly longest: number;
  readonly at: number;
}

export const nothingSurvived: Survived = { longest: 0, at: 0 };

/** After this time, a row counts half. */
const rowHalfLifeMs = 180_000;

export function afterSurvived(survived: Survived, failures: number, now: number): Survived {
  return failures < remembered(survived, now) ? survived : { longest: failures, at: now };
}

export function remembered({ longest, at }: Survived, now: number): number {
  return longest * 2 ** ((at - now) / rowHalfLifeMs);
}
