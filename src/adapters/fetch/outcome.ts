/** Turns what fetch returns into outcomes that the policy judges. */

import type { ErrorOutcome, HeadersLike, ResponseOutcome } from '../../core/types.js';
import type { FetchParts } from '../../drivers/parts.js';
import { hasServiceWorker, isNative } from '../../drivers/platform-fetch.js';
import { addressOf } from './request.js';
import { type Fetch, type InitShape, isRequest, type ResponseShape } from './shapes.js';

/** Whether what came of an attempt is known to be about the server that was asked first. */
export interface Proof {
  isOfFirst(answer: ResponseShape): boolean;
  isAboutFirst(error: unknown): boolean;
  /** The init that shows it. `atFirst`: a plain copy of it. */
  counting?(given: InitShape | null | undefined, atFirst: InitShape | null | undefined): typeof given;
}

/** Of a page, where only the platform's own fetch is known, and nothing of its failures. */
export function proofOfPage(fetch: Fetch): Proof {
  const isKnown = isNative(fetch) && !hasServiceWorker();
  return { isOfFirst: ({ redirected }) => isKnown && redirected === false, isAboutFirst: () => false };
}

export function outcomeOfAnswer(answer: ResponseShape, proof: Proof | undefined): ResponseOutcome {
  const { headers, redirected, status } = answer;
  // The 429 of another server does not tell what the first one did.
  const isUnproven = redirected === true || proof?.isOfFirst(answer) === false;
  return {
    kind: 'response',
    status,
    headers: headers as HeadersLike,
    ...(isUnproven && { evidence: 'unknown' }),
  };
}

export function outcomeOfError(
  error: unknown,
  aborted: boolean,
  input: unknown,
  init: InitShape | null | undefined,
  proof: Proof | undefined,
  { failures }: FetchParts,
): ErrorOutcome {
  if (!aborted && failures.isMisuse?.(error, addressOf(input), isRequest(input), init))
    return { kind: 'error', error: nameless(error), aborted };
  const isUnproven = !aborted && proof?.isAboutFirst(error) === false;
  // An AbortError here comes from a timeout that is not ours.
  return { kind: 'error', error, aborted, ...(isUnproven && { evidence: 'unknown' }) };
}

/** An error that only says that the request failed, so that it is not taken for a network failure. */
function nameless(error: unknown): unknown {
  return { name: (error as Error).name };
}
