/** The ways in which a client's callers abort, and the listeners that are left. */

import type { Asked, Send, Way } from './subject.js';

export interface Caller {
  /** The options that go with the request. */
  readonly asked: Asked;
  giveUp(): void;
  /** The number of listeners that are left. */
  listeners(): number;
  /** The error that the caller must get; `isSending`: the client's own error, while an attempt is under way. */
  expectError(error: unknown, isSending?: boolean): void;
}

/** A way to send, and the ways to abort it. */
export interface GivingUp {
  readonly name: string;
  readonly way: Way;
  /** The same without retries; undefined where that does not work. */
  readonly bare: (() => Send) | undefined;
  readonly plain: readonly (readonly [name: string, make: () => Caller])[];
  /** Rarer ways, tested in fewer scenes: with reasons, or with more than one signal. */
  readonly rare: readonly (readonly [name: string, make: () => Caller])[];
  /** A caller with this signal, which the test aborts. */
  readonly bySignal: (signal: AbortSignal) => Pick<Caller, 'asked' | 'expectError'>;
  /** Whether a function may make a body. */
  readonly takesFactories: boolean;
}
