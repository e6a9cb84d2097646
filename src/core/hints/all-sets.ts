/** All hint sets, and the reader of hints that has them all. */

import type { HeadersLike, Hint } from '../types.js';
import { heuristic } from './bases.js';
import { compileHints } from './compile.js';
import type { HintSet } from './hint-set.js';
import { parseLenientDate } from './lenient-date.js';
import { type HintSetOption, ownRow } from './own.js';
import { datesKey, type HintSets, ownKey } from './rows.js';
import type { HintSetName } from './sets.js';
import { vendors } from './vendors.js';
import { wholeBases } from './worth-reading.js';

export const allHintSets: Readonly<Record<HintSetName, HintSet>> & HintSets = /* @__PURE__ */ everyOne();

function everyOne(): typeof allHintSets {
  return { ...wholeBases, heuristic, ...vendors, [ownKey]: ownRow, [datesKey]: parseLenientDate };
}

/** The response as clients have it. If a body is given, it is read. */
interface HintedResponse {
  readonly status: number;
  readonly headers?: HeadersLike | undefined;
  readonly body?: unknown;
  readonly method?: string;
}

interface HintOptions {
  readonly hints: HintSetOption | readonly HintSetOption[];
  /** The client's wall clock in ms, at the receipt of the head. */
  readonly date: number;
}

/**
 * Reads what a response asks the client to do: how long to wait, and whether to retry. Undefined only if the response
 * has no field that the set of hints knows, or if there is no such set.
 */
export function readHint(response: HintedResponse, options: HintOptions): Hint | undefined {
  const { status, headers, body } = response;
  const names = [options.hints].flat();
  if (names.length === 0) return undefined;
  return compileHints(names, allHintSets)(status, headers, body, options.date);
}
