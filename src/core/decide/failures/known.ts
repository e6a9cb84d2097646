/**
 * The failures of all owners together. Everything else is final: certificates, bad bytes, local misuse, limits that the
 * caller set, and every failure that is not known yet.
 */

import { axiosFailures } from './axios.js';
import { fetchFailures } from './fetch.js';
import { nodeFailures } from './node.js';
import type { FailureRow, Failures, FailureText } from './row.js';
import { unclear } from './row.js';
import { undiciFailures } from './undici.js';

const ourFailures: Failures = {
  byCode: [
    ['ERR_UNDAUNTED_ATTEMPT_TIMEOUT', unclear],
    // No time is left for another attempt, but the gate has to know that the server did not answer.
    ['ERR_UNDAUNTED_DEADLINE', unclear],
  ],
  timeouts: ['ERR_UNDAUNTED_ATTEMPT_TIMEOUT'],
};

const owners: readonly Failures[] = [nodeFailures, undiciFailures, axiosFailures, fetchFailures, ourFailures];

// These are maps and sets, not objects: names and codes come from outside, and `constructor` must not be found.

export const failuresByCode: ReadonlyMap<string, FailureRow> = new Map(
  owners.flatMap(({ byCode = [] }) => byCode),
);

const failuresByPrefix = owners.flatMap(({ byPrefix = [] }) => byPrefix);

const failuresByName: ReadonlyMap<string, FailureRow> = new Map(owners.flatMap(({ byName = [] }) => byName));

const failuresByText: readonly FailureText[] = owners.flatMap(({ byText = [] }) => byText);

/** The server did not answer in time: by Node's limits, undici's, axios's and ours. */
export const timeoutCodes: ReadonlySet<string> = new Set(owners.flatMap(({ timeouts = [] }) => timeouts));

export const wrapperCodes: ReadonlySet<string> = new Set(owners.flatMap(({ wrappers = [] }) => wrappers));

/** The row of a failure; undefined if no owner knows it. */
export function rowFor(name: string, code: string | undefined, message: string): FailureRow | undefined {
  const byText = failuresByText.find((entry) => entry.code === code && message.includes(entry.text));
  if (byText !== undefined) return byText.row;
  if (code === undefined) return failuresByName.get(name);
  return failuresByCode.get(code) ?? failuresByPrefix.find(([prefix]) => code.startsWith(prefix))?.[1];
}
