/** A server in virtual time, whose attempts take as long and end as they are told; and a `fetch` that leads to it. */

import type { VirtualTime } from '../kit.js';

export interface Course {
  readonly ms: number;
  readonly answer: number | 'reset';
}

/** What becomes of an attempt: the `number`-th hedge of its request, from 0, or the `number`-th of its other attempts. */
export type CourseOf = (request: string, number: number, isHedge: boolean) => Course;

export class SlowServer {
  /** When each attempt arrived, and of which request. */
  readonly arrivals: { readonly request: string; readonly atMs: number; readonly isHedge: boolean }[] = [];
  /** Attempts that are being worked on for a client that still waits. */
  out = 0;
  readonly #time: VirtualTime;
  readonly #courseOf: CourseOf;
  readonly #outOf = new Map<string, number>();

  constructor(time: VirtualTime, courseOf: CourseOf) {
    this.#time = time;
    this.#courseOf = courseOf;
  }

  readonly fetch = (input: unknown, { signal }: RequestInit = {}): Promise<Response> => {
    const request = String(input);
    const isHedge = this.#count(request, 1) > 1;
    const isSame = (one: SlowServer['arrivals'][number]): boolean =>
      one.request === request && one.isHedge === isHedge;
    const number = this.arrivals.filter(isSame).length;
    this.arrivals.push({ request, atMs: this.#time.now, isHedge });
    const { ms, answer } = this.#courseOf(request, number, isHedge);
    return new Promise<Response>((resolve, reject) => {
      const end = (): void => {
        this.#count(request, -1);
        signal?.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        cancel();
        end();
        reject(signal?.reason);
      };
      const respond = (): void => {
        end();
        if (answer === 'reset') reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
        else resolve(new Response(null, { status: answer }));
      };
      const cancel = this.#time.ports().sleep(ms, respond);
      signal?.addEventListener('abort', abort);
    });
  };

  #count(request: string, change: 1 | -1): number {
    this.out += change;
    const out = (this.#outOf.get(request) ?? 0) + change;
    this.#outOf.set(request, out);
    return out;
  }
}
