/**
 * The interface between the suites in this folder and an adapter. Each file here is a theme, and vitest runs it once
 * for each adapter; the adapter's own folder has a `subject.ts`, and the tests for this adapter alone.
 */

import { beforeEach, expect, inject, test } from 'vitest';
import type { OverrideOptions, Policy, PolicyOptions, Retrier } from '../../../src/index.js';
import type { FaultLab } from '../../faults/faulty-server.js';
import type { Received } from '../../faults/ledger.js';
import type { Answer, Script } from '../../faults/play.js';
import type { Failures } from '../failure-rows.js';
import type { GivingUp } from './callers.js';
import { complaintsOf, type Skips, themeOf, titleOf, titlesOf } from './skips.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The adapter's folder. */
    readonly subject: string;
  }
}

/** The argument of everything that sends with retries. */
export type Given = PolicyOptions | Policy | Retrier;

export interface Asked {
  /** GET by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Any body that this client accepts. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly retry?: OverrideOptions | false;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The whole body; each byte is a letter if nothing had to be unpacked. */
  readonly text: string;
  /** The caller's result: a response, or the error in its place. */
  readonly given: unknown;
}

/**
 * Resolves with the answer that the client hands over, whatever its status, and throws the client's error if there is
 * none.
 */
export type Send = (url: string, asked?: Asked) => Promise<Reply>;

/** One of the ways in which a client sends. Everything opened here is closed when the test ends. */
export interface Way {
  readonly name: string;
  /** Retries with waits of 1 ms, unless another policy is given. */
  readonly client: (given?: Given) => Send;
  /** The same for callers that read the body as it comes. Absent: `client` is for those. */
  readonly streaming?: (given?: Given) => Send;
  /** Opens a server for its protocol. */
  readonly open: (script: Script<Answer, Received>) => Promise<FaultLab<Answer>>;
  /** Whether a request can have the option `retry`. */
  readonly takesOverride: boolean;
  /** False if `historyOf` does not know the results, since nothing of ours reaches the caller. */
  readonly knowsHistory?: false;
  /** What happens to a body that the server has compressed. */
  readonly packedBodies: 'unpacked' | 'kept' | 'broken';
  /** The client listens to a caller's signal beyond the end of the request, also without us. */
  readonly keepsListening?: boolean;
  /** The client sends one request at a time, over its only connection. */
  readonly sendsOneAtATime?: boolean;
  /** The client rejects a GET with a body. */
  readonly refusesGetBodies?: boolean;
  /** The client's timeout also runs while a body is being sent. */
  readonly countsWhileSending?: boolean;
  /** The same without retries, with its own connections. */
  readonly bare?: () => Send;
  /** With retries and without, over the same connections. */
  readonly beside?: (given?: Given) => { readonly send: Send; readonly bare: Send };
  /** The client goes on sending while the caller reads the answer, so the request's body stays open as long. */
  readonly sendsOn?: boolean;
  /** The client accepts web streams as bodies. */
  readonly takesWebStreams?: boolean;
  /** The client accepts iterables as bodies, too. */
  readonly takesIterables?: boolean;
  /** Names, as used by a suite, of server behaviour that this version of the client misinterprets. */
  readonly misreads?: readonly string[];
  /** It may send anything, so nothing that becomes of a POST proves that it may be sent again. */
  readonly provesNothing?: boolean;
}

export interface Subject {
  readonly name: 'undici' | 'axios' | 'fetch';
  /** The client that the tests loaded, from the package of its name. `is`: whether a module is that client. */
  readonly underTest: {
    readonly name: 'undici' | 'axios';
    readonly version: string;
    is(module: unknown): boolean;
  };
  /** The most common way, used by all cases that name none. */
  readonly client: Way['client'];
  /** All ways over HTTP/1.1, for behaviour that each of them could break; the first is the plain one. */
  readonly ways: readonly [Way, ...Way[]];
  /** The same over HTTP/2, if the client under test supports it. */
  readonly overH2: readonly Way[];
  /** Ways that accept a Node stream as a body. */
  readonly uploading: readonly Way[];
  /** Ways that trust a server that cuts off its first TLS handshake. */
  readonly cutShort: readonly Way[];
  /** Ways whose client waits for only 200 ms. */
  readonly impatient: readonly Way[];
  /** Ways that differ in how they are aborted. */
  readonly givingUp: readonly GivingUp[];
  readonly failures: () => Promise<Failures>;
  /** The point at which an attempt's timeout stops. */
  readonly attemptEnds: 'with the head' | 'with the body';
  /** Whether an attempt that timed out is known to have had no connection. */
  readonly knowsUnsent: boolean;
  /** Answers with these statuses and the text `said`, without a server. */
  readonly mocked: (
    statuses: readonly number[] | 'silence',
    given: Given,
  ) => { readonly send: Send; readonly attempts: () => number };
  /**
   * Source for programs in their own processes, with `undaunted`, the `client` and the `origin` in scope. It declares
   * `get(policy, asked, way)`, which resolves with the status or the error's code, and `close()`.
   */
  readonly program: string;
  readonly programWays: readonly string[];
  /**
   * The same for answers that are dropped unread: it declares `dropping(policy, way)`, which returns a function that
   * sends a request and looks only at the head. Absent: this client itself leaves such connections to the caller.
   */
  readonly dropping?: { readonly program: string; readonly ways: readonly string[] };
  /** Ways whose answers come without what the client has made them of. */
  readonly collectable?: readonly Way[];
  /** The caller's own error that the client has wrapped in this one; undefined if the client does not wrap it. */
  readonly unwrapped?: (error: unknown) => unknown;
  /** The code of the error after an abort. */
  readonly abortCode: string;
  /** Checks what this client's callers expect of every response and error, including ours. */
  readonly expectOwn: (given: unknown, asked: Asked) => void;
  /** The name that callers of this client use for the option `retry`. */
  readonly overrideStandsIn: string;
  /** Absent: this adapter sends no hedges yet. */
  readonly hedges?: true;
  /** Absent: this adapter does not wait for the beginnings of streams yet. */
  readonly startsStreams?: true;
  readonly skips: Skips;
}

/** The adapter under test. To be called once, at the top of a suite. */
export async function theSubject(): Promise<Subject> {
  const name = inject('subject');
  const { subject } = (await import(`../${name}/subject.ts`)) as { readonly subject: Subject };
  // With `isolate: false`, this module is loaded once, but each file has hooks of its own.
  beforeEach(({ task }) => {
    // The case runs nevertheless: vitest reports one that passes as an error.
    if (titleOf(task) in subject.skips) Object.assign(task, { fails: true });
  });
  test('each skip has a reason, and a case', ({ task: { file } }) => {
    expect(complaintsOf(themeOf(file), titlesOf(file.tasks), subject.skips)).toEqual([]);
  });
  return subject;
}
