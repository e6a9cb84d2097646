/** The requests that reached a lab, in order, and the waiters for more. */

export interface Received {
  /** Counted from 1, in the order in which heads arrive. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** Names in lower case, repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Alternating names and values, as they came. */
  readonly rawHeaders: readonly string[];
  /** The number of its connection, from 1. */
  readonly connection: number;
  /** The bytes that came so far. */
  readonly body: Buffer;
  /** The whole body has arrived. */
  readonly complete: boolean;
}

export type RequestHead = Pick<Received, 'method' | 'path' | 'rawHeaders'>;

export class Arrival implements Received {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly connection: number;
  complete = false;
  readonly #ledger: Ledger;
  #pieces: Buffer[] = [];
  #whenSettled: (() => void) | undefined;

  constructor(ledger: Ledger, number: number, head: RequestHead, connection: number) {
    this.#ledger = ledger;
    this.number = number;
    this.method = head.method;
    this.path = head.path;
    this.rawHeaders = head.rawHeaders;
    this.headers = joined(head.rawHeaders);
    this.connection = connection;
  }

  get body(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  finish(): void {
    this.complete = true;
    this.#ledger.apply(this.headers['x-id']);
    this.settle();
  }

  /** No more of the body will come. */
  settle(): void {
    this.#whenSettled?.();
  }

  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenSettled = resolve;
    });
  }
}

function joined(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

export class Ledger {
  readonly requests: Arrival[] = [];
  readonly #applied = new Map<string, number>();

  record(head: RequestHead, connection: number): Arrival {
    const arrival = new Arrival(this, this.requests.length + 1, head, connection);
    this.requests.push(arrival);
    return arrival;
  }

  apply(id: string | undefined): void {
    if (id !== undefined) this.#applied.set(id, this.applied(id) + 1);
  }

  applied(id: string): number {
    return this.#applied.get(id) ?? 0;
  }
}

interface Waiter<T> {
  readonly condition: (lab: T) => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Waiters for a condition, which is checked after every event. */
export class Waiters<T> {
  readonly #waiting = new Set<Waiter<T>>();

  until(condition: (lab: T) => boolean, lab: T): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      this.#waiting.add({ condition, resolve, reject });
      this.ask(lab);
    });
    // A test that failed before it waited here has reported its failure.
    answered.catch(() => {});
    return answered;
  }

  ask(lab: T): void {
    for (const waiter of this.#waiting) {
      try {
        if (!waiter.condition(lab)) continue;
        waiter.resolve();
      } catch (error) {
        waiter.reject(error);
      }
      this.#waiting.delete(waiter);
    }
  }

  /** Rejects the waiters: no more events will come. */
  disappoint(): void {
    for (const { reject } of this.#waiting) reject(new Error('the lab was closed before this came true'));
    this.#waiting.clear();
  }
}
