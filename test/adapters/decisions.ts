/** Decisions in short form, so that a test can list them. */

import type { RequestEvent } from '../../src/core/events.js';
import { historyOf } from '../../src/index.js';

export type Event = RequestEvent;

export function brief(event: Event): string {
  if (event.type === 'settled') return `settled ${event.outcome} after ${event.attempts}`;
  if (event.type === 'hedge') return `hedge ${event.attempt}`;
  if (event.type === 'renewal') return `renewal ${event.ok ? 'succeeded' : 'failed'}`;
  return `${event.decision.action} ${event.decision.attempt}: ${event.decision.reason}`;
}

/** The decision after each attempt. */
export function reasons(target: unknown): string[] | undefined {
  return historyOf(target)?.map(({ decision }) => `${decision.attempt} ${decision.reason}`);
}
