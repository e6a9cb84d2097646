/** Turns what fetch returns into outcomes that the policy judges. */

import { bytesToRead } from '../../core/hints/worth-reading.js';
import type { ErrorOutcome, Evidence, HeadersLike, ResponseOutcome } from '../../core/types.js';
import { isAboutFirstServer } from '../../runtime/first-server.js';
import type { Session } from '../../runtime/session.js';
import type { Sleep } from '../../runtime/sleep.js';
import { textOfHint } from './body-text.js';
import { isMisuse } from './misuse.js';
import { addressOf } from './request.js';
import { type InitShape, isRequest, type ResponseShape } from './shapes.js';

export function outcomeOfAnswer(
  answer: ResponseShape,
  { settings, request }: Session,
  sleep: Sleep,
): ResponseOutcome | Promise<ResponseOutcome> {
  const { status } = answer;
  const headers = answer.headers as HeadersLike;
  const outcome: ResponseOutcome = {
    kind: 'response',
    status,
    headers,
    // After a redirect, the 429 of the second server does not tell what the first one did.
    ...(answer.redirected === true && { evidence: 'unknown' }),
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
): ErrorOutcome {
  if (!aborted && isMisuse(error, input, init)) return { kind: 'error', error: nameless(error), aborted };
  const evidence = aborted ? undefined : evidenceOf(error, input, init);
  // An AbortError here comes from a timeout that is not ours.
  return { kind: 'error', error, aborted, ...(evidence !== undefined && { evidence }) };
}

/** An error that only says that the request failed, so that it is not taken for a network failure. */
function nameless(error: unknown): unknown {
  return { name: (error as Error).name };
}

/**
 * fetch follows redirects without telling: a connect error may be about the second server, and the first one has acted.
 */
function evidenceOf(
  error: unknown,
  input: unknown,
  init: InitShape | null | undefined,
): Evidence | undefined {
  const redirect = init?.redirect ?? (isRequest(input) ? input.redirect : undefined) ?? 'follow';
  if (redirect !== 'follow') return undefined;
  return isAboutFirstServer(error, addressOf(input)) ? undefined : 'unknown';
}
