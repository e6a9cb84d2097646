/**
 * What happens once an attempt did not simply succeed: the session is asked, and then the outcome is handed
 * over, or a wait and another attempt follow. Made for those requests only.
 */

import type { LiveOutcome, RetryContext, RetryIf } from '../../core/events.js';
import { factsOf } from '../../core/facts.js';
import { bytesToRead } from '../../core/hints/held-back.js';
import { isPromise } from '../../core/returned.js';
import type { Decision, ErrorOutcome, ResponseOutcome, Retry } from '../../core/types.js';
import { drainTime } from '../../runtime/drain.js';
import type { Cancel } from '../../runtime/sleep.js';
import { unpackedText } from '../../runtime/unpack.js';
import type { Attempt } from './attempt.js';
import type { Exchange } from './exchange.js';
import type { Controller, DispatchOptions, Head } from './handlers.js';
import { evidenceOf, outcomeOfError, outcomeOfHead } from './outcome.js';
import { asChanged, contextFor, goesTo } from './outgoing.js';
import type { Rest } from './resume.js';
import { restOf } from './resume.js';
import type { Times } from './times.js';

/** What follows from a decision. */
interface Consequences {
  stop(): void;
  /** Before the wait: what becomes of the attempt that was not good enough. */
  retry(): void;
}

export class Recovery {
  times: Times | undefined = undefined;
  /** Where they are not the caller's own any more. */
  options: DispatchOptions | undefined = undefined;
  /** Of the next attempt alone; the first has none. */
  extraHeaders: Readonly<Record<string, string | undefined>> | undefined = undefined;
  /** The rest of the body that the attempt under way is to bring. */
  rest: Rest | undefined = undefined;
  private readonly exchange: Exchange;
  /** The last outcome that was not for the caller to see. */
  private lastOutcome: ResponseOutcome | ErrorOutcome | undefined = undefined;
  /** Why a rest was necessary, and how much the caller may get in all: more would not be the body's. */
  private brokenBy: { readonly error: unknown } | undefined = undefined;
  private mostBytes: number | undefined = undefined;
  /** The length of the body as the head says, where nobody else compares it. */
  announced: number | undefined = undefined;
  private cancelWait: Cancel | undefined = undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  // -------------------------------------------------------------- outcomes

  judgeHead(attempt: Attempt, controller: Controller, head: Head): void {
    if (this.rest !== undefined) {
      this.judgeRest(attempt, controller, head, this.rest);
      return;
    }
    const { exchange } = this;
    const judge = (content?: unknown): void =>
      this.judge(attempt, outcomeOfHead(head, content), {
        stop: () => exchange.deliverHeld(attempt, controller, head),
        retry: () => this.discard(attempt, head),
      });
    const { session } = exchange;
    const most = bytesToRead(session.settings, session.request, head.status, head.headers);
    if (most === 0) judge();
    else {
      const coding = head.headers['content-encoding'];
      attempt.gather(most, (bytes) => exchange.inScope(this, judge, unpackedText(bytes, coding, most)));
    }
  }

  judgeError(attempt: Attempt, error: unknown): void {
    this.judge(attempt, outcomeOfError(error, evidenceOf(attempt, error)), {
      stop: () => this.exchange.deliverError(error),
      retry: () => undefined,
    });
  }

  /** The body broke off after its head was delivered. */
  judgeBreak(attempt: Attempt, error: unknown): void {
    if (this.rest === undefined) {
      this.brokenBy = { error };
      this.exchange.session.resume();
      this.times?.startDeadline();
    }
    this.exchange.keepRawHeaders();
    this.rest = this.restNow();
    this.judge(attempt, outcomeOfError(error, 'unknown'), {
      stop: () => this.giveUpBody(attempt),
      retry: () => undefined,
    });
  }

  /** The answer to a request for the rest of a body. */
  private judgeRest(attempt: Attempt, controller: Controller, head: Head, rest: Rest): void {
    const giveUp = (): void => this.giveUpBody(attempt);
    const mismatch = head.status < 400 ? rest.mismatch(head) : undefined;
    if (mismatch === undefined) {
      this.judge(attempt, outcomeOfHead(head), {
        stop: () => (head.status < 400 ? this.goOn(attempt, controller, rest) : giveUp()),
        retry: () => this.discard(attempt, head),
      });
    } else {
      const error = new Error(`undaunted: the body cannot be resumed: ${mismatch}`);
      this.conclude(outcomeOfError(error, 'unknown'), undefined, { stop: giveUp, retry: giveUp });
    }
  }

  // -------------------------------------------------------------- deciding

  /** `retryIf`, if there is one, is asked first and may take its time. */
  private judge(attempt: Attempt, outcome: LiveOutcome, then: Consequences): void {
    const { exchange } = this;
    const { session } = exchange;
    let verdict: ReturnType<RetryIf>;
    try {
      verdict = session.settings.retryIf?.(outcome, factsOf(exchange.context));
      // An abort in a hook has ended it.
      if (exchange.isOver) return;
    } catch (error) {
      exchange.fail(error);
      return;
    }
    if (!isPromise(verdict)) {
      this.conclude(outcome, verdict, then);
      return;
    }
    attempt.hold();
    verdict.then(
      (given) => {
        if (!exchange.isOver && exchange.attempt === attempt) {
          exchange.inScope(this, this.conclude, outcome, given, then);
        }
      },
      (error: unknown) => exchange.inScope(exchange, exchange.fail, error),
    );
  }

  private conclude(outcome: LiveOutcome, verdict: boolean | undefined, then: Consequences): void {
    const { exchange } = this;
    const resumable = exchange.isDelivered ? this.rest !== undefined : undefined;
    let decision: Decision;
    try {
      const { isReplayable: replayable } = exchange;
      decision = exchange.session.next(outcome, { replayable, verdict, resumable });
      if (exchange.isOver) return;
    } catch (error) {
      // The schedule is a function of the caller's, and threw.
      exchange.fail(error);
      return;
    }
    if (decision.action === 'stop') {
      then.stop();
      return;
    }
    then.retry();
    this.lastOutcome = withoutContent(outcome);
    exchange.endAttempt();
    this.wait(decision.delayMs, () => this.prepare(decision));
  }

  private discard(attempt: Attempt, { headers }: Head): void {
    const { exchange } = this;
    const ms = drainTime(exchange.session.request.method, headers['content-length']);
    // While the request is still being written, the server would wait for the rest of it.
    if (ms === 0 || attempt.isUploading) attempt.cut();
    else attempt.drain(ms);
  }

  // -------------------------------------------------------------- waiting

  wait(delayMs: number, next: () => void): void {
    const { exchange } = this;
    const wake = (): void => {
      this.cancelWait = undefined;
      exchange.inScope(this, next);
    };
    this.cancelWait = exchange.ports.sleep(delayMs, wake, { unref: exchange.session.settings.unref });
  }

  stopWaiting(): void {
    this.cancelWait?.();
    this.cancelWait = undefined;
  }

  /** After the wait, so that a token that `beforeRetry` gets is fresh. */
  private prepare(decision: Retry): void {
    const { exchange } = this;
    const { beforeRetry } = exchange.session.settings;
    if (beforeRetry === undefined) {
      this.again(decision);
      return;
    }
    let context: RetryContext;
    let done: unknown;
    try {
      const { attempts: history } = exchange.context;
      const request = factsOf(exchange.context);
      context = contextFor(exchange.options, { request, decision, history });
      done = beforeRetry(context);
    } catch (error) {
      exchange.fail(error);
      return;
    }
    if (!isPromise(done)) {
      this.goOnWith(context, decision);
      return;
    }
    done.then(
      () => exchange.inScope(this, this.goOnWith, context, decision),
      (error: unknown) => exchange.inScope(exchange, exchange.fail, error),
    );
  }

  /** As `beforeRetry` left it. */
  private goOnWith(context: RetryContext, decision: Retry): void {
    const { exchange } = this;
    if (exchange.isOver) return;
    let changed: DispatchOptions;
    try {
      changed = asChanged(exchange.options, context);
    } catch (error) {
      exchange.fail(error);
      return;
    }
    // Elsewhere is another representation, whatever its ETag says.
    if (this.rest !== undefined && !goesTo(changed, exchange.options)) exchange.fail(this.brokenBy?.error);
    else {
      this.options = changed;
      this.again(decision);
    }
  }

  private again({ attempt }: Retry): void {
    const { attemptHeader } = this.exchange.session.settings;
    this.extraHeaders = {
      ...(attemptHeader !== false && { [attemptHeader]: String(attempt) }),
      ...this.rest?.requestHeaders,
    };
    this.exchange.proceed();
  }

  // -------------------------------------------------------------- resuming

  /** The body goes on where it broke off; the caller sees nothing of it. */
  private goOn(attempt: Attempt, controller: Controller, rest: Rest): void {
    this.rest = undefined;
    this.mostBytes = this.exchange.receivedBytes + rest.bytes;
    this.exchange.restIsHere();
    if (this.exchange.paused) controller.pause();
    attempt.unhold();
  }

  /** The bytes that came are not, or not all, of the body that broke off. */
  isSpoilt(receivedBytes: number, isAll: boolean): boolean {
    if (this.mostBytes === undefined) return false;
    return isAll ? receivedBytes !== this.mostBytes : receivedBytes > this.mostBytes;
  }

  /** Nothing at all is what HEAD, 304 and a dump bring. */
  isCutShort(receivedBytes: number): boolean {
    const { announced } = this;
    return (
      this.mostBytes === undefined &&
      receivedBytes > 0 &&
      announced !== undefined &&
      receivedBytes < announced
    );
  }

  giveUpBody(attempt: Attempt): void {
    attempt.cut(this.brokenBy?.error);
    this.exchange.deliverError(this.brokenBy?.error);
  }

  private restNow(): Rest | undefined {
    const { deliveredStatus: status, deliveredHeaders: headers, session, receivedBytes } = this.exchange;
    if (headers === undefined || !session.settings.resume) return undefined;
    return restOf(session.request.method, { status, headers }, receivedBytes);
  }

  // -------------------------------------------------------------- reasons

  /** The last real outcome, as the cause of an error of our own. */
  get cause(): ErrorOptions {
    const { lastOutcome } = this;
    if (lastOutcome === undefined) return {};
    if (lastOutcome.kind === 'error') return { cause: lastOutcome.error };
    const { status, headers } = lastOutcome;
    return { cause: { status, headers } };
  }
}

/** Whoever waits does not keep what was read of a body. */
function withoutContent(outcome: ErrorOutcome | ResponseOutcome): ErrorOutcome | ResponseOutcome {
  if (outcome.kind === 'error' || outcome.content === undefined) return outcome;
  const { kind, status, headers = {} } = outcome;
  return { kind, status, headers };
}
