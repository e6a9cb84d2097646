/** The ways in which a client's callers give up, and what is left of them. */

import type { Asked, Send, Way } from './subject.js';

export interface Caller {
  /** What goes with the request. */
  readonly asked: Asked;
  giveUp(): void;
  /** Those who would still hear of it. */
  listeners(): number;
  /** What the caller is to get; `isSending`: as the client itself says it, while an attempt is under way. */
  expectError(error: unknown, isSending?: boolean): void;
}

/** A way to send, and how one may give it up. */
export interface GivingUp {
  readonly name: string;
  readonly way: Way;
  /** The same without retries; undefined where that does not work at all. */
  readonly bare: (() => Send) | undefined;
  readonly plain: readonly (readonly [name: string, make: () => Caller])[];
  /** The same with less: with reasons, or by more than one. */
  readonly rare: readonly (readonly [name: string, make: () => Caller])[];
  /** Whoever goes by this signal, whoever aborts it. */
  readonly bySignal: (signal: AbortSignal) => Pick<Caller, 'asked' | 'expectError'>;
  /** Whether a function may make a body. */
  readonly takesFactories: boolean;
}
