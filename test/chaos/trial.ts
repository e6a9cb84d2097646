/** One request of a run, and its result. */

import { Readable } from 'node:stream';
import type { Decision, RequestEvent } from '../../src/index.js';
import { type Answer, BrokenBody, type Client, type Outgoing } from './clients.js';
import { orderText } from './orders.js';

/** `keyed` by its caller, or `keyed later` by a rule of the policy. */
export type Manner = 'read' | 'write' | 'keyed' | 'keyed later';

/** Half of these may always be sent again. */
const manners: readonly Manner[] = ['read', 'write', 'keyed', 'read', 'write', 'keyed later'];

/** The policy's rule that adds keys. */
export const keyingRule = { match: 'POST /keyed-later/:id', idempotencyKey: true } as const;

export class Trial {
  readonly id: number;
  readonly manner: Manner;
  readonly decisions: Decision[] = [];
  /** Attempts that were sent while another one was out. */
  hedges = 0;
  /** How often listeners have heard that it was over. */
  ends = 0;
  answer: Answer | undefined = undefined;
  error: unknown = undefined;
  isSettled = false;

  constructor(id: number) {
    this.id = id;
    this.manner = manners[id % manners.length] ?? 'read';
  }

  async run(client: Client, signal: AbortSignal): Promise<void> {
    try {
      this.answer = await client.send(this.#outgoing, signal);
    } catch (error) {
      this.error = error;
    }
    this.isSettled = true;
  }

  /** Of the answer that the caller got, also if it is an error of its client. */
  get status(): number | undefined {
    const { response } = Object(this.error) as { readonly response?: { readonly status: number } };
    return this.answer?.status ?? response?.status;
  }

  /** True if the caller got a success. */
  get isDone(): boolean {
    return this.answer?.status === 200;
  }

  /** True if it failed before its first attempt. */
  get isTurnedAway(): boolean {
    const { error, decisions } = this;
    return error !== undefined && !(error instanceof BrokenBody) && decisions.length === 0;
  }

  get retries(): number {
    return this.decisions.filter(({ action }) => action === 'retry').length;
  }

  get #outgoing(): Outgoing {
    const { id, manner } = this;
    const path = manner === 'keyed later' ? `/keyed-later/${id}` : `/things/${id}`;
    if (manner === 'read') return { method: 'GET', path, headers: {}, body: null };
    const text = orderText(id);
    const headers = manner === 'keyed' ? { 'idempotency-key': callersKey(id) } : {};
    return { method: 'POST', path, headers, body: id % 4 === 1 ? Readable.from([text]) : text };
  }
}

export function callersKey(id: number): string {
  return `key of ${id}`;
}

/** The id of the request that an event is about. */
export function idOf({ request }: RequestEvent): number {
  return Number(request.url.split('/').at(-1));
}
