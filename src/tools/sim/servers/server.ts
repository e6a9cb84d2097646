/** The interface between a server and its host. */

import type { ErrorOutcome, ResponseOutcome } from '../../../index.js';
import type { Purpose } from '../luck.js';

export interface Server {
  /** Requests in progress, including those of clients that have left. */
  readonly concurrency: number;
  /** The delay of the last answer. */
  readonly delayMs: number;
  arrive(visit: number): void;
  /** Called when the time that the server asked for is over. */
  tick(visit: number): void;
  /** Called when the next service has answered, if this server waits for that. */
  continue?(visit: number): void;
  /** Called after a crash: the server forgets the requests in progress. */
  forget(): void;
}

export interface Host {
  readonly now: number;
  readonly slowness: number;
  /** The path of the attempt. */
  pathOf(visit: number): string;
  /** From [0, 1): the same for the same attempt of the same request, whatever the policy. */
  draw(visit: number, purpose: Purpose): number;
  /** The same for every attempt of one request. */
  drawOfRequest(visit: number, purpose: Purpose): number;
  /** A worker starts on it only now: until now, it waited for one. */
  work(visit: number): void;
  /** An event with an older stamp is about a visit that is over. */
  stampOf(visit: number): number;
  /** Time since the server started to work on it. */
  elapsed(visit: number): number;
  /** Asks for a tick after this time, or later while a fault slows the server. */
  later(delayMs: number, visit: number): void;
  /** Asks for a tick after this time, whether or not the server is slow. */
  again(delayMs: number, visit: number): void;
  answer(visit: number, outcome: ResponseOutcome | ErrorOutcome): void;
  /** Whether the next service has to answer before this one can. */
  goesOn?(visit: number): boolean;
  ignore(visit: number): void;
}

export const done: ResponseOutcome = { kind: 'response', status: 200 };
export const refused: ErrorOutcome = errorOf('ECONNREFUSED', 'connect');
export const cutOff: ErrorOutcome = errorOf('ECONNRESET', 'read');

/** A failure that may have a Retry-After. */
export function refusalOf(status: number, retryAfter: number | false): ResponseOutcome {
  if (retryAfter === false) return { kind: 'response', status };
  return { kind: 'response', status, headers: { 'retry-after': String(retryAfter) } };
}

/** The error that Node raises. */
function errorOf(code: string, syscall: string): ErrorOutcome {
  return { kind: 'error', error: { name: 'Error', code, syscall, message: syscall } };
}
