/** Why the rules before the one that applies do not. */

import type { Rule, RuleOptions } from '../../../index.js';
import type { Mismatch } from '../../../internal.js';
import { isPatternProblem, mismatchOf, parsePattern } from '../../../internal.js';
import type { Question } from './question.js';

export interface PassedOver {
  readonly index: number;
  readonly match: RuleOptions['match'];
  readonly mismatch: Mismatch;
}

/** All of them, if no rule matches. */
export function passedOver(
  { policy: { rules = [] }, request }: Pick<Question, 'policy' | 'request'>,
  { index }: Rule,
): PassedOver[] {
  const earlier = index < 0 ? rules : rules.slice(0, index);
  return earlier.flatMap(({ match }, position) => {
    const pattern = parsePattern(match);
    const mismatch = isPatternProblem(pattern) ? undefined : mismatchOf(pattern, request);
    return mismatch === undefined ? [] : [{ index: position, match, mismatch }];
  });
}

export function mismatchText({ part, segment, wanted, found }: Mismatch): string {
  const what = segment === undefined ? `its ${part}` : `segment ${segment} of its path`;
  return `${what} has to be ${wanted}, and is ${found}`;
}
