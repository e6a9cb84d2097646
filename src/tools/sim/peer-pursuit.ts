/** One request as another library pursues it. */

import type { Admission, ErrorOutcome, ResponseOutcome } from '../../index.js';
import type { Dice } from './dice.js';
import type { Peer, PeerHedges, PeerTimeouts } from './peers.js';
import type { BareDecision, BareRuling, Pursuit, PursuitTail, Strategy } from './pursuit.js';

type Ending = ResponseOutcome | ErrorOutcome;

const go: Admission = { kind: 'go' };
const stop: BareDecision = { action: 'stop' };
const noSettings: Pursuit['settings'] = { attemptTimeoutMs: undefined, deadlineMs: undefined };

/** What the requests of one process share. */
interface Process {
  readonly peer: Peer;
  readonly now: () => number;
  readonly dice: Dice;
  readonly timeouts: PeerTimeouts | undefined;
  readonly hedges: PeerHedges | undefined;
}

export function peerStrategy(peer: Peer, now: () => number, dice: Dice): Strategy {
  const process: Process = { peer, now, dice, timeouts: peer.timeouts?.(), hedges: peer.hedges?.() };
  const hasTail = process.timeouts !== undefined || process.hedges !== undefined;
  return {
    open: (_, thoughtMs) => {
      const pursuit = new PeerPursuit(process, thoughtMs);
      return hasTail ? new PeerTail(process, pursuit) : pursuit;
    },
  };
}

class PeerPursuit implements Pursuit {
  readonly settings: Pursuit['settings'] = noSettings;
  readonly deadlineAt: number = Infinity;
  private readonly process: Process;
  private retries = 0;
  private previousMs: number;

  constructor(process: Process, thoughtMs: number) {
    this.process = process;
    this.previousMs = thoughtMs;
  }

  admit(): Admission {
    return go;
  }

  acceptAtOnce(status: number): boolean {
    return status < 400;
  }

  next(outcome: Ending): BareDecision {
    const { peer, dice } = this.process;
    if (this.retries >= peer.maxRetries || !isWorthIt(peer, outcome)) return stop;
    this.retries += 1;
    const turn = { retry: this.retries, hintMs: hintIn(outcome), previousMs: this.previousMs };
    const waitMs = peer.wait(turn, dice);
    if (waitMs === undefined) return stop;
    this.previousMs = waitMs;
    return { action: 'retry', delayMs: Math.max(0, waitMs) };
  }

  abandon(): void {
    // A peer has no shared state to give anything back to.
  }
}

/** The pursuit of a peer that learns how long answers take. */
class PeerTail implements Pursuit, PursuitTail {
  readonly settings: Pursuit['settings'] = noSettings;
  readonly deadlineAt: number = Infinity;
  private readonly process: Process;
  private readonly pursuit: PeerPursuit;
  /** When the attempts that are out were sent. */
  private readonly sentAt: Map<number, number> = new Map();
  private last = 0;
  private isRetry = false;
  private limitMs = Infinity;

  constructor(process: Process, pursuit: PeerPursuit) {
    this.process = process;
    this.pursuit = pursuit;
  }

  get tail(): PursuitTail {
    return this;
  }

  admit(): Admission {
    return this.pursuit.admit();
  }

  sent(attempt: number): void {
    this.last = attempt;
    this.sentAt.set(attempt, this.process.now());
  }

  timeoutMs(): number | undefined {
    const { timeouts } = this.process;
    if (timeouts === undefined) return undefined;
    this.limitMs = timeouts.limitMs();
    return this.limitMs;
  }

  hedgeAfterMs(): number | undefined {
    return this.process.hedges?.afterMs();
  }

  hedge(): number {
    return this.last + 1;
  }

  acceptAtOnce(status: number): boolean {
    if (!this.pursuit.acceptAtOnce(status)) return false;
    this.learn(this.last);
    return true;
  }

  next(outcome: Ending): BareDecision {
    if (outcome.kind === 'error') this.process.timeouts?.timedOut(this.limitMs);
    this.sentAt.clear();
    this.isRetry = true;
    return this.pursuit.next(outcome);
  }

  ended(attempt: number, outcome: Ending): BareRuling {
    if (outcome.kind === 'response' && this.pursuit.acceptAtOnce(outcome.status)) {
      this.learn(attempt);
      return { kind: 'decided', attempt, decision: stop };
    }
    this.sentAt.delete(attempt);
    if (this.sentAt.size > 0) return { kind: 'pending' };
    return { kind: 'decided', attempt, decision: this.next(outcome) };
  }

  leaveLoser(): number {
    return 0;
  }

  loserGone(): void {
    // It is cut at once.
  }

  abandon(): void {
    this.pursuit.abandon();
  }

  private learn(attempt: number): void {
    const { now, timeouts, hedges } = this.process;
    const ms = now() - (this.sentAt.get(attempt) ?? now());
    timeouts?.answered(ms, this.isRetry);
    hedges?.answered(ms);
  }
}

function isWorthIt({ statuses, afterTimeout }: Peer, outcome: Ending): boolean {
  if (outcome.kind === 'response') return statuses.includes(outcome.status);
  const { code } = outcome.error as { readonly code?: string };
  return afterTimeout || code !== 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT';
}

function hintIn(outcome: Ending): number | undefined {
  if (outcome.kind === 'error') return undefined;
  const seconds = (outcome.headers as Readonly<Record<string, string>> | undefined)?.['retry-after'];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
