/** One call of a script: how it is made, when it is aborted, and everything that is known at its end. */

import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { RequestEvent } from '../../../src/index.js';
import type { Received } from '../../faults/lab.js';
import { endlessHeader, type FuzzPlay, ledThere, sentBytes } from '../fuzz/plays.js';
import type { Platform } from './fuzz-platform.js';
import type { AbortMoment, FuzzCall } from './fuzz-script.js';

interface Arrived {
  readonly request: Received;
  readonly play: FuzzPlay;
}

/** The caller's view of a call. */
export interface Seen {
  readonly response?: Response;
  readonly error?: unknown;
}

export class Trial {
  readonly call: FuzzCall;
  readonly arrivals: Arrived[] = [];
  readonly events: RequestEvent[] = [];
  readonly #caller = new AbortController();
  readonly reason = new Error('the caller left');
  /** The results of the fetch underneath. */
  readonly given: unknown[] = [];
  /** What was sent through a wrapper. Without one, the attempts are what arrived. */
  sent = 0;
  atAbort: { readonly attempts: number; readonly decisions: number } | undefined = undefined;
  seen: Seen = {};
  /** The bytes that were read of the answer, and the error that ended it. */
  bytes: Buffer = Buffer.alloc(0);
  readError: unknown = undefined;
  /** The body's state at the call, and in the end. */
  usage: unknown[] = [];
  /** Changes to the caller's own objects. */
  changes: string[] = [];
  #isSettled = false;
  #hasBegun = false;

  constructor(call: FuzzCall) {
    this.call = call;
  }

  get attempts(): number {
    return Math.max(this.sent, this.asked.length);
  }

  get isWhole(): boolean {
    return this.seen.response !== undefined && this.readError === undefined && this.call.reads === 'all';
  }

  get listeners(): number {
    return getEventListeners(this.#caller.signal, 'abort').length;
  }

  /** Aborts if this is the moment to do so. */
  hear(moment: AbortMoment, n: number): void {
    const { abort } = this.call;
    if (abort?.on === moment && (moment === 'head' || abort.n === n)) this.#abort();
  }

  #abort(): void {
    if (!this.#hasBegun || this.#isSettled || this.atAbort !== undefined) return;
    const decisions = this.events.filter(({ type }) => type === 'decision').length;
    this.atAbort = { attempts: this.attempts, decisions };
    this.#caller.abort(this.reason);
  }

  /** What arrived of the request itself, not what a redirect or a wrapper asked elsewhere. */
  get asked(): readonly Arrived[] {
    return this.arrivals.filter(({ request }) => !request.path.includes(ledThere));
  }

  async run(
    doFetch: typeof fetch,
    url: string,
    number: number,
    platform: Platform,
    dispatcher: object | undefined,
  ): Promise<void> {
    const { abort, retry } = this.call;
    const init = this.#initOf(number, platform, dispatcher);
    const before = { ...init, headers: { ...init.headers } };
    this.#hasBegun = true;
    if (abort?.on === 'before') this.#abort();
    const [input, given] = platform.asked(this.call, url, init, retry);
    const asked = doFetch(input as string, given);
    // With `redirect: 'error'`, Node's fetch locks a stream a little later.
    this.usage.push(this.call.redirect === 'error' ? Object(input).bodyUsed : usageOf(input, init.body));
    const timer = abort?.on === 'time' ? globalThis.setTimeout(() => this.#abort(), abort.n) : undefined;
    try {
      const response = await asked;
      this.seen = { response };
      this.usage.push(response.bodyUsed);
      this.hear('head', 1);
      await this.#read(response);
    } catch (error) {
      if (this.seen.response === undefined) this.seen = { error };
      else this.readError = error;
    }
    this.#isSettled = true;
    clearTimeout(timer);
    this.usage.push(Object(input).bodyUsed);
    for (const [key, value] of Object.entries(before)) {
      const now = init[key as keyof typeof init];
      const isSame = key === 'headers' ? JSON.stringify(now) === JSON.stringify(value) : now === value;
      if (!isSame) this.changes.push(key);
    }
  }

  async #read(response: Response): Promise<void> {
    const isEndless = response.headers.has(endlessHeader);
    if (this.call.reads === 'all' && !isEndless) {
      this.bytes = Buffer.from(await response.arrayBuffer());
      return;
    }
    if (this.call.reads === 'a part') {
      const reader = response.body?.getReader();
      const part = await reader?.read();
      this.bytes = Buffer.from(part?.value ?? []);
      await reader?.cancel();
      return;
    }
    await setImmediate();
    await response.body?.cancel();
  }

  #initOf(number: number, { FormData }: Platform, dispatcher: object | undefined) {
    const { method, isKeyed, redirect, body } = this.call;
    const headers = { 'x-call': String(number), ...(isKeyed && { 'Idempotency-Key': `of ${number}` }) };
    const made = bodyOf(body.form, sentBytes(body.bytes), FormData);
    const isStream = /stream|iterable/.test(body.form);
    return {
      method,
      headers,
      redirect,
      signal: this.#caller.signal,
      ...(made !== undefined && { body: made }),
      ...(isStream && { duplex: 'half' }),
      ...(dispatcher !== undefined && { dispatcher }),
    };
  }
}

/** The visible state of the caller's body; none for a body that can be sent repeatedly. */
function usageOf(input: unknown, body: unknown): unknown {
  const { bodyUsed } = Object(input) as { bodyUsed?: boolean };
  return [bodyUsed, body instanceof ReadableStream ? body.locked : undefined];
}

function bodyOf(form: FuzzCall['body']['form'], bytes: Buffer, Form: typeof FormData): unknown {
  const parts = [bytes.subarray(0, 700), bytes.subarray(700)].filter((part) => part.length > 0);
  const stream = () =>
    new ReadableStream({
      pull(controller) {
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(Uint8Array.from(part));
      },
    });
  switch (form) {
    case 'none':
      return undefined;
    case 'text':
      return bytes.toString();
    case 'bytes':
      return Uint8Array.from(bytes);
    case 'blob':
      return new Blob([Uint8Array.from(bytes)]);
    case 'params':
      return new URLSearchParams({ a: bytes.toString() });
    case 'form': {
      const made = new Form();
      made.append('a', bytes.toString());
      return made;
    }
    case 'stream':
      return stream();
    case 'iterable':
      return (async function* () {
        for (const part of parts) yield Uint8Array.from(part);
      })();
    case 'factory of streams':
      return async () => {
        await setImmediate();
        const whole = Uint8Array.from(bytes);
        return new ReadableStream({
          pull(controller) {
            controller.enqueue(whole);
            controller.close();
          },
        });
      };
  }
}
