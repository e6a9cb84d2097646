/** Judges how an attempt ended: reads the hint, asks `retryIf`, and lets the session decide. */

import type { ClientOutcome } from '../../core/events.js';
import { bytesToRead } from '../../core/hints/worth-reading.js';
import { verdictOn } from '../../runtime/hooks.js';
import type { Prospects } from '../../runtime/session.js';
import { unpackedText } from '../../runtime/unpack.js';
import { isReplayable } from './body.js';
import { readerOf } from './body-text.js';
import type { CallersSide } from './caller.js';
import type { Download } from './download.js';
import type { ResponseHeaders } from './handlers.js';
import { type Ending, evidenceOf, evidenceOfHead, outcomeOfError, outcomeOfHead } from './outcome.js';
import type { Sending } from './sending.js';

/** Lets the session decide, and goes on with its answer. */
export interface Judge<Answer> {
  readonly exchange: CallersSide;
  /** The attempt that ended. */
  readonly sending: Sending;
  next(outcome: ClientOutcome, prospects: Prospects): Answer;
  decided(answer: Answer, outcome: ClientOutcome): void;
}

export function judge<Answer>(court: Judge<Answer>, ending: Ending): void {
  const { exchange, sending } = court;
  if (ending.kind === 'error') {
    const evidence = evidenceOf(sending, ending.error);
    judgeOutcome(court, outcomeOfError(ending.error, evidence, sending.isAwaitingBody));
    return;
  }
  const { session } = exchange;
  const { head } = ending;
  const mostBytes = bytesToRead(session.settings, session.request, head.status, head.headers);
  const goOn = (content?: unknown): void =>
    judgeOutcome(court, outcomeOfHead(head, evidenceOfHead(sending), content));
  if (mostBytes === 0) goOn();
  else {
    const coding = head.headers['content-encoding'];
    sending.gather(mostBytes, (bytes) =>
      exchange.inScope(() => goOn(unpackedText(bytes, coding, mostBytes))),
    );
  }
}

/** Judges a body that broke off, or the answer to the request for the rest of it. */
export function judgeRest<Answer>(court: Judge<Answer>, ending: Ending, download: Download): void {
  if (ending.kind === 'error') {
    judgeOutcome(court, outcomeOfError(ending.error, 'unknown'), download);
    return;
  }
  const { head } = ending;
  const mismatch = head.status < 400 ? download.mismatch(head, court.sending) : undefined;
  if (mismatch === undefined)
    judgeOutcome(court, outcomeOfHead(head, evidenceOfHead(court.sending)), download);
  else {
    const error = new Error(`undaunted: the body cannot be resumed: ${mismatch}`);
    conclude(court, outcomeOfError(error, 'unknown'), undefined, download);
  }
}

/** Asks `retryIf` first, which may be asynchronous. */
function judgeOutcome<Answer>(court: Judge<Answer>, outcome: ClientOutcome, download?: Download): void {
  const { exchange, sending } = court;
  exchange.ask(
    () => verdictOn(exchange.session, download === undefined ? readable(court, outcome) : outcome),
    (verdict) => conclude(court, outcome, verdict, download),
    sending,
  );
}

/** With the body for `retryIf`, which may read it as often as it likes. */
function readable(
  { exchange, sending }: Pick<Judge<unknown>, 'exchange' | 'sending'>,
  outcome: ClientOutcome,
): ClientOutcome {
  const isAsked = exchange.session.settings.retryIf !== undefined;
  if (!isAsked || outcome.kind === 'error' || outcome.body !== undefined) return outcome;
  return { ...outcome, body: readerOf(sending, outcome.headers as ResponseHeaders) };
}

/** The schedule may be a function of the caller's, too, so its errors are caught. */
function conclude<Answer>(
  court: Judge<Answer>,
  outcome: ClientOutcome,
  verdict: boolean | undefined,
  download: Download | undefined,
): void {
  const { exchange } = court;
  const prospects = { replayable: isReplayable(exchange.body), verdict, resumable: download?.isResumable };
  exchange.ask(
    () => court.next(outcome, prospects),
    (answer) => court.decided(answer, outcome),
  );
}
