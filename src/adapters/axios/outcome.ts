/** Turns what an adapter returns into outcomes that the policy judges. */

import { bytesToRead } from '../../core/hints/worth-reading.js';
import type { ErrorOutcome, Evidence, HeadersLike, ResponseOutcome } from '../../core/types.js';
import { type Hops, needsProof } from '../../drivers/hops.js';
import type { Ending } from '../../drivers/loop/exchange.js';
import type { Session } from '../../kernel/session.js';
import { hintContent } from './hint-content.js';
import { isKnownHop, isOfTunnel, redirectsOf } from './redirects.js';
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
  session: Session,
  hops: Hops | undefined,
): ErrorOutcome | ResponseOutcome {
  const { settings, request } = session;
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
    const isUnproven = isOfAnother(answer.request, config, session, () => hops?.answered(status) === true);
    const evidence = isUnproven ? 'unknown' : isOfTunnel(answer.request) ? 'unsent' : undefined;
    return outcomeOfAnswer(answer, hintContent(answer, mostBytes), evidence);
  }
  const { error } = ending as Extract<Ending<ResponseShape>, { kind: 'error' }>;
  const { request: sent } = Object(error) as { readonly request?: unknown };
  const isUnproven = isOfAnother(sent, config, session, () => hops?.failed(error) === true);
  // An AbortError here comes from a timeout that is not ours.
  return { kind: 'error', error, aborted, ...(isUnproven && { evidence: 'unknown' }) };
}

function outcomeOfAnswer(
  { status, headers = {} }: ResponseShape,
  content: unknown,
  evidence: Evidence | undefined,
): ResponseOutcome {
  return {
    kind: 'response',
    status,
    headers: headers as HeadersLike,
    ...(content !== undefined && { content }),
    ...(evidence !== undefined && { evidence }),
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
 * Whether the outcome is, or may be, that of another server than the one that was asked first, which has acted then. It
 * has to be known only where the evidence counts.
 */
function isOfAnother(
  sent: unknown,
  config: RequestConfig,
  session: Session,
  isCounted: () => boolean,
): boolean {
  if (redirectsOf(sent) > 0) return true;
  return needsProof(session) && !isKnownHop(sent, config) && !isCounted();
}
