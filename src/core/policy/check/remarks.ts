/** Remarks: parts of a policy that are valid but may be mistakes. */

import type { Remark } from '../../errors.js';
import { quote } from '../../found.js';
import type { RuleOptions } from '../options.js';
import { partsOf } from '../routes/patterns.js';
import { pathTo } from './wording.js';

/** On rules that have been checked. */
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
