/**
 * Rules for what looks like a long poll, at an origin that has a gate: the time limit of each poll is a failure for the
 * gate. Such a policy is valid, and there is no warning at run time: these are remarks of the command `check`.
 */

import type { Remark } from '../../errors.js';
import { quote } from '../../found.js';
import type { PolicyOptions, RuleOptions } from '../options.js';
import { pathTo } from './wording.js';

/** A segment by which APIs with long polls name them: Telegram, CouchDB, Matrix, Dropbox, Kubernetes and others. */
const polls = /(^|[/_-])(long-?poll(ing)?|poll(ing)?|getupdates|_changes|sync|watch|subscribe)([/_-]|$)/i;

/** In a policy that has been checked. */
export function longPolls({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return rules.flatMap(({ match, ...rule }, index) => {
    const { gate, attemptTimeoutMs } = { ...top, ...rule };
    const path = pathOf(match);
    const isTimed = attemptTimeoutMs !== undefined || (rule.deadlineMs ?? top.deadlineMs) !== undefined;
    if (!isOn(gate) || !isTimed || path === undefined || !polls.test(path)) return [];
    // It has a gate of its own.
    if (rule.scope !== undefined && rule.scope !== top.scope) return [];
    return [
      {
        path: pathTo(pathTo('rules', index), 'match'),
        says: `${quote(path)} looks like a long poll: each one that waits until its time limit is a failure for the gate`,
        advice: 'If it is one, set "gate": false in this rule, so that its failures do not count.',
      },
    ];
  });
}

function isOn(gate: PolicyOptions['gate']): boolean {
  return gate !== undefined && gate !== false;
}

function pathOf(match: RuleOptions['match']): string | undefined {
  if (typeof match === 'string') return match;
  return match.path;
}
