/** Makes one call as its script says, reads the answer, and reports what the caller got. */

import { Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { undici } from './client.js';
import type { FuzzCall, FuzzCaller } from './fuzz-script.js';
import { type Hold, recorder } from './generations.js';

/** The caller's controls during a call. */
export interface Hands {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Aborts a handler, which has no signal. */
  onAbort: (() => void) | undefined;
  readonly complain: (complaint: string) => void;
}

/** What the caller could read; `isWhole` if it was told that the body is complete. */
export interface Got {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  /** fetch resolves with a head without a body before it knows the end, which may still fail. */
  readonly isHeadOnly?: true;
  readonly error?: unknown;
}

export async function make(call: FuzzCall, dispatcher: Dispatcher, hands: Hands): Promise<Got> {
  try {
    switch (call.caller.through) {
      case 'dispatch 1':
        return await byDispatch(1, call, dispatcher, hands);
      case 'dispatch 2':
        return await byDispatch(2, call, dispatcher, hands);
      case 'request':
        return await byRequest(call, dispatcher, hands);
      case 'stream':
        return await byStream(call, dispatcher, hands);
      case 'fetch':
        return await byFetch(undici.fetch as unknown as typeof fetch, call, dispatcher, hands);
      case 'built-in fetch':
        return await byFetch(fetch, call, dispatcher, hands);
    }
  } catch (error) {
    return { bytes: Buffer.alloc(0), isWhole: false, error };
  }
}

function optionsOf({ method, expectContinue }: FuzzCall, { origin, path, headers, body }: Hands) {
  const options = {
    origin,
    path,
    method,
    headers: { ...headers },
    body,
    ...(expectContinue && { expectContinue }),
  };
  return options as Dispatcher.DispatchOptions;
}

/** Longer than any answer that ends. */
const tooMuch = 400_000;

function hasEnough({ reads, atBytes }: FuzzCaller, bytes: number): boolean {
  return bytes >= (reads === 'a part' ? atBytes : tooMuch);
}

// ---------------------------------------------------------------- dispatch

async function byDispatch(
  generation: 1 | 2,
  call: FuzzCall,
  dispatcher: Dispatcher,
  hands: Hands,
): Promise<Got> {
  const { caller } = call;
  const throwAt = (moment: FuzzCaller['throws']): void => {
    if (caller.throws === moment) throw new Error(`thrown by the caller ${moment}`);
  };
  let isPaused = false;
  let pausesLeft = 3;
  const pause = (hold: Hold): void => {
    if (caller.pausesMs === undefined || pausesLeft === 0) return;
    pausesLeft -= 1;
    isPaused = true;
    hold.pause();
    void setTimeout(caller.pausesMs).then(() => {
      isPaused = false;
      hold.resume();
    });
  };
  const reader = recorder(generation, {
    onStart(hold) {
      hands.onAbort = () => hold.abort(hands.signal.reason);
      throwAt('at the start');
      if (hands.signal.aborted) hands.onAbort();
    },
    onHead(status, hold) {
      if (status < 200) return;
      throwAt('at the head');
      pause(hold);
      if (caller.reads === 'nothing') hold.abort();
    },
    onData(_chunk, hold) {
      if (isPaused) hands.complain('data for a caller who paused');
      throwAt('at data');
      pause(hold);
      if (hasEnough(caller, reader.body.length)) hold.abort();
    },
    onEnd: () => throwAt('at the end'),
  });
  dispatcher.dispatch(optionsOf(call, hands), reader);
  await reader.settled;
  return { bytes: reader.body, isWhole: reader.calls.includes('end'), error: reader.error };
}

// ---------------------------------------------------------------- request()

async function byRequest(call: FuzzCall, dispatcher: Dispatcher, hands: Hands): Promise<Got> {
  const { caller } = call;
  const { body } = await dispatcher.request({
    ...optionsOf(call, hands),
    signal: hands.signal,
    ...(caller.reads === 'slowly' && { highWaterMark: 1_000 }),
  } as Dispatcher.RequestOptions);
  // Even a caller that reads nothing gets errors.
  body.on('error', () => undefined);
  if (caller.pausesMs !== undefined) await setTimeout(caller.pausesMs);
  if (caller.reads === 'nothing') body.destroy();
  return readAll(body, caller);
}

async function readAll(body: AsyncIterable<Uint8Array>, caller: FuzzCaller): Promise<Got> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      bytes += piece.length;
      // Leaving the loop destroys the body.
      if (hasEnough(caller, bytes)) return { bytes: Buffer.concat(pieces), isWhole: false };
      if (caller.reads === 'slowly') await setImmediate();
    }
  } catch (error) {
    return { bytes: Buffer.concat(pieces), isWhole: false, error };
  }
  return { bytes: Buffer.concat(pieces), isWhole: true };
}

// ---------------------------------------------------------------- stream()

async function byStream(call: FuzzCall, dispatcher: Dispatcher, hands: Hands): Promise<Got> {
  const { caller } = call;
  const sink = new Sink(caller);
  const options = { ...optionsOf(call, hands), signal: hands.signal } as Dispatcher.RequestOptions;
  try {
    await dispatcher.stream(options, () => {
      if (caller.throws === 'at the head') throw new Error('thrown by the caller at the head');
      if (caller.reads === 'nothing') sink.destroy();
      return sink;
    });
    return { bytes: sink.bytes, isWhole: true };
  } catch (error) {
    return { bytes: sink.bytes, isWhole: false, error };
  }
}

class Sink extends Writable {
  readonly #caller: FuzzCaller;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(caller: FuzzCaller) {
    super({ highWaterMark: caller.reads === 'slowly' ? 1_000 : 65_536 });
    this.#caller = caller;
    this.on('error', () => undefined);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  override _write(piece: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const { reads, pausesMs } = this.#caller;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (hasEnough(this.#caller, this.#bytes)) done(new Error('the caller has enough'));
    else if (pausesMs !== undefined && this.#pieces.length === 1)
      void setTimeout(pausesMs).then(() => done());
    else if (reads === 'slowly') void setImmediate().then(() => done());
    else done();
  }
}

// ---------------------------------------------------------------- fetch()

async function byFetch(
  fetchIt: typeof fetch,
  { method, caller }: FuzzCall,
  dispatcher: Dispatcher,
  { origin, path, headers, body, signal }: Hands,
): Promise<Got> {
  const options = { method, headers, body, signal, dispatcher, duplex: 'half' };
  const response = await fetchIt(`${origin}${path}`, options as RequestInit);
  if (response.body === null) return { bytes: Buffer.alloc(0), isWhole: true, isHeadOnly: true };
  if (caller.pausesMs !== undefined) await setTimeout(caller.pausesMs);
  if (caller.reads === 'nothing') {
    await response.body.cancel();
    return { bytes: Buffer.alloc(0), isWhole: false };
  }
  return readAll(response.body as AsyncIterable<Uint8Array>, caller);
}
