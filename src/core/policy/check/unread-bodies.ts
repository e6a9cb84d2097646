/**
 * Hint sets that read response bodies, where `bodyHintBytes` is 0. That can be a choice, so there is no warning at run
 * time: these are remarks of the command `check`.
 */

import type { Remark } from '../../errors.js';
import { quote } from '../../found.js';
import { bodyBytesOf } from '../../hints/compile.js';
import type { HintSetName } from '../../hints/sets.js';
import type { PolicyOptions, SettingsOptions } from '../options.js';
import { pathTo } from './wording.js';

/** In a policy that has been checked. */
export function unreadBodies({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...remarksOn('', top, top),
    ...rules.flatMap((rule, index) =>
      rule.hints === undefined && rule.bodyHintBytes === undefined
        ? []
        : remarksOn(pathTo('rules', index), rule, { ...top, ...withoutUndefined(rule) }),
    ),
  ];
}

/** `own` is what is written here, `all` what applies. */
function remarksOn(path: string, own: SettingsOptions, all: SettingsOptions): readonly Remark[] {
  const names = all.hints === undefined || all.hints === false ? [] : [all.hints].flat();
  const deaf = names.filter((name: HintSetName) => bodyBytesOf([name]) > 0);
  if (all.bodyHintBytes !== 0 || deaf.length === 0) return [];
  const key = own.bodyHintBytes === undefined ? 'hints' : 'bodyHintBytes';
  const sets = deaf.map(quote).join(' and ');
  return [
    {
      path: path === '' ? key : `${path}.${key}`,
      says: `bodyHintBytes is 0, so ${sets} ${deaf.length === 1 ? 'does' : 'do'} not read response bodies`,
      advice: `Leave bodyHintBytes out to read up to ${bodyBytesOf(deaf)} bytes.`,
    },
  ];
}

function withoutUndefined(options: SettingsOptions): SettingsOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
