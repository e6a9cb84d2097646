/** The table of hint sets: what each reads in words from `origins.ts`, where it reads it from the sets themselves. */

import { allHintSets } from '../../src/core/hints/all-sets.js';
import type { HintedSuccess } from '../../src/core/hints/hint-set.js';
import { origins } from '../../src/core/hints/origins.js';
import { type HintSetName, hintSetNames } from '../../src/core/hints/sets.js';

export function hintTable(): string {
  return [
    '| set and source | reads | more statuses | body |',
    '| --- | --- | --- | --- |',
    ...hintSetNames.map(row),
  ].join('\n');
}

export function row(name: HintSetName): string {
  const { reads, source } = origins[name];
  return `| [\`${name}\`](${source}) | ${reads} | ${statusesOf(name)} | ${readsBody(name) ? 'yes' : ''} |`;
}

export function readsBody(name: HintSetName): boolean {
  const { readsBody } = allHintSets[name];
  return readsBody === true;
}

function statusesOf(name: HintSetName): string {
  const { statuses = [], successes = [] } = allHintSets[name];
  // Those of `standard` are in `common`, too.
  const own = name === 'common' ? [] : statuses;
  return [...own, ...successes.map(successOf)].join(', ');
}

function successOf({ status, method, pathEnd }: HintedSuccess): string {
  return method === undefined ? String(status) : `${status} of \`${method} …${pathEnd ?? ''}\``;
}
