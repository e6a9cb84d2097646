/**
 * How far a request has come, and what is under way for it. A state that is not listed here cannot occur.
 *
 * Three machines stand over one socket: the phase of the request, the course of each attempt (`sending.ts`), and the pair
 * of two attempts that are out (`pair.ts`).
 *
 *     the request    waiting ─────► sending ──final head──► delivering ──end──► over
 *     (Phase)          ▲           │   ▲  │                  │      ▲
 *                      └───retry───┘   │  │ slow      breaks │      │ the rest comes
 *                                 ruled│  ▼                  ▼      │
 *                                    hedged                 resuming: waiting or sending, once more
 *
 *                    from anywhere: passing (the handler threw, the caller aborts or has the socket), over
 *
 *     an attempt     live ──judged, or held──► aside ──it is the caller's──► handing ──all told──► live
 *     (Course)         └─────────────────────────┴───it is discarded────► draining
 *                    held: until its body is whole; judged: while a function of the caller's or a hint is waited for
 *
 *                    from anywhere: over (ended, failed, cut)
 *
 *     its events     exchange ──a hedge is sent──► pair ──it counts──► exchange
 *     (Receiver)                                     └────it has lost──► loser
 */

import type { ClientOutcome } from '../../core/events.js';
import type { Prospects, Ruling } from '../../kernel/session.js';
import type { Download } from './download.js';
import type { ResponseHeaders } from './handlers.js';
import type { Ending } from './outcome.js';
import type { Sending } from './sending.js';

/**
 * An attempt is out, its result is being judged, or the caller has its final head and is receiving the body; or the next
 * attempt waits: for the scope, its delay or a hook.
 */
export type Step = Sending | { readonly kind: 'waiting'; cancel?(): void };

/** How an attempt has ended. */
export interface EndedAttempt {
  readonly sending: Sending;
  readonly ending: Ending;
  readonly outcome: ClientOutcome;
}

/** A second attempt is out beside the first, and neither has won yet. */
export interface TwoOut {
  readonly kind: 'hedged';
  /** The one that stands for the request. */
  readonly current: Sending;
  /** The one whose answer waits for its body, if there is one. */
  readonly held: Sending | undefined;
  /** The request goes on, or ends, with this one alone. */
  breakUp(kept: Sending): void;
  /** Its number among the attempts of the request. */
  attemptOf(ended: Sending): number;
  /** One of the two has ended: what the session says about both. */
  rule(ended: Sending, outcome: ClientOutcome, prospects: Prospects): Ruling;
  obey(ruling: Ruling, ended: EndedAttempt): void;
}

export type Phase =
  | Step
  | TwoOut
  /** The caller is receiving the body, and there is more to that than bytes that come. */
  | Download
  /** That body broke off, and another attempt is to fetch the rest. */
  | { readonly kind: 'resuming'; readonly step: Step; readonly download: Download }
  /**
   * Nothing is judged any more, since the caller's handler threw or the caller has the connection: everything that
   * undici still reports goes straight to the caller.
   */
  | {
      readonly kind: 'passing';
      readonly sending: Sending;
      readonly headers: ResponseHeaders | undefined;
      /** The request has ended, so that nothing is left to release: an upgrade, or an error that follows the end. */
      readonly isSettled: boolean;
      readonly isUpgraded?: true;
    }
  | { readonly kind: 'over' };

export const over: Phase = { kind: 'over' };

export function isSettled(phase: Phase): boolean {
  return phase.kind === 'over' || (phase.kind === 'passing' && phase.isSettled);
}

/** The attempt under way, and of two the one that stands for the request; undefined during a wait. */
export function sendingIn(phase: Phase): Sending | undefined {
  switch (phase.kind) {
    case 'sending':
    case 'delivering':
      return phase;
    case 'watched':
    case 'passing':
      return phase.sending;
    case 'hedged':
      return phase.current;
    case 'resuming':
      return sendingIn(phase.step);
    case 'waiting':
    case 'over':
      return undefined;
  }
}

/** The attempt whose answer waits for its body, if there is one. */
export function heldIn(phase: Phase): Sending | undefined {
  if (phase.kind === 'hedged') return phase.held;
  return phase.kind === 'sending' && phase.heldHead !== undefined ? phase : undefined;
}

/** The headers of the final head, once the caller has it. */
export function headersIn(phase: Phase): ResponseHeaders | undefined {
  switch (phase.kind) {
    case 'delivering':
    case 'watched':
    case 'passing':
      return phase.headers;
    case 'resuming':
      return phase.download.headers;
    case 'sending':
    case 'hedged':
    case 'waiting':
    case 'over':
      return undefined;
  }
}

/** The part of a body that the caller has, while another attempt is to fetch the rest. */
export function downloadIn(phase: Phase): Download | undefined {
  return phase.kind === 'resuming' ? phase.download : undefined;
}

/** What the end of an answer means now: an answer that ends before its head is short, too. */
export function endIn(phase: Phase): ReturnType<Download['end']> {
  if (phase.kind === 'watched') return phase.end();
  return phase.kind === 'delivering' || phase.kind === 'passing' ? 'whole' : 'short';
}

export function cancelWait(phase: Phase): void {
  const step = phase.kind === 'resuming' ? phase.step : phase;
  if (step.kind === 'waiting') step.cancel?.();
}
