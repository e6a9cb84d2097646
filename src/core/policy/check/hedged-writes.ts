/**
 * Methods with effects that are hedged. The server may carry out both attempts at the same time, which can be fine, so
 * there is no warning at run time: these are remarks of the command `check`.
 */

import type { Remark } from '../../errors.js';
import type { PolicyOptions, SettingsOptions } from '../options.js';
import { oneOf, pathTo } from './wording.js';

/** RFC 9110 9.2.1, and QUERY by its own specification. */
const onlyRead: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** In a policy that has been checked. */
export function hedgedWrites({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...remarksOn('', top),
    ...rules.flatMap((rule, index) => remarksOn(`${pathTo('rules', index)}.`, rule)),
  ];
}

function remarksOn(before: string, { hedge }: SettingsOptions): readonly Remark[] {
  const methods = (typeof hedge === 'object' && hedge.methods) || [];
  const writes = methods.map((method) => method.toUpperCase()).filter((method) => !onlyRead.has(method));
  if (writes.length === 0) return [];
  const which = writes.length === 1 ? 'it' : 'them';
  return [
    {
      path: `${before}hedge.methods`,
      says: `a hedge of ${oneOf(writes)} may be carried out at the same time as the first attempt`,
      advice: `Leave ${which} out, unless the server carries out only one of two such requests and gives both the same answer.`,
    },
  ];
}
