/** The smallest possible client for the loop, called as `fetch` is. */

import type { ClientOutcome } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { HeaderRecord } from '../../../src/drivers/header-record.js';
import { acceptsStatus } from '../../../src/drivers/loop/begin.js';
import type {
  Abortable,
  BodyDeadline,
  Ending,
  Outgoing,
  PromiseExchange,
} from '../../../src/drivers/loop/exchange.js';
import { createRetrier, type Retrier } from '../../../src/index.js';
import type { LiveSession } from '../../../src/kernel/live-session.js';
import { allParts } from '../../../src/parts/all.js';
import { HandTime } from '../../adapters/hand-time.js';

export interface Answer {
  readonly status: number;
}

export interface Sent {
  readonly url: string;
  readonly headers: HeaderRecord;
  readonly signal: AbortSignal | undefined;
}

export type Fetch = (sent: Sent) => Promise<Answer>;

export const url = 'https://a.example/things';
const facts = { method: 'GET', origin: 'https://a.example', path: '/things', keyed: false };
const soon: PolicyOptions = { schedule: { kind: 'fixed', waitMs: 5, jitter: 'none' } };

/** The calls that the loop made, in order. */
export class Toy implements PromiseExchange<Answer> {
  readonly time = new HandTime();
  readonly sent: Sent[] = [];
  readonly log: string[] = [];
  readonly retrier: Retrier;
  readonly session: LiveSession;
  readonly body = undefined;
  readonly isSendableTwice = true;
  readonly parts = allParts;
  deadline: BodyDeadline | undefined = undefined;
  stopFollowing: (() => void) | undefined = undefined;
  private readonly following = new Map<Answer, () => void>();
  private readonly fetch: Fetch;
  private readonly signal: AbortSignal | undefined;
  private next = { url, headers: { accept: 'text/plain' } as HeaderRecord };

  constructor(options: PolicyOptions, fetch: Fetch, signal?: AbortSignal) {
    this.retrier = createRetrier({ ...soon, ...options }, this.time.ports);
    this.session = this.retrier.open(facts) as LiveSession;
    this.fetch = fetch;
    this.signal = signal;
  }

  /** How many other requests were answered before, and after how many milliseconds each. */
  answerBefore(count: number, ms: number): void {
    for (let number = 0; number < count; number += 1) {
      const session = this.retrier.open(facts) as LiveSession;
      session.tail?.sent(1);
      this.time.now += ms;
      if (!session.acceptAtOnce(200)) session.next({ kind: 'response', status: 200 }, { replayable: true });
    }
  }

  get isAborted(): boolean {
    return this.signal?.aborted === true;
  }

  onAbort(listener: (reason: unknown) => void): () => void {
    const onAbort = (): void => listener(this.signal?.reason);
    this.signal?.addEventListener('abort', onAbort);
    return () => this.signal?.removeEventListener('abort', onAbort);
  }

  abortError(): unknown {
    return this.signal?.reason;
  }

  outgoing(): Outgoing<Answer> {
    return {
      prepare: (_body, extra) => {
        const { url, headers } = this.next;
        this.next = { url, headers: { ...headers, ...extra } };
      },
      changes: {
        target: () => ({ ...this.next, headers: Object.entries(this.next.headers) }),
        change: (headers, elsewhere) => {
          this.log.push(elsewhere === undefined ? 'same url' : 'other url');
          this.next = { url: elsewhere ?? this.next.url, headers };
        },
      },
      sendApart: (signal, extra) => this.send(signal, extra),
      close: ({ kind }) => this.log.push(`closed with ${kind}`),
    };
  }

  send(signal = this.signal, extra: HeaderRecord = {}): Promise<Answer> {
    const { url, headers } = this.next;
    const sent = { url, headers: { ...headers, ...extra }, signal };
    this.sent.push(sent);
    return this.fetch(sent);
  }

  breakOff(abort: () => void): void {
    abort();
  }

  whenRead(answer: Answer, _sent: Abortable, done: () => void): void {
    this.following.set(answer, done);
    this.stopFollowing = done;
  }

  accepts({ status }: Answer): boolean {
    return acceptsStatus(this.session, status, this.parts.node);
  }

  statusOf({ status }: Answer): number {
    return status;
  }

  outcomeOf(ending: Ending<Answer>): ClientOutcome | Promise<ClientOutcome> {
    if (ending.kind === 'error') return { ...ending, aborted: this.isAborted };
    // It may have to be read for a hint first.
    return Promise.resolve({ kind: 'response', status: ending.response.status, headers: {} });
  }

  lightened(error: unknown): unknown {
    return error;
  }

  release(ending: Ending<Answer>): undefined {
    if (ending.kind === 'response') this.following.get(ending.response)?.();
    this.log.push(ending.kind === 'response' ? `released ${ending.response.status}` : 'released nothing');
  }

  whenBodyEnds(_ending: Ending<Answer>, done: () => void): void {
    done();
  }

  unread(ending: Ending<Answer>): object | undefined {
    return ending.kind === 'response' ? ending.response : undefined;
  }

  coverBody(_ending: Ending<Answer>, deadline: BodyDeadline): void {
    this.deadline = deadline;
  }

  ownError<E extends Error>(error: E): E {
    return error;
  }
}
