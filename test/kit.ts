/** What tests say again and again, in one word each. */

import type { PolicyOptions } from '../src/core/policy/options.js';
import { definePolicy } from '../src/core/policy/policy.js';
import type { Settings } from '../src/core/policy/settings.js';
import type {
  ErrorOutcome,
  Finding,
  HeadersLike,
  RequestFacts,
  ResponseOutcome,
  World,
} from '../src/core/types.js';
import type { Ports } from '../src/runtime/ports.js';

export const date: number = Date.UTC(2026, 2, 10, 12, 0, 0);

export function settingsOf(options: PolicyOptions = {}): Settings {
  return definePolicy(options).fallback.settings;
}

export function answered(status: number, headers: HeadersLike = {}): ResponseOutcome {
  return { kind: 'response', status, headers };
}

export function failed(error: unknown, more: Partial<ErrorOutcome> = {}): ErrorOutcome {
  return { kind: 'error', error, ...more };
}

/** An error as Node makes them: a message and a few properties. */
export function errorWith(properties: object, message = ''): Error {
  return Object.assign(new Error(message), properties);
}

export function requestOf(facts: Partial<RequestFacts> = {}): RequestFacts {
  return { method: 'GET', origin: 'https://api.example.com', path: '/things/1', keyed: false, ...facts };
}

/** A quiet afternoon: dice at the middle, nothing spent. */
export function worldOf(differences: Partial<World> = {}): World {
  return {
    request: { method: 'GET', keyed: false },
    replayable: true,
    startedAt: 0,
    now: 0,
    date,
    random: 0.5,
    budget: undefined,
    gateShut: false,
    verdict: undefined,
    ...differences,
  };
}

export const serverError: Finding = {
  kind: 'response',
  status: 503,
  class: 'transient',
  evidence: 'unknown',
  hint: undefined,
  aborted: false,
};

/** A clock that moves when it is told to, with everything that waits on it. */
export class VirtualTime {
  now = 0;
  readonly waiting: { readonly at: number; readonly wake: () => void }[] = [];

  ports(differences: Partial<Ports> = {}): Ports {
    return {
      now: () => this.now,
      date: () => date + this.now,
      random: () => 0.5,
      sleep: (delayMs, wake) => {
        const entry = { at: this.now + delayMs, wake };
        this.waiting.push(entry);
        return () => {
          const index = this.waiting.indexOf(entry);
          if (index !== -1) this.waiting.splice(index, 1);
        };
      },
      ...differences,
    };
  }

  /** Wakes everybody whose time comes, in order, and lets them go on before the next. */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    await settle();
    for (;;) {
      const due = this.waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.waiting.splice(this.waiting.indexOf(due), 1);
      this.now = Math.max(this.now, due.at);
      due.wake();
      await settle();
    }
    this.now = until;
    await settle();
  }
}

/** Lets everything that is already decided happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
