/** What can be wrong with the patterns of rules: invalid ones, ones that can never match, and ones that are valid but may be mistakes. */

import type { Problem, Remark } from '../../errors.js';
import { found, quote } from '../../found.js';
import type { RuleOptions } from '../options.js';
import type { Pattern } from '../routes/patterns.js';
import { isPatternProblem, parsePattern, partsOf } from '../routes/patterns.js';
import { firstCovering } from '../routes/routes.js';
import { pathTo, problem } from './wording.js';

/** `match` is undefined where it is invalid. */
type Rules = readonly Partial<RuleOptions>[];

interface Placed {
  readonly index: number;
  readonly match: RuleOptions['match'];
  readonly pattern: Pattern;
}

export function patternProblems(rules: Rules): readonly Problem[] {
  const problems: Problem[] = [];
  const placed: Placed[] = [];
  rules.forEach(({ match }, index) => {
    if (match === undefined) return;
    const pattern = parsePattern(match);
    if (!isPatternProblem(pattern)) {
      placed.push({ index, match, pattern });
      return;
    }
    const { part, ...fault } = pattern;
    const path = `rules[${index}].match`;
    // In a pattern that is a string, the path does not name its part.
    const isPart = part !== undefined && typeof match === 'object';
    problems.push({ path: isPart ? pathTo(path, part) : path, ...fault });
  });
  return [...problems, ...shadowed(placed)];
}

/** The first matching rule applies, so a rule that matches only what an earlier one matches never applies. */
function shadowed(placed: readonly Placed[]): readonly Problem[] {
  return firstCovering(placed.map(({ pattern }) => pattern)).flatMap((covering, position) => {
    const rule = placed[position];
    // Stryker disable next-line ConditionalExpression: nothing is placed at undefined.
    const earlier = covering === undefined ? undefined : placed[covering];
    // Stryker disable next-line ConditionalExpression: there is a rule for each pattern; the compiler cannot know.
    if (rule === undefined || earlier === undefined) return [];
    const name = `rules[${earlier.index}]`;
    return problem(
      `rules[${rule.index}].match`,
      found(rule.match),
      `a pattern that ${name} does not already cover`,
      `Move it before ${name}, or remove one of them.`,
    );
  });
}

// ---------------------------------------------------------------- a path without its slash

/** Told wherever a policy is made. */
export function remarksOn(rules: readonly Pick<RuleOptions, 'match'>[]): readonly Remark[] {
  return rules.flatMap(({ match }, index) => {
    const host = typeof match === 'string' ? forgottenSlash(match) : undefined;
    return host === undefined ? [] : [{ ...host, path: pathTo(pathTo('rules', index), 'match') }];
  });
}

/** `users/*` means a host, like `docker/*` in a container network. A host on purpose can be written as an object. */
function forgottenSlash(match: string): Omit<Remark, 'path'> | undefined {
  const { methods, host, path } = partsOf(match);
  if (host === undefined || path === undefined || /[.:[]|^localhost$/i.test(host)) return undefined;
  const before = methods === undefined ? '' : `${methods} `;
  const object = JSON.stringify({
    ...(methods !== undefined && { methods: methods.split(',') }),
    host,
    path,
  });
  return {
    says: `${quote(match)} means the path ${quote(path)} on a host named ${quote(host)}`,
    advice: `Write ${quote(`${before}/${host}${path}`)} for a path, or ${object} for that host.`,
  };
}
