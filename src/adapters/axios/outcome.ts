/** Turns what an adapter returns into outcomes that the policy judges, and into causes of later errors. */

import type { ClientOutcome } from '../../core/events.js';
import type { Evidence, HeadersLike } from '../../core/types.js';
import type { Ending } from '../../drivers/loop/exchange.js';
import { needsProof } from '../../drivers/loop/judging.js';
import type { AxiosParts } from '../../drivers/parts.js';
import type { SentExchange } from '../../drivers/sent-by-axios.js';
import type { StartFailure } from '../../drivers/starting.js';
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

/** The request whose attempt is judged. */
interface JudgedExchange extends SentExchange {
  readonly config: RequestConfig;
  readonly parts: AxiosParts;
}

export function outcomeOf(
  ending: Ending<ResponseShape>,
  exchange: JudgedExchange,
  failure: StartFailure | undefined,
): ClientOutcome {
  const aborted = isCanceled(exchange.config);
  if (ending.kind === 'error' && aborted) return { kind: 'error', error: ending.error, aborted };
  if (failure !== undefined && 'cut' in failure)
    return { kind: 'error', error: failure.cut, aborted: false, evidence: 'unknown' };
  const answer = answerOf(ending);
  const { parts, session } = exchange;
  // If an error comes with a status below 400, the body was cut off or unreadable, or the caller rejected it: the
  // error's code tells which. From 400 on, the status counts, whatever became of the body.
  const counts =
    ending.kind === 'response' ||
    (answer !== undefined &&
      answer.status >= 400 &&
      parts.wholeAnswers?.isBroken(ending.error, answer.status, session.settings) !== true);
  const judged = counts ? answer : undefined;
  const evidence = evidenceOf(ending, judged, exchange);
  const proven = evidence && { evidence };
  if (judged !== undefined) {
    const { status, headers = {} } = judged;
    return { kind: 'response', status, headers: headers as HeadersLike, ...proven, ...failure };
  }
  // An AbortError here comes from a timeout that is not ours.
  return {
    kind: 'error',
    error: (ending as Extract<typeof ending, { kind: 'error' }>).error,
    aborted,
    ...proven,
  };
}

/** Without the part for evidence, nothing is known of the server that the outcome comes from. */
function evidenceOf(
  ending: Ending<ResponseShape>,
  answer: ResponseShape | undefined,
  exchange: JudgedExchange,
): Evidence | undefined {
  const { evidence } = exchange.parts;
  if (evidence !== undefined) return evidence.evidenceOf(ending, answer, exchange);
  return needsProof(exchange.session) ? 'unknown' : undefined;
}
