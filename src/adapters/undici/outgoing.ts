/** Sends an attempt: with the request's body, kept or made anew, and the options as a hook left them. */

import { isSafe } from '../../core/decide/safety.js';
import { isPromise } from '../../core/returned.js';
import { KeptBody } from '../../drivers/body/kept-body.js';
import type { Session } from '../../kernel/session.js';
import { type Body, type MadeBody, sourceOf } from './body.js';
import { setStarting } from './context.js';
import { withBody, withMore } from './dispatch-options.js';
import { abortError } from './errors.js';
import type { Dispatch, DispatchOptions } from './handlers.js';
import { Hops } from './hops.js';
import type { Sending } from './sending.js';
import { Upload } from './upload.js';

/** Headers that this attempt adds to the request's; undefined removes one. */
export type MoreHeaders = Readonly<Record<string, string | undefined>>;

/** The exchange whose attempt is sent. */
export interface SentExchange {
  readonly session: Session;
  readonly dispatch: Dispatch;
  readonly options: DispatchOptions;
  readonly body: Body;
  /** Whether this attempt is still wanted, although it could not be sent at once. */
  isWaitingFor(sending: Sending): boolean;
  failToSend(sending: Sending, error: unknown): void;
  /** A function of the caller's has failed, and the request with it. */
  fail(error: unknown): void;
  /** Runs the caller's code in the context in which the request was made. */
  asCaller(work: () => void): void;
  watch(source: KeptBody): void;
}

/** Returns what the dispatch returned: false asks the caller to wait for `drain`. */
export function sendAttempt(
  exchange: SentExchange,
  sending: Sending,
  more: MoreHeaders | undefined,
): boolean {
  const { body } = exchange;
  try {
    return body.kind === 'made' ? make(exchange, sending, more, body) : sendNow(exchange, sending, more);
  } catch (error) {
    exchange.failToSend(sending, error);
  }
  return true;
}

function make(
  exchange: SentExchange,
  sending: Sending,
  more: MoreHeaders | undefined,
  body: MadeBody,
): boolean {
  let made: unknown;
  body.awaitedBy = sending;
  try {
    made = body.make();
  } catch (error) {
    body.awaitedBy = undefined;
    // A function that has ended the request may fail after that, which nobody else hears of.
    if (!exchange.isWaitingFor(sending)) return true;
    throw error;
  }
  if (!isPromise(made)) return sendMade(exchange, sending, more, body, made);
  made.then(
    (value) =>
      exchange.asCaller(() => {
        try {
          sendMade(exchange, sending, more, body, value);
        } catch (error) {
          exchange.failToSend(sending, error);
        }
      }),
    (error: unknown) => {
      if (exchange.isWaitingFor(sending)) exchange.asCaller(() => exchange.fail(error));
    },
  );
  return true;
}

/** The function that has made it may have aborted the request. */
function sendMade(
  exchange: SentExchange,
  sending: Sending,
  more: MoreHeaders | undefined,
  body: MadeBody,
  value: unknown,
): boolean {
  if (body.awaitedBy === sending) body.awaitedBy = undefined;
  if (exchange.isWaitingFor(sending)) {
    body.value = value;
    return sendNow(exchange, sending, more);
  }
  if (value instanceof KeptBody) value.close(abortError());
  return true;
}

function sendNow(exchange: SentExchange, sending: Sending, more: MoreHeaders | undefined): boolean {
  const { body, options } = exchange;
  const source = sourceOf(body);
  if (source !== undefined) {
    sending.upload = Upload.of(source);
    exchange.watch(source);
  }
  const { credentials } = exchange.session;
  const own = credentials === undefined ? more : { ...more, ...credentials.headers };
  const outgoing = own === undefined ? options : withMore(options, own);
  const given = withBody(outgoing, source === undefined ? body.value : sending.upload);
  // Requests dispatched underneath are not part of the caller's onRequestStart.
  const before = setStarting(undefined);
  try {
    return dependsOnEvidence(exchange.session)
      ? dispatchCounted(exchange, sending, given)
      : exchange.dispatch(given, sending);
  } finally {
    setStarting(before);
  }
}

/** Whether the request is sent again only if it is proven that this does no harm. */
function dependsOnEvidence({ settings, request }: Session): boolean {
  if (settings.repeatsGet && request.method === 'GET') return false;
  const { maxRetries, unsafeMethods, methods, credentials } = settings;
  if ((maxRetries === 0 && credentials === false) || unsafeMethods === 'never') return false;
  return !methods.has(request.method) && !isSafe(settings, request);
}

/** Counts the hops of the attempt. */
function dispatchCounted(
  { dispatch, session }: SentExchange,
  sending: Sending,
  options: DispatchOptions,
): boolean {
  const hops = new Hops(sending, options.method, session.settings);
  sending.hops = hops;
  const outer = hops.begin();
  let isAccepted = true;
  try {
    isAccepted = dispatch(options, sending);
    return isAccepted;
  } finally {
    hops.handOver(isAccepted, outer);
  }
}

/** Lets go of the body when an attempt is over and another one follows. */
export function leaveBody(body: Body): void {
  const source = sourceOf(body);
  source?.leave();
  if (body.kind === 'made') source?.close();
}
