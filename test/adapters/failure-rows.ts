/** What fails how, as the fixture says, and what the scenes of every client have that make it. */

import { readFileSync } from 'node:fs';
import type { Class, Evidence } from '../../src/index.js';

export interface Row {
  readonly code: string;
  readonly class: string;
  readonly evidence: string;
}

export const { rows } = JSON.parse(
  readFileSync(new URL('../../fixtures/failures.json', import.meta.url), 'utf8'),
) as { readonly rows: readonly Row[] };

export interface FailureScene<Made> {
  readonly name: string;
  /** What the client reports: its code, or its name where that has none. */
  readonly error: string | RegExp;
  readonly class: Class;
  readonly evidence: Evidence;
  /** The attempt failed before the client told that it begins: that alone proves it unsent. */
  readonly neverBegan?: true;
  /** Only in the body: the head was the caller's already. */
  readonly inBody?: true;
  /** In place of GET. */
  readonly method?: 'PUT';
  /** Why it is not what the fixture says. */
  readonly unlike?: string;
  /** Why this version of the client cannot have it. */
  readonly missing?: string | false;
  /** Gives the same failure for every attempt. */
  readonly make: () => Promise<Made>;
}

export const unclear = { class: 'transient', evidence: 'unknown' } as const;
export const final = { class: 'final', evidence: 'unknown' } as const;

/** What a client has of them. */
export interface Failures<Scene extends FailureScene<unknown> = FailureScene<unknown>> {
  /** By `code` of the fixture's row. */
  readonly scenes: Readonly<Record<string, readonly Scene[]>>;
  /** The rows that it has no scene of, and why. */
  readonly notMade: Readonly<Record<string, string>>;
  /** Has the scene played to a request with one retry. `expectOwn`: what is this client's alone. */
  play(
    scene: Scene,
    method: string,
  ): Promise<{ readonly error: unknown; readonly expectOwn: (isRetried: boolean) => void }>;
}
