/** Why the rules before the one that applies do not match. */

import type { Rule, RuleOptions } from '../../../index.js';
import type { Mismatch } from '../../../internal.js';
import { isPatternProblem, mismatchOf, parsePattern } from '../../../internal.js';
import type { Question } from './question.js';

interface PassedOver {
  readonly index: number;
  readonly match: RuleOptions['match'];
  readonly mismatch: Mismatch;
}

/** How many rules come before the one that applies: all of them, if none does. */
export function countBefore({ policy: { rules } }: Pick<Question, 'policy'>, { index }: Rule): number {
  return index < 0 ? rules.length : index;
}

/** The first `most` of them. */
export function passedOver(
  question: Pick<Question, 'policy' | 'request'>,
  rule: Rule,
  most: number = Infinity,
): PassedOver[] {
  const { policy, request } = question;
  const { rules = [] } = policy.toJSON();
  const earlier = rules.slice(0, Math.min(most, countBefore(question, rule)));
  return earlier.flatMap(({ match }, position) => {
    const pattern = parsePattern(match);
    const mismatch = isPatternProblem(pattern) ? undefined : mismatchOf(pattern, request);
    return mismatch === undefined ? [] : [{ index: position, match, mismatch }];
  });
}

export function mismatchText({ part, segment, wanted, found }: Mismatch): string {
  const what = segment === undefined ? part : `path segment ${segment}`;
  return `${what} must be ${wanted}, but is ${found}`;
}
