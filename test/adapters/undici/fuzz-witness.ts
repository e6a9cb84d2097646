/**
 * Watches both sides of `retry()` for one call: above it, where the caller's handler is called, and below it, where
 * attempts are sent. Records what must never happen, and reports it.
 */

import type { Dispatcher } from 'undici';
import type { AbortMoment } from './fuzz-script.js';

type Interceptor = Dispatcher.DispatcherComposeInterceptor;

/** Common names for the callbacks of both generations. */
export const words: Readonly<Record<string, 'start' | 'head' | 'data' | 'end' | 'error' | 'sent'>> = {
  onConnect: 'start',
  onRequestStart: 'start',
  onHeaders: 'head',
  onResponseStart: 'head',
  onData: 'data',
  onResponseData: 'data',
  onComplete: 'end',
  onResponseEnd: 'end',
  onError: 'error',
  onResponseError: 'error',
  onRequestSent: 'sent',
};

export interface WitnessedHead {
  readonly status: number;
  header(name: string): string | undefined;
}

export class Witness {
  readonly complaints: string[] = [];
  /** Dispatches by the caller. */
  dispatches = 0;
  /** Attempts that `retry()` sent. */
  attempts = 0;
  /** Starts by undici, which moves a request that waits in a pipeline to another connection. */
  starts = 0;
  head: WitnessedHead | undefined = undefined;
  /** The first terminal callback. */
  end: 'end' | 'error' | undefined = undefined;
  /** True if the handler threw at the end, and so still gets its error. */
  mayFailAfterEnd = false;
  readonly #chunks: Buffer[] = [];
  #receivedBytes = 0;
  #hasStarted = false;
  readonly #tell: (moment: AbortMoment, n: number) => void;

  constructor(tell: (moment: AbortMoment, n: number) => void) {
    this.#tell = tell;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Nearest to the caller. */
  readonly above: Interceptor = (dispatch) => (options, handler) => {
    this.dispatches += 1;
    const watched = spied(handler, {
      before: (word, given) => this.#hear(word, given),
      after: (word) => this.#tellOf(word),
    });
    const goesOn: unknown = dispatch(options, watched);
    if (typeof goesOn !== 'boolean') this.complaints.push(`dispatch returned ${goesOn}`);
    return goesOn === true;
  };

  /** Nearest to the connection. */
  readonly below: Interceptor = (dispatch) => (options, handler) => {
    this.attempts += 1;
    this.#tell('attempt', this.attempts);
    const watched = spied(handler, {
      before: (word) => {
        if (word === 'start') this.starts += 1;
      },
      after: (word) => {
        if (word === 'start') this.#tell('start', this.starts);
      },
    });
    return dispatch(options, watched);
  };

  #hear(word: string, given: readonly unknown[]): void {
    if (word === 'something else') return;
    if (this.end !== undefined && !(this.mayFailAfterEnd && word === 'error')) {
      this.complaints.push(`${word} after ${this.end}`);
    }
    if (word === 'start') this.#hearStart();
    else if (word === 'head') this.#hearHead(given);
    else if (word === 'data') this.#hearData(given);
    else if (word === 'end') this.#hearEnd('end');
    else if (word === 'error') this.#hearEnd('error');
  }

  #tellOf(word: string): void {
    if (word === 'head' && this.head !== undefined) this.#tell('head', 1);
    else if (word === 'data') this.#tell('bytes', this.#receivedBytes);
    else if (word === 'sent') this.#tell('sent', 1);
  }

  #hearStart(): void {
    if (this.#hasStarted) this.complaints.push('started twice');
    this.#hasStarted = true;
  }

  #hearHead(given: readonly unknown[]): void {
    const head = headOf(given);
    if (!this.#hasStarted) this.complaints.push(`head ${head.status} before the start`);
    if (this.head !== undefined) this.complaints.push(`head ${head.status} after ${this.head.status}`);
    if (head.status < 200) return;
    this.head = head;
  }

  #hearData(given: readonly unknown[]): void {
    if (this.head === undefined) this.complaints.push('data before a head');
    const chunk = given.find((each) => Buffer.isBuffer(each));
    if (chunk === undefined) return;
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
  }

  #hearEnd(word: 'end' | 'error'): void {
    if (word === 'end' && this.head === undefined) this.complaints.push('end without a head');
    this.end ??= word;
  }
}

/** Of `onHeaders(status, rawHeaders, …)` or `onResponseStart(controller, status, headers, …)`. */
export function headOf([first, second, third]: readonly unknown[]): WitnessedHead {
  if (typeof first === 'number') {
    const raw = (second as Buffer[]).map((part) => part.toString('latin1'));
    const value = (name: string) => raw.find((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
    return { status: first, header: value };
  }
  const headers = third as Record<string, string>;
  return { status: Number(second), header: (name) => headers[name] };
}

interface Ears {
  before(word: string, given: readonly unknown[]): void;
  after(word: string): void;
}

/** The same handler, with its calls observed. */
function spied<T extends object>(handler: T, { before, after }: Ears): T {
  return new Proxy(handler, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      const word = words[String(key)] ?? 'something else';
      return (...given: unknown[]) => {
        before(word, given);
        const result: unknown = value.apply(target, given);
        after(word);
        return result;
      };
    },
  });
}
