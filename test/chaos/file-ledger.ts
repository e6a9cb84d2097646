/**
 * What reached the server and what it applied, one line each, written before anything is answered: a server that is
 * killed in the next moment has told the truth.
 */

import { openSync, readFileSync, writeSync } from 'node:fs';

export interface Line {
  readonly what: 'arrived' | 'applied' | 'spoilt';
  readonly id: number;
  readonly method: string;
  readonly key?: string;
}

export function linesOf(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** The server's pen. It goes on where the server before it was ended. */
export class FileLedger {
  readonly #file: number;
  readonly #arrivals = new Map<number, number>();
  readonly #appliedKeys = new Set<string>();

  constructor(path: string) {
    this.#file = openSync(path, 'a');
    for (const line of linesOf(path)) this.#remember(line);
  }

  /** How many times it has arrived by now. */
  arrive(id: number, method: string, key: string | undefined): number {
    this.#write({ what: 'arrived', id, method, ...(key !== undefined && { key }) });
    return this.#arrivals.get(id) ?? 0;
  }

  /** Its body is not what it was to be. */
  spoilt(id: number, method: string): void {
    this.#write({ what: 'spoilt', id, method });
  }

  /** Once for each key; without one, as often as it is asked to. */
  apply(id: number, method: string, key: string | undefined): void {
    if (key === undefined) this.#write({ what: 'applied', id, method });
    else if (!this.#appliedKeys.has(key)) this.#write({ what: 'applied', id, method, key });
  }

  #write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#remember(line);
  }

  #remember({ what, id, key }: Line): void {
    if (what === 'arrived') this.#arrivals.set(id, (this.#arrivals.get(id) ?? 0) + 1);
    if (what === 'applied' && key !== undefined) this.#appliedKeys.add(key);
  }
}
