/** What reached a lab, in order, and who waits for more. */

export interface Received {
  /** From 1, by arrival of the head. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** Names in lower case, repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** Number of its connection, from 1. */
  readonly connection: number;
  /** What came so far. */
  readonly body: Buffer;
  /** The body is wholly here. */
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

  /** No more of it will come. */
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

/** Those who wait for a condition; asked again after every event. */
export class Waiters<T> {
  readonly #waiting = new Set<Waiter<T>>();

  until(condition: (lab: T) => boolean, lab: T): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      this.#waiting.add({ condition, resolve, reject });
      this.ask(lab);
    });
    // A test that failed before it came to wait for this has said enough.
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

  /** Nothing will happen any more. */
  disappoint(): void {
    for (const { reject } of this.#waiting) reject(new Error('the lab was closed before this came true'));
    this.#waiting.clear();
  }
}
