/**
 * The caller's end of a dispatch: handlers that record their callbacks, one for each generation. They are classes with
 * private fields, which a copied or borrowed handler could not read.
 */

import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { major, version } from './client.js';

export type Generation = 1 | 2;

/** The generation of callbacks that the undici under test uses itself. */
export const native: Generation = major === 6 ? 1 : 2;

const minor = Number(version.split('.')[1]);

/**
 * Before 7.27, undici 7 gives an interceptor only parsed headers, at first read as UTF-8, and does not tell handlers of
 * the second generation that a response began.
 */
export const isEarly7: boolean = major === 7 && minor < 27;

/** Before 7.5, undici 7's own interceptors were incomplete: responseError() failed by itself. */
export const failsAtErrors: boolean = major === 7 && minor < 5;

/** The caller's controls in both generations; the first one cannot pause through a controller. */
export interface Hold {
  abort(reason?: unknown): void;
  pause(): void;
  resume(): void;
}

/** What the caller does in a callback, after it was recorded. */
export interface Reactions {
  onStart?(hold: Hold): void;
  onHead?(status: number, hold: Hold): void;
  onData?(chunk: Buffer, hold: Hold): void;
  onEnd?(): void;
  onError?(error: unknown): void;
  onUpgrade?(socket: Duplex): void;
  onBodySent?(): void;
  onRequestSent?(): void;
  onResponseStarted?(): void;
}

export interface Recorder extends Dispatcher.DispatchHandler {
  /** Callbacks in order, in the words of the second generation: `start`, `head 200`, `data`, `end`, … */
  readonly calls: readonly string[];
  readonly rawHeaders: readonly string[][];
  readonly body: Buffer;
  readonly rawTrailers: readonly string[];
  readonly error: unknown;
  readonly socket: Duplex | undefined;
  readonly hold: Hold | undefined;
  /** Resolves with the first terminal callback. */
  readonly settled: Promise<void>;
}

export function recorder(generation: Generation, reactions: Reactions = {}): Recorder {
  return generation === 1 ? new FirstRecorder(reactions) : new SecondRecorder(reactions);
}

/** How many terminal callbacks the caller got. */
export function terminalCalls({ calls }: Recorder): number {
  return calls.filter((call) => call === 'end' || call === 'error' || call.startsWith('upgrade')).length;
}

abstract class Notes {
  readonly calls: string[] = [];
  readonly rawHeaders: string[][] = [];
  rawTrailers: string[] = [];
  error: unknown = undefined;
  socket: Duplex | undefined = undefined;
  hold: Hold | undefined = undefined;
  readonly settled: Promise<void>;
  protected readonly reactions: Reactions;
  readonly #chunks: Buffer[] = [];
  #settle: () => void = () => undefined;

  constructor(reactions: Reactions) {
    this.reactions = reactions;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  protected noteStart(hold: Hold): void {
    this.hold = hold;
    this.calls.push('start');
    this.reactions.onStart?.(hold);
  }

  protected noteHead(status: number, rawHeaders: unknown, hold: Hold): void {
    this.calls.push(`head ${status}`);
    this.rawHeaders.push(textsOf(rawHeaders));
    this.reactions.onHead?.(status, hold);
  }

  protected noteData(chunk: Buffer, hold: Hold): void {
    if (this.calls.at(-1) !== 'data') this.calls.push('data');
    this.#chunks.push(Buffer.from(chunk));
    this.reactions.onData?.(chunk, hold);
  }

  protected noteEnd(rawTrailers: unknown): void {
    this.calls.push('end');
    this.rawTrailers = textsOf(rawTrailers);
    this.#settle();
    this.reactions.onEnd?.();
  }

  protected noteError(error: unknown): void {
    this.calls.push('error');
    this.error = error;
    this.#settle();
    this.reactions.onError?.(error);
  }

  protected noteUpgrade(status: number, rawHeaders: unknown, socket: Duplex): void {
    this.calls.push(`upgrade ${status}`);
    this.rawHeaders.push(textsOf(rawHeaders));
    this.socket = socket;
    this.#settle();
    this.reactions.onUpgrade?.(socket);
  }

  onBodySent(): void {
    this.calls.push('body sent');
    this.reactions.onBodySent?.();
  }

  onRequestSent(): void {
    this.calls.push('request sent');
    this.reactions.onRequestSent?.();
  }

  onResponseStarted(): void {
    this.calls.push('response started');
    this.reactions.onResponseStarted?.();
  }
}

class SecondRecorder extends Notes implements Recorder {
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.noteStart(holdOf(controller));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.noteHead(status, controller.rawHeaders, holdOf(controller));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.noteData(chunk, holdOf(controller));
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.noteEnd(controller.rawTrailers);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.noteError(error);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    socket: Duplex,
  ): void {
    this.noteUpgrade(status, controller.rawHeaders, socket);
  }
}

/** The same object each time, so that a test can tell that the controller never changes. */
function holdOf(controller: Dispatcher.DispatchController): Hold {
  return controller as Hold;
}

class FirstRecorder extends Notes implements Recorder {
  #isPaused = false;
  #hold: Hold | undefined = undefined;
  #resume: () => void = () => undefined;

  onConnect(abort: (reason?: Error) => void): void {
    this.#hold = {
      abort: abort as Hold['abort'],
      pause: () => {
        this.#isPaused = true;
      },
      resume: () => {
        this.#isPaused = false;
        this.#resume();
      },
    };
    this.noteStart(this.#hold);
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    this.#resume = resume;
    this.noteHead(status, rawHeaders, this.#hold ?? noHold);
    return !this.#isPaused;
  }

  onData(chunk: Buffer): boolean {
    this.noteData(chunk, this.#hold ?? noHold);
    return !this.#isPaused;
  }

  onComplete(rawTrailers: string[] | null): void {
    this.noteEnd(rawTrailers);
  }

  onError(error: Error): void {
    this.noteError(error);
  }

  onUpgrade(status: number, rawHeaders: Buffer[] | string[] | null, socket: Duplex): void {
    this.noteUpgrade(status, rawHeaders, socket);
  }
}

const noHold: Hold = { abort: () => undefined, pause: () => undefined, resume: () => undefined };

/** Reads bytes as latin1, so that each of them shows. */
function textsOf(raw: unknown): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.flat().map((part) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)));
}

export interface Outcome {
  readonly error: unknown;
  readonly terminals: number;
}

/** The outcome, whether undici throws the error or reports it: it throws if there is no handler to report to. */
export async function outcomeOf(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  generation: Generation,
): Promise<Outcome> {
  const heard = recorder(generation);
  try {
    dispatcher.dispatch(options, heard);
  } catch (error) {
    return { error, terminals: 1 };
  }
  await heard.settled;
  return { error: heard.error, terminals: terminalCalls(heard) };
}
