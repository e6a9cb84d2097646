/** Turns what fetch returns into outcomes that the policy judges. */

import type { ClientOutcome } from '../../core/events.js';
import type { ErrorOutcome, HeadersLike } from '../../core/types.js';
import type { BodySeen } from '../../drivers/body/whole.js';
import type { FetchParts } from '../../drivers/parts.js';
import { hasServiceWorker, isNative } from '../../drivers/platform-fetch.js';
import type { Session } from '../../kernel/session.js';
import type { Sleep } from '../../kernel/timers.js';
import { addressOf } from './request.js';
import { type Fetch, type InitShape, isRequest, type ResponseShape } from './shapes.js';

/** Whether what came of an attempt is known to be about the server that was asked first. */
export interface Proof {
  isOfFirst(answer: ResponseShape): boolean;
  isAboutFirst(error: unknown): boolean;
}

/** Of a page, where only the platform's own fetch is known, and nothing of its failures. */
export class PageProof implements Proof {
  private readonly isKnown: boolean;

  constructor(fetch: Fetch) {
    this.isKnown = isNative(fetch) && !hasServiceWorker();
  }

  isOfFirst({ redirected }: ResponseShape): boolean {
    return this.isKnown && redirected === false;
  }

  isAboutFirst(): boolean {
    return false;
  }
}

export function outcomeOfAnswer(
  answer: ResponseShape,
  { settings, request }: Session,
  proof: Proof | undefined,
  seen: BodySeen | undefined,
  sleep: Sleep,
  { bodyHints, credentials }: FetchParts,
): ClientOutcome | Promise<ClientOutcome> {
  const { status } = answer;
  const began = typeof seen === 'object' && 'failed' in seen ? seen.failed : undefined;
  const headers = answer.headers as HeadersLike;
  const isElsewhere = settings.credentials !== false && credentials?.wentElsewhere(answer, request.origin);
  const outcome: ClientOutcome = {
    kind: 'response',
    status,
    headers,
    ...(began !== undefined && { began }),
    ...(isElsewhere && { isElsewhere }),
    // The 429 of another server does not tell what the first one did.
    ...((answer.redirected === true || proof?.isOfFirst(answer) === false) && { evidence: 'unknown' }),
  };
  const mostBytes = settings.bodies?.bytesToRead(settings, request, status, headers) ?? 0;
  // One that was waited for, and is not whole, is waited for no longer.
  if (bodyHints === undefined || mostBytes === 0 || seen === 'undecided' || began !== undefined)
    return outcome;
  return bodyHints
    .textOfHint(answer, mostBytes, settings, sleep)
    .then((content) => (content === undefined ? outcome : { ...outcome, content }));
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
