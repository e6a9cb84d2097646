/** Scripts for the fuzz. All of it is JSON, so that a failing script can be printed, shrunk and replayed. */

import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { HangUp } from '../../faults/lab.js';
import type { Tokens } from '../fuzz/credentials.js';

export interface FuzzScript {
  readonly agent: {
    readonly connections: number;
    readonly pipelining: number;
    readonly headersTimeout?: number;
    readonly bodyTimeout?: number;
  };
  /** A layer beneath ours that sends more than one request. */
  readonly layer?: 'redirects' | 'tokens';
  readonly policy: PolicyOptions;
  /** Credentials that expire, and the server that asks for them. */
  readonly tokens?: Tokens;
  readonly retryIf?: RetryIfName;
  readonly beforeRetry?: BeforeRetryName;
  /** What happens to the n-th connection before it is used; nothing to later ones. */
  readonly connects: readonly ConnectFault[];
  readonly calls: readonly FuzzCall[];
  /** True: all calls at once; false: one after the other. */
  readonly together: boolean;
  /** How the agent is ended when all calls are done. */
  readonly ends: 'close' | 'destroy';
}

export type RetryIfName =
  | 'undecided'
  | 'undecided later'
  | 'again after 503, later'
  | 'never, later'
  | 'throws'
  | 'rejects';
export type BeforeRetryName = 'adds a header' | 'adds a header later' | 'throws' | 'rejects';
export type ConnectFault = 'none' | 'fin' | 'rst' | 'silence';

export interface FuzzCall {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** The caller's own idempotency key. */
  readonly isKeyed: boolean;
  readonly body: FuzzBody;
  readonly expectContinue: boolean;
  /** The caller's own range: first and last byte. */
  readonly range?: readonly [number, number];
  /** The play for the n-th arrival of this call; the last one repeats. */
  readonly plays: readonly FuzzPlay[];
  readonly caller: FuzzCaller;
}

export interface FuzzBody {
  readonly form: BodyForm;
  readonly bytes: number;
  readonly chunkBytes: number;
  readonly isSlow: boolean;
  /** The source fails after this many bytes. */
  readonly breaksAt?: number;
  /** The caller declares the length. */
  readonly isDeclared: boolean;
}

export type BodyForm =
  | 'none'
  | 'text'
  | 'bytes'
  | 'blob'
  | OneShotForm
  | 'factory of text'
  | 'factory of generators';
export type OneShotForm = 'generator' | 'readable';

export type Through = 'dispatch 1' | 'dispatch 2' | 'request' | 'stream' | 'fetch' | 'built-in fetch';

export interface FuzzCaller {
  readonly through: Through;
  readonly reads: 'all' | 'slowly' | 'a part' | 'nothing';
  /** The size of a part; and where it pauses, if it does. */
  readonly atBytes: number;
  readonly pausesMs?: number;
  readonly throws?: 'at the start' | 'at the head' | 'at data' | 'at the end';
  readonly abort?: FuzzAbort;
}

export interface FuzzAbort {
  readonly on: AbortMoment;
  /** The n-th attempt, start, decision or wait; or a number of bytes or milliseconds. */
  readonly n: number;
  /** True: inside the callback; false: after it. */
  readonly isAtOnce: boolean;
  readonly hasReason: boolean;
}

export type AbortMoment =
  | 'before'
  | 'time'
  | 'attempt'
  | 'start'
  | 'sent'
  | 'decision'
  | 'wait'
  | 'head'
  | 'bytes';

// ---------------------------------------------------------------- the server's part

export type FuzzPlay = Serve | Refuse | Die | Hang | SendAway;

interface Timing {
  /** When the server answers: at the request's head, or after its body. */
  readonly at: 'head' | 'body';
  /** How long the server takes to begin. */
  readonly lateMs?: number;
}

/** A representation: its mark and length determine its bytes and its ETag. */
export interface Serve extends Timing {
  readonly does: 'serve';
  readonly mark: string;
  readonly bytes: number;
  readonly chunkBytes: number;
  readonly framing: 'length' | 'chunked';
  readonly tag: 'strong' | 'weak' | 'none';
  readonly takesRanges: boolean;
  /** How the server answers a range request, if it takes ranges. */
  readonly toRange: RangeAnswer;
  readonly cut?: { readonly after: number; readonly how: HangUp | 'stall' };
  readonly hasEarlyHints: boolean;
  /** It is a stream: of events, hardly one of which ever comes, or of lines, each of which is content. */
  readonly stream?: 'events' | 'lines';
  readonly afterwards: Afterwards;
}

export type RangeAnswer =
  | 'honest'
  | 'all again'
  | 'changed'
  | 'elsewhere'
  | 'longer'
  | 'shorter'
  | 'untagged'
  | '416';

export interface Refuse extends Timing {
  readonly does: 'refuse';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number | 'endless';
  readonly framing: 'length' | 'chunked';
  readonly isCut: boolean;
  readonly afterwards: Afterwards;
}

/** What happens to the connection after an answer. */
export type Afterwards =
  | 'nothing'
  | 'close'
  | 'fin later'
  | 'rst later'
  | '408 later'
  | 'fin in a race'
  | 'rst in a race';

export interface Die extends Timing {
  readonly does: 'die';
  readonly how: HangUp;
  readonly after: 'nothing' | 'early hints' | 'half a head' | 'garbage';
}

export interface Hang extends Timing {
  readonly does: 'hang';
  readonly after: 'nothing' | 'early hints' | 'half a head';
}

/** A redirect, or with 401 a request for a token; to this server or to where nothing listens. */
export interface SendAway extends Timing {
  readonly does: 'send away';
  readonly status: number;
  readonly to: 'here' | 'nowhere';
}

// ---------------------------------------------------------------- questions that several ask

/** The caller neither aborts nor pauses before it has everything. */
export function isPatient({ caller }: FuzzCall): boolean {
  const readsAll = caller.reads === 'all' || caller.reads === 'slowly';
  return readsAll && caller.throws === undefined && caller.abort === undefined;
}

export function isSafe({ method }: FuzzCall): boolean {
  return method !== 'POST';
}

/** A server that gives this status did not take the request. */
export function isRefusal(status: number): boolean {
  return status === 408 || status === 425 || status === 429;
}
