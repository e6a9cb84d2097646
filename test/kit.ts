/** Short names for what many tests need. */

import type { PolicyOptions } from '../src/core/policy/options.js';
import type { Settings } from '../src/core/policy/settings.js';
import type {
  ErrorOutcome,
  Finding,
  HeadersLike,
  RequestFacts,
  ResponseOutcome,
  World,
} from '../src/core/types.js';
import { acceptRetry, type LiveSession } from '../src/kernel/live-session.js';
import type { Ports } from '../src/kernel/ports.js';
import type { Session } from '../src/kernel/session.js';
import { definePolicy } from '../src/parts/all.js';

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

/** As a client accepts a response that asks about retries as well. */
export function accepts(session: Session, status: number): boolean {
  return session.acceptAtOnce(status) || acceptRetry(session as LiveSession, status);
}

/** A world in which nothing unusual happens: the draw is 0.5 and no budget is spent. */
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

/** A clock that moves only when a test says so, and wakes whatever waits for it. */
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

  /** Wakes all waits that end within this time, in order, and lets each one go on before the next. */
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

/** Runs all microtasks that are pending. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
