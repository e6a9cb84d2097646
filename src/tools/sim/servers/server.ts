/** What a server is to the place where it stands, and what it may ask of it. */

import type { ErrorOutcome, ResponseOutcome } from '../../../index.js';
import type { Purpose } from '../luck.js';

export interface Server {
  /** Requests in progress, those of clients that have left included. */
  readonly concurrency: number;
  /** The last one's. */
  readonly delayMs: number;
  arrive(visit: number): void;
  /** The time that was asked for is over. */
  tick(visit: number): void;
  /** It crashed: what was in progress is none of its business any more. */
  forget(): void;
}

export interface Host {
  readonly now: number;
  readonly slowness: number;
  /** What the attempt asks for. */
  pathOf(visit: number): string;
  /** From [0, 1): the same for the same attempt of the same request, whatever the policy. */
  draw(visit: number, purpose: Purpose): number;
  /** By an older one, a visit is known to be over. */
  stampOf(visit: number): number;
  /** Since the server began with it. */
  elapsed(visit: number): number;
  /** A tick after this time, or more of it while everything is slow. */
  later(delayMs: number, visit: number): void;
  /** A tick after this time, however slow everything is. */
  again(delayMs: number, visit: number): void;
  answer(visit: number, outcome: ResponseOutcome | ErrorOutcome): void;
  ignore(visit: number): void;
}

export const done: ResponseOutcome = { kind: 'response', status: 200 };
export const refused: ErrorOutcome = errorOf('ECONNREFUSED', 'connect');
export const cutOff: ErrorOutcome = errorOf('ECONNRESET', 'read');

/** A failure that may say when to come again. */
export function refusalOf(status: number, retryAfter: number | false): ResponseOutcome {
  if (retryAfter === false) return { kind: 'response', status };
  return { kind: 'response', status, headers: { 'retry-after': String(retryAfter) } };
}

/** As Node has it. */
function errorOf(code: string, syscall: string): ErrorOutcome {
  return { kind: 'error', error: { name: 'Error', code, syscall, message: syscall } };
}
