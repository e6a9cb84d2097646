/** Turns what an adapter returns into outcomes that the policy judges. */

import { bytesToRead } from '../../core/hints/worth-reading.js';
import type { ErrorOutcome, Evidence, HeadersLike, ResponseOutcome } from '../../core/types.js';
import { isAboutFirstServer } from '../../runtime/first-server.js';
import type { Ending } from '../../runtime/loop/exchange.js';
import type { Session } from '../../runtime/session.js';
import { hintContent } from './hint-content.js';
import type { RequestConfig, ResponseShape } from './shapes.js';

/** Whether the caller cancelled, by a signal (`AbortSignal.timeout` included) or a token. */
export function isCanceled({ signal, cancelToken }: RequestConfig): boolean {
  return signal?.aborted === true || Boolean(cancelToken?.reason);
}

/** The server's answer, if there was one, whatever `validateStatus` made of it. */
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
  // If an error comes with a status below 400, the body was cut off or unreadable, or the caller rejected it: the
  // error's code tells which. From 400 on, the status counts, whatever became of the body.
  if (answer !== undefined && (ending.kind === 'response' || answer.status >= 400)) {
    const { status, headers } = answer;
    const mostBytes = bytesToRead(settings, request, status, headers as HeadersLike);
    return outcomeOfAnswer(answer, hintContent(answer, mostBytes));
  }
  const { error } = ending as Extract<Ending<ResponseShape>, { kind: 'error' }>;
  const evidence = evidenceOf(error);
  // An AbortError here comes from a timeout that is not ours.
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
    // After a redirect, the 429 of the second server does not tell what the first one did.
    ...(redirectsOf(request?._redirectable) > 0 && { evidence: 'unknown' }),
  };
}

/** Over HTTP/2, axios reports an answer as complete even if its stream was reset. */
export function isCutOff(answer: ResponseShape | undefined): boolean {
  const code = answer?.request?.rstCode;
  return code !== undefined && code !== 0;
}

const cutOff: Error = Object.assign(new Error('The response was cut off: its HTTP/2 stream was reset'), {
  code: 'ERR_HTTP2_STREAM_CANCEL',
});

// ---------------------------------------------------------------- evidence

/**
 * The core derives the evidence from the error. After a redirect, though, a connect error is about the second server,
 * and the first one has acted.
 */
function evidenceOf(error: unknown): Evidence | undefined {
  const { request } = Object(error) as { readonly request?: unknown };
  if (typeof request !== 'object' || request === null) return undefined;
  if (redirectsOf(request) > 0) return 'unknown';
  const { redirect, url } = request as Readonly<Record<string, unknown>>;
  // fetch follows redirects without telling.
  if (redirect !== 'follow' || typeof url !== 'string') return undefined;
  return isAboutFirstServer(error, url) ? undefined : 'unknown';
}

/** The number of redirects that follow-redirects has counted on its request. */
function redirectsOf(request: object | undefined): number {
  return (request as { readonly _redirectCount?: number } | undefined)?._redirectCount ?? 0;
}
