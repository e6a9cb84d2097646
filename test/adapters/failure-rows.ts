/** The fixture's failures, and the common part of each client's scenes that cause them. */

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
  /** The client's error: its code, or its name if it has no code. */
  readonly error: string | RegExp;
  readonly class: Class;
  readonly evidence: Evidence;
  /** The attempt failed before the client began to send it. */
  readonly neverBegan?: true;
  /** Reported while the request was handed over, when only the error itself can prove that a POST was never sent. */
  readonly atOnce?: true;
  /** The failure is in the body: the caller has the head already. */
  readonly inBody?: true;
  /** In place of GET. */
  readonly method?: 'PUT';
  /** Why it differs from the fixture. */
  readonly unlike?: string;
  /** Why it cannot happen in this version of the client. */
  readonly missing?: string | false;
  /** Sets up the same failure for every attempt. */
  readonly make: () => Promise<Made>;
}

export const unclear = { class: 'transient', evidence: 'unknown' } as const;
export const final = { class: 'final', evidence: 'unknown' } as const;

/** The failures of one client. */
export interface Failures<Scene extends FailureScene<unknown> = FailureScene<unknown>> {
  /** Scenes by the `code` of the fixture's row. */
  readonly scenes: Readonly<Record<string, readonly Scene[]>>;
  /** Rows without a scene, and why. */
  readonly notMade: Readonly<Record<string, string>>;
  /** Plays the scene to a request with one retry. `expectOwn`: expectations for this client alone. */
  play(
    scene: Scene,
    method: string,
  ): Promise<{ readonly error: unknown; readonly expectOwn: (isRetried: boolean) => void }>;
}
