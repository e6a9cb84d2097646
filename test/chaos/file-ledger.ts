/**
 * A log of the requests that reached the server, those that it applied and those whose token it refused, one line each,
 * written before any answer: the log is right even if the server is killed the next moment.
 */

import { openSync, readFileSync, writeSync } from 'node:fs';

export interface Line {
  readonly what: 'arrived' | 'applied' | 'spoilt' | 'refused';
  readonly id: number;
  readonly method: string;
  readonly key?: string;
  readonly token?: number;
}

export function linesOf(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Writes the server's log. A restarted server continues it. */
export class FileLedger {
  readonly #file: number;
  readonly #arrivals = new Map<number, number>();
  readonly #appliedKeys = new Set<string>();
  readonly #refusedTokens = new Set<number | undefined>();

  constructor(path: string) {
    this.#file = openSync(path, 'a');
    for (const line of linesOf(path)) this.#remember(line);
  }

  /** Logs an arrival, and returns how often the request has arrived by now. */
  arrive(id: number, method: string, key: string | undefined): number {
    this.#write({ what: 'arrived', id, method, ...(key !== undefined && { key }) });
    return this.#arrivals.get(id) ?? 0;
  }

  /** Logs a request whose body is wrong. */
  spoilt(id: number, method: string): void {
    this.#write({ what: 'spoilt', id, method });
  }

  /** Applies a request: once for each key, and without a key as often as it comes. */
  apply(id: number, method: string, key: string | undefined): void {
    if (key === undefined) this.#write({ what: 'applied', id, method });
    else if (!this.#appliedKeys.has(key)) this.#write({ what: 'applied', id, method, key });
  }

  /** Whether a token has expired before. */
  hasRefused(token: number): boolean {
    return this.#refusedTokens.has(token);
  }

  /** Logs a request with a token that has expired, or with none. */
  refuse(id: number, method: string, token: number | undefined): void {
    this.#write({ what: 'refused', id, method, ...(token !== undefined && { token }) });
  }

  #write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#remember(line);
  }

  #remember({ what, id, key, token }: Line): void {
    if (what === 'arrived') this.#arrivals.set(id, (this.#arrivals.get(id) ?? 0) + 1);
    if (what === 'applied' && key !== undefined) this.#appliedKeys.add(key);
    if (what === 'refused') this.#refusedTokens.add(token);
  }
}
