/** Asks a policy's `retryIf` about each outcome, as the adapters do. */

import type { ErrorOutcome, Prospects, ResponseOutcome, Session } from '../../index.js';
import { isPromise, verdictOn } from '../../internal.js';
import type { BareDecision, Pursuit, PursuitTail } from './pursuit.js';

type Outcome = ResponseOutcome | ErrorOutcome;

export function asking(session: Session): Pursuit {
  return session.settings.retryIf === undefined ? session : new Asking(session);
}

class Asking implements Pursuit {
  readonly settings: Session['settings'];
  readonly tail: PursuitTail | undefined;
  private readonly session: Session;

  constructor(session: Session) {
    this.session = session;
    this.settings = session.settings;
    const { tail } = session;
    this.tail = tail && {
      timeoutMs: (isSendable) => tail.timeoutMs(isSendable),
      mayTimeOut: () => tail.mayTimeOut(),
      hedgeAfterMs: (isSendable) => tail.hedgeAfterMs(isSendable),
      hedge: () => tail.hedge(),
      sent: (attempt) => tail.sent(attempt),
      ended: (attempt, outcome, prospects) => tail.ended(attempt, outcome, this.judged(outcome, prospects)),
      leaveLoser: (attempt) => tail.leaveLoser(attempt),
      loserGone: (attempt, isAnswered) => tail.loserGone(attempt, isAnswered),
    };
  }

  get deadlineAt(): number {
    return this.session.deadlineAt;
  }

  admit(): ReturnType<Pursuit['admit']> {
    return this.session.admit();
  }

  onTurn(call: () => void): void {
    this.session.onTurn(call);
  }

  acceptAtOnce(status: number): boolean {
    return this.session.acceptAtOnce(status);
  }

  next(outcome: Outcome, prospects: Prospects): BareDecision {
    return this.session.next(outcome, this.judged(outcome, prospects));
  }

  get awaitsBody(): boolean {
    return this.session.awaitsBody;
  }

  bodyEnded(): void {
    this.session.bodyEnded();
  }

  abandon(outcome?: unknown): void {
    this.session.abandon(outcome);
  }

  private judged(outcome: Outcome, prospects: Prospects): Prospects {
    const verdict = verdictOn(this.session, outcome);
    if (!isPromise(verdict)) return { ...prospects, verdict };
    verdict.then(undefined, () => undefined);
    throw new TypeError('undaunted: in a simulation, retryIf cannot be async: answers have no bodies there');
  }
}
