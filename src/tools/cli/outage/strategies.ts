/** How the clients of an outage can retry, by name. */

import type { Observe, OverrideOptions, Policy, PolicyOptions } from '../../../index.js';
import { definePolicy } from '../../../index.js';
import { peers } from '../../sim/index.js';
import { dataPolicyNames } from '../../sim/internal.js';
import type { Io } from '../io.js';
import { readPolicy } from '../policy-file.js';

export interface Strategy {
  readonly options: PolicyOptions;
  /** Settings of a single request, by how long its user thought before it. */
  readonly override?: (thoughtMs: number) => OverrideOptions;
}

const article: Strategy = {
  options: { maxRetries: 1_000_000, budget: false },
  // The original program keeps thinking times and waits in one variable, so its first wait grows from the last thinking time.
  override: (thoughtMs) => ({
    schedule: (retry, previousMs = thoughtMs) =>
      Math.max(0, peers.articleProgram.wait({ retry, hintMs: undefined, previousMs }, Math.random) ?? 0),
  }),
};

const namedStrategies: Readonly<Record<string, Strategy>> = {
  fixed: { options: peers.fixedForEver },
  article,
};

export const strategyNames: readonly string[] = [
  ...new Set([...Object.keys(namedStrategies), ...dataPolicyNames]),
];

export async function readStrategy(name: string, io: Io): Promise<Strategy> {
  const named = Object.hasOwn(namedStrategies, name) ? namedStrategies[name] : undefined;
  return named ?? { options: await readPolicy(name, io, strategyNames) };
}

/** The policy of the clients: an attempt takes no longer than they wait, unless the policy sets it. */
export function policyOf({ options }: Strategy, timeoutMs: number, observe: Observe): Policy {
  const deadlines = [options, ...(options.rules ?? [])].map(({ deadlineMs = timeoutMs }) => deadlineMs);
  return definePolicy({ attemptTimeoutMs: Math.min(timeoutMs, ...deadlines), ...options, observe });
}
