/** Tokens that expire while the server fails, and the complaints about how they were renewed. */

import { setTimeout } from 'node:timers/promises';
import type { PolicyOptions } from '../../src/index.js';
import type { Line } from './file-ledger.js';

/** Long enough for others to find their token refused meanwhile. */
const loginMs = 15;

export class Login {
  /** Tokens are numbers, which count up. */
  #token = 0;
  #running = 0;
  #most = 0;

  readonly credentials: NonNullable<PolicyOptions['credentials']> = {
    headers: () => ({ authorization: `Bearer ${this.#token}` }),
    renew: async () => {
      this.#running += 1;
      this.#most = Math.max(this.#most, this.#running);
      await setTimeout(loginMs);
      this.#running -= 1;
      this.#token += 1;
    },
  };

  get renewals(): number {
    return this.#token;
  }

  *complaints(lines: readonly Line[]): Generator<string> {
    if (this.#running > 0) yield `${this.#running} renewals are not over`;
    if (this.#most > 1) yield `${this.#most} renewals were under way at a time`;
    const refused = new Set(lines.flatMap(({ what, token }) => (what === 'refused' ? [token] : [])));
    for (let token = 0; token < this.#token; token += 1) {
      if (!refused.has(token)) yield `token ${token} was renewed, and the server had not refused it`;
    }
  }
}

export function tokenIn(authorization: string | undefined): number | undefined {
  const [, token] = /^Bearer (\d+)$/.exec(authorization ?? '') ?? [];
  return token === undefined ? undefined : Number(token);
}
