/** Turns what fetch returns into outcomes that the policy judges. */

import type { ClientOutcome } from '../../core/events.js';
import type { ErrorOutcome, HeadersLike } from '../../core/types.js';
import type { BodySeen } from '../../drivers/body/whole.js';
import type { FetchBodyHints } from '../../drivers/parts.js';
import { originIn } from '../../kernel/address.js';
import type { Session } from '../../kernel/session.js';
import type { Sleep } from '../../kernel/sleep.js';
import type { Proof } from './proof.js';
import { addressOf } from './request.js';
import { type InitShape, isRequest, type ResponseShape } from './shapes.js';

export function outcomeOfAnswer(
  answer: ResponseShape,
  { settings, request }: Session,
  proof: Proof | undefined,
  seen: BodySeen | undefined,
  sleep: Sleep,
  bodyHints: FetchBodyHints | undefined,
): ClientOutcome | Promise<ClientOutcome> {
  const { status } = answer;
  const began = typeof seen === 'object' && 'failed' in seen ? seen.failed : undefined;
  const headers = answer.headers as HeadersLike;
  const isElsewhere = settings.credentials !== false && hasLeft(answer, request.origin);
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

/** Whether redirects are known to have led to another origin than this. */
function hasLeft({ redirected, url }: ResponseShape, origin: string | undefined): boolean {
  return redirected === true && typeof url === 'string' && url !== '' && originIn(url) !== origin;
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

// ---------------------------------------------------------------- the caller's own mistakes

/** Browsers call nearly every failure "Failed to fetch". */
const untold = /^(Failed to fetch|Load failed|NetworkError when attempting to fetch resource\.)/;

/** Only asked about failures that nothing else explains. */
function isMisuse(error: unknown, input: unknown, init: InitShape | null | undefined): boolean {
  const { message, code, cause } = Object(error) as { message?: unknown; code?: unknown; cause?: unknown };
  if (code !== undefined || cause !== undefined || !untold.test(String(message))) return false;
  const address = addressOf(input);
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  // Other schemes are not sent over a network, so the network is not to blame.
  if (scheme !== undefined && !/^(https?|blob)$/.test(scheme)) return true;
  // A Request has been checked already. An address without a scheme can be checked only by the platform that resolves
  // it.
  return (
    scheme !== undefined &&
    !isRequest(input) &&
    init !== undefined &&
    init !== null &&
    isRefused(address, init)
  );
}

/**
 * Tries to construct a Request that is never sent. Its body is a short text, so that the caller's own is not used up.
 */
function isRefused(address: string, init: InitShape): boolean {
  if (typeof Request !== 'function') return false;
  const { method, headers, body } = init;
  try {
    new Request(address, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers: headers as HeadersInit }),
      ...(body !== undefined && body !== null && { body: 'x' }),
    });
    return false;
  } catch {
    return true;
  }
}
