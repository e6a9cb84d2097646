/** Turns what an adapter returns into outcomes that the policy judges, and into causes of later errors. */

import { isJudgedByHead } from '../../core/decide/whole.js';
import type { ClientOutcome } from '../../core/events.js';
import type { Evidence, HeadersLike, ResponseOutcome } from '../../core/types.js';
import { type HopCounter, needsProof } from '../../drivers/hop-counter.js';
import type { Ending } from '../../drivers/loop/exchange.js';
import type { AxiosParts } from '../../drivers/parts.js';
import type { StartFailure } from '../../drivers/starting.js';
import type { Session } from '../../kernel/session.js';
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
  hops: HopCounter | undefined,
  failure: StartFailure | undefined,
  parts: AxiosParts,
): ClientOutcome {
  const { settings, request } = session;
  const aborted = isCanceled(config);
  if (ending.kind === 'error' && aborted) return { kind: 'error', error: ending.error, aborted };
  const answer = answerOf(ending);
  if (ending.kind === 'response' && isCutOff(ending.response)) {
    return { kind: 'error', error: cutOff, aborted: false };
  }
  if (failure !== undefined && 'cut' in failure)
    return { kind: 'error', error: failure.cut, aborted: false, evidence: 'unknown' };
  // If an error comes with a status below 400, the body was cut off or unreadable, or the caller rejected it: the
  // error's code tells which. From 400 on, the status counts, whatever became of the body.
  if (
    answer !== undefined &&
    (ending.kind === 'response' || (answer.status >= 400 && !isBroken(ending.error, answer, session)))
  ) {
    const { status, headers } = answer;
    const mostBytes = settings.bodies?.bytesToRead(settings, request, status, headers as HeadersLike) ?? 0;
    const content =
      failure === undefined
        ? parts.bodyHints?.contentOf(answer.data, headers as HeadersLike, mostBytes)
        : undefined;
    const isCounted = (): boolean => hops?.answered(status) === true;
    const isUnproven = isOfAnother(answer.request, config, session, isCounted, parts);
    const evidence = isUnproven
      ? 'unknown'
      : parts.evidence?.isOfTunnel(answer.request)
        ? 'unsent'
        : undefined;
    const outcome = { ...outcomeOfAnswer(answer, content, evidence), ...failure };
    const isElsewhere =
      settings.credentials !== false && parts.credentials?.hasLeft(answer.request, request.origin);
    return isElsewhere ? { ...outcome, isElsewhere } : outcome;
  }
  const { error } = ending as Extract<Ending<ResponseShape>, { kind: 'error' }>;
  const { request: sent } = Object(error) as { readonly request?: unknown };
  const isUnproven = isOfAnother(sent, config, session, () => hops?.failed(error) === true, parts);
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

/** Whether answers have to be whole, and the body of this one, whose status is final, has broken off. */
function isBroken(error: unknown, { status }: ResponseShape, { settings }: Session): boolean {
  const mustBeWhole = settings.wholeBodyBytes > 0 && !isJudgedByHead(settings, status);
  return mustBeWhole && settings.failures(error, false).class === 'transient';
}

/** Over HTTP/2, axios reports an answer as complete even if its stream was reset. */
export function isCutOff(answer: ResponseShape | undefined): boolean {
  const code = answer?.request?.rstCode;
  return code !== undefined && code !== 0;
}

const cutOff: Error = /* @__PURE__ */ (() =>
  Object.assign(new Error('The response was cut off: its HTTP/2 stream was reset'), {
    code: 'ERR_HTTP2_STREAM_CANCEL',
  }))();

// ---------------------------------------------------------------- evidence

/** Without the part for evidence, nothing is known of the server that the outcome comes from. */
function isOfAnother(
  sent: unknown,
  config: RequestConfig,
  session: Session,
  isCounted: () => boolean,
  { evidence }: AxiosParts,
): boolean {
  return evidence === undefined
    ? needsProof(session)
    : evidence.isOfAnother(sent, config, session, isCounted);
}

// ---------------------------------------------------------------- kept as a cause

/** How deep a chain of causes is followed. */
const deepest = 10;

/**
 * Lightens an error that is kept as a `cause`: each waiting request holds one, so it must be small. Drops what does not
 * tell why the request failed: an answer's body, and a request's connection and data. The copy has the same class,
 * message, code and status.
 */
export function lightened(error: unknown, depth: number = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { message, stack, cause } = error as Partial<Error>;
  // Some versions of axios wrap the error with the answer in another error.
  const lightCause = depth < deepest ? lightened(cause, depth + 1) : undefined;
  const isLight = !('response' in error || 'request' in error) && lightCause === cause;
  if (isLight) return error;

  const light = new Error(message);
  const others = Object.entries(error).filter(([name]) => !heavy.has(name));
  const answer = answerOf({ kind: 'error', error });
  Object.setPrototypeOf(light, Object.getPrototypeOf(error));
  Object.assign(light, Object.fromEntries(others), answer && { response: headOf(answer) });
  const hidden = { configurable: true, writable: true };
  if (cause !== undefined) Object.defineProperty(light, 'cause', { ...hidden, value: lightCause });
  return Object.defineProperty(light, 'stack', { ...hidden, value: stack });
}

const heavy: ReadonlySet<string> = new Set(['request', 'response', 'cause']);

/** A text this short most likely says why the server refused. */
const shortText = 1_000;

interface Described extends ResponseShape {
  readonly statusText?: string;
  readonly config?: unknown;
}

function headOf({ status, statusText, headers, config, data }: Described): Partial<Described> {
  const isShort = typeof data === 'string' && data.length <= shortText;
  return { status, headers, config, ...(statusText && { statusText }), ...(isShort && { data }) };
}
