/**
 * What the suites of this folder ask of an adapter. Each file here is a theme, and vitest runs it once for each
 * adapter; the adapter's own folder holds a `subject.ts`, and the tests of what is its alone.
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

/** What everything that sends with retries may be given. */
export type Given = PolicyOptions | Policy | Retrier;

export interface Asked {
  /** GET, where there is none. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Whatever this client takes for a body. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly retry?: OverrideOptions | false;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** All of the body; a byte is a letter where nothing was to be unpacked. */
  readonly text: string;
  /** What the caller holds in the end: a response, or the error that stands for it. */
  readonly given: unknown;
}

/**
 * Resolves with the answer that the client hands over, whatever its status is, and throws what the client throws
 * where there is none.
 */
export type Send = (url: string, asked?: Asked) => Promise<Reply>;

/** One of the ways in which a client sends. What is opened here is closed when the test ends. */
export interface Way {
  readonly name: string;
  /** Retries with waits of 1 ms, unless it is given something else. */
  readonly client: (given?: Given) => Send;
  /** A server that speaks its protocol. */
  readonly open: (script: Script<Answer, Received>) => Promise<FaultLab<Answer>>;
  /** Whether `retry` can go with a request. */
  readonly takesOverride: boolean;
  /** Whether `historyOf` knows what it gives, unless this says that nothing of ours reaches the caller. */
  readonly knowsHistory?: false;
  /** What becomes of a body that the server has compressed. */
  readonly packedBodies: 'unpacked' | 'kept' | 'broken';
  /** It listens to a caller's signal longer than to the request's end, and does so without us. */
  readonly keepsListening?: boolean;
  /** Where a connection breaks, it opens the next one at once, for whatever may come. */
  readonly opensAhead?: boolean;
  /** A GET with a body is none of its requests. */
  readonly refusesGetBodies?: boolean;
  /** Its timeout counts while a body is on its way, too. */
  readonly countsWhileSending?: boolean;
  /** The same without retries, and connections of its own. */
  readonly bare?: () => Send;
  /** With retries and without, over the same connections. */
  readonly beside?: (given?: Given) => { readonly send: Send; readonly bare: Send };
  /** It goes on sending while its answer, which is the caller's, is read: what it sends stays open as long. */
  readonly sendsOn?: boolean;
  /** A web stream is one of its bodies. */
  readonly takesWebStreams?: boolean;
  /** Whatever can be iterated is one, too. */
  readonly takesIterables?: boolean;
  /** What a server does, as a suite names it, of which this version of the client makes something else. */
  readonly misreads?: readonly string[];
}

export interface Subject {
  readonly name: 'undici' | 'axios' | 'fetch';
  /** The client that the tests have loaded, from the package of its name. `is`: whether it is this module. */
  readonly underTest: {
    readonly name: 'undici' | 'axios';
    readonly version: string;
    is(module: unknown): boolean;
  };
  /** The way that most take, which all cases go that name none. */
  readonly client: Way['client'];
  /** All over HTTP/1.1, for behaviour that each of them could break; the first is the plain one. */
  readonly ways: readonly [Way, ...Way[]];
  /** The same over HTTP/2, where the client under test bears it. */
  readonly overH2: readonly Way[];
  /** Those that take a stream of Node's for a body. */
  readonly uploading: readonly Way[];
  /** Ways that trust a server of which the first TLS handshake is cut off. */
  readonly cutShort: readonly Way[];
  /** Ways in which the client itself waits for a fifth of a second only. */
  readonly impatient: readonly Way[];
  /** The ways that differ in how they are given up. */
  readonly givingUp: readonly GivingUp[];
  readonly failures: () => Promise<Failures>;
  /** When an attempt's time ends. */
  readonly attemptEnds: 'with the head' | 'with the body';
  /** Whether an attempt whose time is up is known to have had no connection. */
  readonly knowsUnsent: boolean;
  /** Answers with these statuses and the text `said`, without any server. */
  readonly mocked: (
    statuses: readonly number[] | 'silence',
    given: Given,
  ) => { readonly send: Send; readonly attempts: () => number };
  /**
   * For programs in processes of their own, which know `undaunted`, the `client` and the `origin`: it declares
   * `get(policy, asked, way)`, which tells of the status, or of the error's code, and `close()`.
   */
  readonly program: string;
  readonly programWays: readonly string[];
  /** The error of the caller's own that the client has wrapped in this one; without it, it comes itself. */
  readonly unwrapped?: (error: unknown) => unknown;
  /** The code of what a caller gets who gave up. */
  readonly abortCode: string;
  /** What this client's callers expect of every response and error, one of ours too. */
  readonly expectOwn: (given: unknown, asked: Asked) => void;
  /** The name by which its callers know the key `retry`. */
  readonly overrideStandsIn: string;
  readonly skips: Skips;
}

/** The adapter whose turn it is. To be called once, at the top of a suite. */
export async function theSubject(): Promise<Subject> {
  const name = inject('subject');
  const { subject } = (await import(`../${name}/subject.ts`)) as { readonly subject: Subject };
  // With `isolate: false`, this module is loaded once, but each file has hooks of its own.
  beforeEach(({ task }) => {
    // Run all the same: vitest makes an error of one that passes.
    if (titleOf(task) in subject.skips) Object.assign(task, { fails: true });
  });
  test('each skip has a reason, and a case', ({ task: { file } }) => {
    expect(complaintsOf(themeOf(file), titlesOf(file.tasks), subject.skips)).toEqual([]);
  });
  return subject;
}
