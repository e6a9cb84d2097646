/** Judges how an attempt ended: reads the hint, asks `retryIf`, and lets the session decide. */

import type { LiveOutcome } from '../../core/events.js';
import { bytesToRead } from '../../core/hints/worth-reading.js';
import type { Decision } from '../../core/types.js';
import { verdictOn } from '../../runtime/hooks.js';
import { unpackedText } from '../../runtime/unpack.js';
import { isReplayable } from './body.js';
import type { CallersSide } from './caller.js';
import type { Download } from './download.js';
import type { Head } from './handlers.js';
import { evidenceOf, outcomeOfError, outcomeOfHead } from './outcome.js';
import type { Sending } from './sending.js';

/** How an attempt ended: with a head, whose body may still follow, or with an error. */
export type Ending =
  | { readonly kind: 'head'; readonly head: Head }
  | { readonly kind: 'error'; readonly error: unknown };

export type Decided = (decision: Decision, outcome: LiveOutcome) => void;

export function judge(exchange: CallersSide, sending: Sending, ending: Ending, decided: Decided): void {
  if (ending.kind === 'error') {
    const evidence = evidenceOf(sending, ending.error);
    const outcome = outcomeOfError(ending.error, evidence, sending.isAwaitingBody);
    judgeOutcome(exchange, outcome, undefined, decided);
    return;
  }
  const { session } = exchange;
  const { head } = ending;
  const mostBytes = bytesToRead(session.settings, session.request, head.status, head.headers);
  const goOn = (content?: unknown): void =>
    judgeOutcome(exchange, outcomeOfHead(head, content), undefined, decided);
  if (mostBytes === 0) goOn();
  else {
    const coding = head.headers['content-encoding'];
    sending.gather(mostBytes, (bytes) =>
      exchange.inScope(() => goOn(unpackedText(bytes, coding, mostBytes))),
    );
  }
}

/** Judges a body that broke off, or the answer to the request for the rest of it. */
export function judgeRest(exchange: CallersSide, ending: Ending, download: Download, decided: Decided): void {
  if (ending.kind === 'error') {
    judgeOutcome(exchange, outcomeOfError(ending.error, 'unknown'), download, decided);
    return;
  }
  const { head } = ending;
  const mismatch = head.status < 400 ? download.mismatch(head) : undefined;
  if (mismatch === undefined) judgeOutcome(exchange, outcomeOfHead(head), download, decided);
  else {
    const error = new Error(`undaunted: the body cannot be resumed: ${mismatch}`);
    conclude(exchange, outcomeOfError(error, 'unknown'), undefined, download, decided);
  }
}

/** Asks `retryIf` first, which may be asynchronous. */
function judgeOutcome(
  exchange: CallersSide,
  outcome: LiveOutcome,
  download: Download | undefined,
  decided: Decided,
): void {
  exchange.ask(
    () => verdictOn(exchange.session, outcome),
    (verdict) => conclude(exchange, outcome, verdict, download, decided),
  );
}

/** The schedule may be a function of the caller's, too, so its errors are caught. */
function conclude(
  exchange: CallersSide,
  outcome: LiveOutcome,
  verdict: boolean | undefined,
  download: Download | undefined,
  decided: Decided,
): void {
  const { session, body } = exchange;
  const about = { replayable: isReplayable(body), verdict, resumable: download?.isResumable };
  exchange.ask(
    () => session.next(outcome, about),
    (decision) => decided(decision, outcome),
  );
}
