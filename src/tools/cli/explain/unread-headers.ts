/** Headers that a policy does not read as a hint: which sets of hints would read a wait from them. */

import type { HintSetName, ResponseOutcome } from '../../../index.js';
import { readHint } from '../../../index.js';
import { hintSetNames } from '../../../internal.js';
import type { Question } from './question.js';

/** More names would not be read. */
const mostNames = 6;

export function unreadText({ request, date }: Question, outcome: ResponseOutcome): string {
  const none = 'None of its headers is read as a hint by this policy.';
  const { status, headers } = outcome;
  const waits = (hints: HintSetName): boolean =>
    (readHint({ status, headers, method: request.method }, { hints, date })?.delayMs ?? 0) > 0;
  // A set that extends it would do as well.
  const names = waits('common') ? (['common'] as const) : hintSetNames.filter(waits);
  if (names.length === 0) return none;
  const own = names.find((name) => request.origin?.includes(name));
  return `${none} ${own === undefined ? readBy(names) : `With "hints": "${own}", one of them is.`}`;
}

function readBy(names: readonly HintSetName[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  const others = names.length - mostNames;
  return `These sets of "hints" read a wait from them: ${shown}${others > 0 ? ` and ${others} more` : ''}.`;
}
