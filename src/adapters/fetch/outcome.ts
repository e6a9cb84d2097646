/** Turns what fetch returns into outcomes that the policy judges. */

import { bytesToRead } from '../../core/hints/worth-reading.js';
import type { ErrorOutcome, HeadersLike, ResponseOutcome } from '../../core/types.js';
import type { Session } from '../../kernel/session.js';
import type { Sleep } from '../../kernel/sleep.js';
import { textOfHint } from './body-text.js';
import { isMisuse } from './misuse.js';
import type { Proof } from './proof.js';
import type { InitShape, ResponseShape } from './shapes.js';

export function outcomeOfAnswer(
  answer: ResponseShape,
  { settings, request }: Session,
  proof: Proof | undefined,
  sleep: Sleep,
): ResponseOutcome | Promise<ResponseOutcome> {
  const { status } = answer;
  const headers = answer.headers as HeadersLike;
  const outcome: ResponseOutcome = {
    kind: 'response',
    status,
    headers,
    // The 429 of another server does not tell what the first one did.
    ...((answer.redirected === true || proof?.isOfFirst(answer) === false) && { evidence: 'unknown' }),
  };
  const mostBytes = bytesToRead(settings, request, status, headers);
  if (mostBytes === 0) return outcome;
  return textOfHint(answer, mostBytes, sleep).then((content) =>
    content === undefined ? outcome : { ...outcome, content },
  );
}

export function outcomeOfError(
  error: unknown,
  aborted: boolean,
  input: unknown,
  init: InitShape | null | undefined,
  proof: Proof | undefined,
): ErrorOutcome {
  if (!aborted && isMisuse(error, input, init)) return { kind: 'error', error: nameless(error), aborted };
  const isUnproven = !aborted && proof?.isAboutFirst(error) === false;
  // An AbortError here comes from a timeout that is not ours.
  return { kind: 'error', error, aborted, ...(isUnproven && { evidence: 'unknown' }) };
}

/** An error that only says that the request failed, so that it is not taken for a network failure. */
function nameless(error: unknown): unknown {
  return { name: (error as Error).name };
}
