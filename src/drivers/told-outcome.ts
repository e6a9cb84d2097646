/** The outcome as `retryIf` is told it: the same by every client, whatever its own objects look like. */

import type { FailureReader } from '../core/decide/failures/row.js';
import type { ClientOutcome, LiveOutcome } from '../core/events.js';
import { headerReader } from '../core/hints/answer.js';
import type { HeadersLike } from '../core/types.js';

export function toldOutcome(outcome: ClientOutcome, readFailure: FailureReader): LiveOutcome {
  const { body, isElsewhere: _, ...told } = outcome;
  const headers = outcome.kind === 'response' ? outcome.headers : undefined;
  return {
    ...told,
    code: outcome.kind === 'error' ? readFailure(outcome.error, outcome.aborted).code : undefined,
    header: headerReader(headers),
    body: (async () => body?.()) as LiveOutcome['body'],
  };
}

// ---------------------------------------------------------------- the body

/** A longer body is not told: all of it would have to be kept in memory until `retryIf` has decided. */
export const mostBodyBytes = 1_048_576;

/** An event stream goes on for as long as there are events, so nothing waits for its end. */
export function isEventStream(headers: HeadersLike | undefined): boolean {
  return /^text\/event-stream\b/i.test(headerReader(headers)('content-type') ?? '');
}

/** The value if the text is JSON, otherwise the text. */
export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
