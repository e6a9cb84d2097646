/** A dispatcher that only answers at once from memory, and handlers that only count. */

import type { Dispatcher } from 'undici';
import { undici, undiciVersion } from './undici-under-test.js';

const chunk = Buffer.from('hello');
/** One for all: an object for each answer would count as what a variant adds, unless the compiler leaves it out. */
const noTrailers = {};
const nothing: readonly Buffer[] = [];

interface CallingHandler {
  onRequestStart(controller: Controller, context: unknown): void;
  onResponseStart(controller: Controller, status: number, headers: object, text: string): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(controller: Controller, trailers: object): void;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The same as names and values in turn, as parsers give them. */
  readonly raw: readonly Buffer[];
  readonly chunks: number;
}

export function answerOf(status: number, chunks: number, more: Answer['headers'] = {}): Answer {
  const length = String(chunks * chunk.byteLength);
  const headers = { 'content-type': 'text/plain', 'content-length': length, ...more };
  const raw = Object.entries(headers).flatMap((pair) => pair.map((text) => Buffer.from(text)));
  return { status, headers, raw, chunks };
}

/**
 * Like the controller of a connection: a handler that pauses at the head gets the rest after it resumes. It has raw
 * headers, as undici's own controllers have since 7.27.2: over HTTP/1.1 and HTTP/2, of the MockAgent and of the cache.
 */
class Controller {
  paused = false;
  aborted = false;
  reason = null;
  rawHeaders: readonly Buffer[] | null = null;
  rawTrailers: readonly Buffer[] | null = null;
  private readonly answer: Answer;
  private readonly to: CallingHandler;
  private isDone = false;

  constructor(answer: Answer, to: CallingHandler) {
    this.answer = answer;
    this.to = to;
  }

  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
    this.giveBody();
  }
  abort(): void {}

  giveHead(text: string): void {
    const { status, headers, raw } = this.answer;
    this.rawHeaders = raw;
    this.to.onResponseStart(this, status, headers, text);
  }

  giveBody(): void {
    if (this.isDone) return;
    this.isDone = true;
    const { chunks } = this.answer;
    for (let index = 0; index < chunks; index += 1) this.to.onResponseData(this, chunk);
    this.rawTrailers = nothing;
    this.to.onResponseEnd(this, noTrailers);
  }
}

/** That of `request()` in undici 6 and 7. */
interface OldHandler {
  onConnect(abort: () => void): void;
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void, text: string): unknown;
  onData(chunk: Buffer): unknown;
  onComplete(trailers: readonly Buffer[]): void;
}

function giveOld({ status, raw, chunks }: Answer, to: OldHandler): true {
  to.onConnect(() => undefined);
  to.onHeaders(status, raw, () => undefined, 'OK');
  for (let index = 0; index < chunks; index += 1) to.onData(chunk);
  to.onComplete(nothing);
  return true;
}

/** Answers the handler, whatever it is. */
function give(answer: Answer, handler: unknown): true {
  const to = handler as CallingHandler;
  return to.onRequestStart === undefined ? giveOld(answer, handler as OldHandler) : giveNew(answer, to);
}

function giveNew(answer: Answer, to: CallingHandler): true {
  const controller = new Controller(answer, to);
  to.onRequestStart(controller, null);
  controller.giveHead(answer.status === 200 ? 'OK' : 'Service Unavailable');
  if (!controller.paused) controller.giveBody();
  return true;
}

class MemoryDispatcher extends undici.Dispatcher {
  protected readonly next: () => Answer;

  constructor(next: () => Answer) {
    super();
    this.next = next;
  }

  override dispatch(_options: unknown, handler: unknown): boolean {
    return give(this.next(), handler);
  }
}

export function memoryDispatcher(next: () => Answer): Dispatcher {
  return new MemoryDispatcher(next) as unknown as Dispatcher;
}

/** Up to undici 7, `request()` has handlers of the first generation, and connections call these. */
const isOld = Number.parseInt(undiciVersion, 10) < 8;

class MemoryConnection extends MemoryDispatcher {
  override dispatch(_options: unknown, handler: unknown): boolean {
    const answer = this.next();
    return isOld ? giveOld(answer, handler as OldHandler) : giveNew(answer, handler as CallingHandler);
  }
}

/** An Agent with what it does to the handlers of its undici, over connections that answer at once from memory. */
export function memoryAgent(next: () => Answer): Dispatcher {
  return new undici.Agent({ factory: () => new MemoryConnection(next) as never });
}

/** What Node's own server adds to each answer. */
export const headersOfNode: Answer['headers'] = {
  date: 'Thu, 01 Jan 2026 00:00:00 GMT',
  connection: 'keep-alive',
  'keep-alive': 'timeout=5',
};

/**
 * An answer whose headers are parsed whenever they are asked for. undici does so for each request, except that undici 6
 * and 7 leave it to `request()` if nothing is composed: so an interceptor costs that, too, whatever it does.
 */
export function parsedAnew(answer: Answer): Answer {
  const { status, raw, chunks } = answer;
  return {
    status,
    get headers() {
      return undici.util.parseHeaders(raw as Buffer[]) as Answer['headers'];
    },
    raw,
    chunks,
  };
}

/** Its answers come in a later turn of the event loop than the attempts are sent in, as those of servers do. */
export class LateDispatcher extends undici.Dispatcher {
  private readonly answer: Answer;
  private unanswered: Controller[] = [];

  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }

  override dispatch(_options: unknown, handler: unknown): boolean {
    const to = handler as CallingHandler;
    const controller = new Controller(this.answer, to);
    to.onRequestStart(controller, null);
    this.unanswered.push(controller);
    return true;
  }

  answerAll(): void {
    const all = this.unanswered;
    this.unanswered = [];
    for (const controller of all) {
      controller.giveHead('OK');
      controller.giveBody();
    }
  }
}

/** How much all counting handlers have received. */
export const received: { sum: number; answers: number } = { sum: 0, answers: 0 };

/** The handler of the caller. */
export class CountingHandler implements CallingHandler {
  controller: unknown = undefined;

  onRequestStart(controller: unknown): void {
    this.controller = controller;
  }
  onResponseStart(_controller: unknown, status: number): void {
    received.sum += status;
  }
  onResponseData(_controller: unknown, data: Buffer): void {
    received.sum += data.length;
  }
  onResponseEnd(): void {
    received.answers += 1;
  }
  onResponseError(_controller: unknown, error: Error): void {
    throw error;
  }
}

class OldCountingHandler implements OldHandler {
  abort: unknown = undefined;

  onConnect(abort: unknown): void {
    this.abort = abort;
  }
  onHeaders(status: number): void {
    received.sum += status;
  }
  onData(data: Buffer): void {
    received.sum += data.length;
  }
  onComplete(): void {
    received.answers += 1;
  }
  onError(error: Error): void {
    throw error;
  }
}

/** Of the generation that `request()` of this undici has. */
export function countingHandler(): CountingHandler | OldCountingHandler {
  return isOld ? new OldCountingHandler() : new CountingHandler();
}
