/** How far a request has come, and what is under way for it. What is written nowhere here cannot be. */

import type { Cancel } from '../../runtime/sleep.js';
import type { Download } from './download.js';
import type { ResponseHeaders } from './handlers.js';
import type { Sending } from './sending.js';

/** An attempt is out, or what it brought is being judged; or the next one waits: for the scope, for its time, for a hook. */
export type Step = Sending | { readonly kind: 'waiting'; readonly cancel?: Cancel };

export type Phase =
  | Step
  /** The caller has a final head, and gets its body. */
  | Download
  /** That body broke off, and another attempt is to bring the rest. */
  | { readonly kind: 'resuming'; readonly step: Step; readonly download: Download }
  /**
   * Nothing is judged any more, since the caller's handler threw, or has the connection: what undici still tells goes to
   * the caller as it is.
   */
  | {
      readonly kind: 'passing';
      readonly sending: Sending;
      readonly headers: ResponseHeaders | undefined;
      readonly isUpgraded?: true;
    }
  | { readonly kind: 'over' };

export const over: Phase = { kind: 'over' };

/** The one under way; undefined in a wait. */
export function sendingIn(phase: Phase): Sending | undefined {
  switch (phase.kind) {
    case 'sending':
      return phase;
    case 'delivering':
    case 'passing':
      return phase.sending;
    case 'resuming':
      return sendingIn(phase.step);
    case 'waiting':
    case 'over':
      return undefined;
  }
}

/** Of the final head that the caller has. */
export function headersIn(phase: Phase): ResponseHeaders | undefined {
  switch (phase.kind) {
    case 'delivering':
      return phase.headers;
    case 'resuming':
      return phase.download.headers;
    case 'passing':
      return phase.headers;
    case 'sending':
    case 'waiting':
    case 'over':
      return undefined;
  }
}

/** What the caller has got of a body whose rest is to come. */
export function downloadIn(phase: Phase): Download | undefined {
  return phase.kind === 'resuming' ? phase.download : undefined;
}

/** What it means that an answer ends now: without its head, too, it is short. */
export function endIn(phase: Phase): ReturnType<Download['end']> {
  if (phase.kind === 'delivering') return phase.end();
  return phase.kind === 'passing' ? 'whole' : 'short';
}

export function cancelWait(phase: Phase): void {
  const step = phase.kind === 'resuming' ? phase.step : phase;
  if (step.kind === 'waiting') step.cancel?.();
}
