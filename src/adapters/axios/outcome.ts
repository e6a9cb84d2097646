/** What an adapter gives back, as outcomes that the policy judges. */

import { bytesToRead } from '../../core/hints/worth-reading.js';
import type { ErrorOutcome, Evidence, HeadersLike, ResponseOutcome } from '../../core/types.js';
import { isAboutFirstServer } from '../../runtime/first-server.js';
import type { Ending } from '../../runtime/loop/exchange.js';
import type { Session } from '../../runtime/session.js';
import { hintContent } from './hint-content.js';
import type { RequestConfig, ResponseShape } from './shapes.js';

/** The caller's own doing, by signal or by token; its `AbortSignal.timeout` too. */
export function isCanceled({ signal, cancelToken }: RequestConfig): boolean {
  return signal?.aborted === true || (cancelToken !== undefined && Boolean(cancelToken.reason));
}

/** The answer that there was, whatever `validateStatus` made of it. */
export function answerOf(ending: Ending<ResponseShape>): ResponseShape | undefined {
  if (ending.kind === 'response') return ending.response;
  const { response } = Object(ending.error) as { readonly response?: ResponseShape };
  return typeof response?.status === 'number' ? response : undefined;
}

export function outcomeOf(
  ending: Ending<ResponseShape>,
  config: RequestConfig,
  { settings, request }: Session,
): ErrorOutcome | ResponseOutcome {
  const aborted = isCanceled(config);
  if (ending.kind === 'error' && aborted) return { kind: 'error', error: ending.error, aborted };
  const answer = answerOf(ending);
  if (ending.kind === 'response' && isCutOff(ending.response)) {
    return { kind: 'error', error: cutOff, aborted: false };
  }
  // A status below 400 beside an error means that the body was cut off or cannot be read, or that the caller
  // refuses it: the error's code tells. From 400 on, the server's word stands, whatever became of the body.
  if (answer !== undefined && (ending.kind === 'response' || answer.status >= 400)) {
    const { status, headers } = answer;
    const mostBytes = bytesToRead(settings, request, status, headers as HeadersLike);
    return outcomeOfAnswer(answer, hintContent(answer, mostBytes));
  }
  const { error } = ending as Extract<Ending<ResponseShape>, { kind: 'error' }>;
  const evidence = evidenceOf(error);
  // An AbortError in it is the end of a time that is not ours.
  return { kind: 'error', error, aborted, ...(evidence !== undefined && { evidence }) };
}

function outcomeOfAnswer(
  { status, headers = {}, request }: ResponseShape,
  content: unknown,
): ResponseOutcome {
  return {
    kind: 'response',
    status,
    headers: headers as HeadersLike,
    ...(content !== undefined && { content }),
    // Another server's 429 says nothing of what the first one did.
    ...(redirectsOf(request?._redirectable) > 0 && { evidence: 'unknown' }),
  };
}

/** Over HTTP/2, axios takes an answer whose stream was reset for a whole one. */
export function isCutOff(answer: ResponseShape | undefined): boolean {
  const code = answer?.request?.rstCode;
  return code !== undefined && code !== 0;
}

const cutOff: Error = Object.assign(new Error('The answer was cut off: its HTTP/2 stream was reset'), {
  code: 'ERR_HTTP2_STREAM_CANCEL',
});

// ---------------------------------------------------------------- evidence

/**
 * The core reads it off the error; but after a redirect, an error of connecting is about the second server, and
 * the first has acted.
 */
function evidenceOf(error: unknown): Evidence | undefined {
  const { request } = Object(error) as { readonly request?: unknown };
  if (typeof request !== 'object' || request === null) return undefined;
  if (redirectsOf(request) > 0) return 'unknown';
  const { redirect, url } = request as Readonly<Record<string, unknown>>;
  // fetch follows redirects in silence.
  if (redirect !== 'follow' || typeof url !== 'string') return undefined;
  return isAboutFirstServer(error, url) ? undefined : 'unknown';
}

/** What follow-redirects counts on its request. */
function redirectsOf(request: object | undefined): number {
  return (request as { readonly _redirectCount?: number } | undefined)?._redirectCount ?? 0;
}
