/** A dispatcher that only answers at once from memory, and handlers that only count. */

import type { Dispatcher } from 'undici';
import { undici } from './undici-under-test.js';

const chunk = Buffer.from('hello');

interface CallingHandler {
  onRequestStart(controller: Controller, context: unknown): void;
  onResponseStart(controller: Controller, status: number, headers: object, text: string): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(controller: Controller, trailers: object): void;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: number;
}

export function answerOf(status: number, chunks: number): Answer {
  const headers = { 'content-type': 'text/plain', 'content-length': String(chunks * chunk.byteLength) };
  return { status, headers, chunks };
}

/** Like the controller of a connection: a handler that pauses at the head gets the rest after it resumes. */
class Controller {
  paused = false;
  aborted = false;
  reason = null;
  rawHeaders = null;
  rawTrailers = null;
  private readonly chunks: number;
  private readonly to: CallingHandler;
  private isDone = false;

  constructor(chunks: number, to: CallingHandler) {
    this.chunks = chunks;
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

  giveBody(): void {
    if (this.isDone) return;
    this.isDone = true;
    for (let index = 0; index < this.chunks; index += 1) this.to.onResponseData(this, chunk);
    this.to.onResponseEnd(this, {});
  }
}

/** That of `request()` in undici 6 and 7. */
interface OldHandler {
  onConnect(abort: () => void): void;
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void, text: string): unknown;
  onData(chunk: Buffer): unknown;
  onComplete(trailers: readonly Buffer[]): void;
}

function giveOld({ status, headers, chunks }: Answer, to: OldHandler): true {
  to.onConnect(() => undefined);
  const raw = Object.entries(headers).flatMap((pair) => pair.map((text) => Buffer.from(text)));
  to.onHeaders(status, raw, () => undefined, 'OK');
  for (let index = 0; index < chunks; index += 1) to.onData(chunk);
  to.onComplete([]);
  return true;
}

/** Answers the handler, whatever it is. */
function give(answer: Answer, handler: unknown): true {
  const { status, headers, chunks } = answer;
  const to = handler as CallingHandler;
  if (to.onRequestStart === undefined) return giveOld(answer, handler as OldHandler);
  const controller = new Controller(chunks, to);
  to.onRequestStart(controller, null);
  to.onResponseStart(controller, status, headers, status === 200 ? 'OK' : 'Service Unavailable');
  if (!controller.paused) controller.giveBody();
  return true;
}

class MemoryDispatcher extends undici.Dispatcher {
  private readonly next: () => Answer;

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

/** Its answers come in a later turn of the event loop than the attempts are sent in, as those of servers do. */
export class LateDispatcher extends undici.Dispatcher {
  private readonly answer: Answer;
  private unanswered: { readonly to: CallingHandler; readonly controller: Controller }[] = [];

  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }

  override dispatch(_options: unknown, handler: unknown): boolean {
    const to = handler as CallingHandler;
    const controller = new Controller(this.answer.chunks, to);
    to.onRequestStart(controller, null);
    this.unanswered.push({ to, controller });
    return true;
  }

  answerAll(): void {
    const all = this.unanswered;
    this.unanswered = [];
    for (const { to, controller } of all) {
      to.onResponseStart(controller, this.answer.status, this.answer.headers, 'OK');
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
