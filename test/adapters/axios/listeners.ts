/** For tests of what listeners are told. */

import type { AxiosInstance } from 'axios';
import type { DecisionEvent, SettledEvent } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/options.js';
import { retryingInstance, soon } from './kit.js';

export type Event = DecisionEvent | SettledEvent;

/** An instance, and everything that is said of its requests. */
export function listened(policy: PolicyOptions = {}): { instance: AxiosInstance; events: Event[] } {
  const events: Event[] = [];
  const instance = retryingInstance({ ...soon, ...policy, observe: (event) => void events.push(event) });
  return { instance, events };
}

export function brief(event: Event): string {
  if (event.type === 'settled') return `settled ${event.outcome} after ${event.attempts}`;
  return `${event.decision.action} ${event.decision.attempt}: ${event.decision.reason}`;
}
