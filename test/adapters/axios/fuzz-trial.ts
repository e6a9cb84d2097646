/** One call of a script: how it is made, when it is aborted, and everything that is known at its end. */

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
import type { RequestEvent } from '../../../src/index.js';
import type { Received } from '../../faults/lab.js';
import { type FuzzPlay, ledThere, sentBytes } from '../fuzz/plays.js';
import { bySignal, byToken, type Caller } from './callers.js';
import { axios, version } from './client.js';
import type { AbortMoment, FuzzCall } from './fuzz-script.js';

interface Arrived {
  readonly request: Received;
  readonly play: FuzzPlay;
}

/** One call, and everything that is known about it. */
export class Trial {
  readonly call: FuzzCall;
  readonly arrivals: Arrived[] = [];
  readonly events: RequestEvent[] = [];
  readonly caller: Caller;
  config: AxiosRequestConfig = {};
  attempts = 0;
  /** The attempts and decisions up to the abort. */
  atAbort: { readonly attempts: number; readonly decisions: number } | undefined = undefined;
  bytes: Buffer = Buffer.alloc(0);
  response: AxiosResponse | undefined = undefined;
  error: unknown = undefined;
  hasBegun = false;
  isSettled = false;

  constructor(call: FuzzCall) {
    this.call = call;
    const isDeaf = version === '1.7.0';
    this.caller = call.abort?.by === 'token' && !isDeaf ? byToken(axios) : bySignal();
  }

  /** What arrived of the request itself, not what a redirect or an adapter asked elsewhere. */
  get asked(): readonly Arrived[] {
    return this.arrivals.filter(({ request }) => !request.path.includes(ledThere));
  }

  get isWhole(): boolean {
    return this.response !== undefined && this.error === undefined;
  }

  /** Aborts if this is the moment to do so. */
  hear(moment: AbortMoment, n: number): void {
    const { abort } = this.call;
    if (abort?.on === moment && abort.n === n) this.abort();
  }

  abort(): void {
    if (!this.hasBegun || this.isSettled || this.atAbort !== undefined) return;
    const decisions = this.events.filter(({ type }) => type === 'decision').length;
    this.atAbort = { attempts: this.attempts, decisions };
    this.caller.giveUp();
  }

  async run(instance: AxiosInstance, config: AxiosRequestConfig): Promise<void> {
    const { abort } = this.call;
    this.config = { ...config, data: dataOf(this.call), ...this.caller.config };
    this.hasBegun = true;
    const request = instance.request(this.config);
    if (abort?.on === 'before') this.abort();
    const timer = abort?.on === 'time' ? globalThis.setTimeout(() => this.abort(), abort.n) : undefined;
    try {
      this.response = await request;
      this.isSettled = true;
      this.bytes = await bytesOf(this.response.data as Uint8Array | AsyncIterable<Uint8Array>);
    } catch (error) {
      this.isSettled = true;
      this.error = error;
      // An unread stream occupies its connection.
      const { response } = Object(error) as {
        response?: { data?: { destroy?(): void; cancel?(): Promise<void> } };
      };
      response?.data?.destroy?.();
      await response?.data?.cancel?.();
    }
    clearTimeout(timer);
  }
}

function dataOf(call: FuzzCall): unknown {
  const bytes = sentBytes(call.body.bytes);
  const readable = () => Readable.from([bytes.subarray(0, 700), bytes.subarray(700)], { objectMode: false });
  switch (call.body.form) {
    case 'none':
      return undefined;
    case 'text':
      return bytes.toString();
    case 'bytes':
      return bytes;
    case 'blob':
      return new Blob([Uint8Array.from(bytes)]);
    case 'readable':
      return readable();
    case 'factory of readables':
      return async () => {
        await setImmediate();
        return readable();
      };
  }
}

async function bytesOf(data: Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array> | null): Promise<Buffer> {
  if (data === null) return Buffer.alloc(0);
  if (data instanceof ArrayBuffer || data instanceof Uint8Array) return Buffer.from(data as Uint8Array);
  const pieces: Uint8Array[] = [];
  for await (const piece of data) pieces.push(piece);
  return Buffer.concat(pieces);
}
