/** A scenario's expectation and its result in the same form, so that the two can be compared directly. */

import type { Decision, History } from '../../src/core/types.js';
import type { DecisionInWords, End, ScenarioRequest } from './scenario.js';

/** One request: what the server saw, what was decided, and what the caller got. */
export interface RequestRecord {
  readonly sentAtMs: readonly number[];
  readonly decisions: readonly DecisionInWords[];
  readonly ends: End;
  /** The values, in each attempt, of the headers that the scenario mentions. */
  readonly sends: readonly Readonly<Record<string, string | null>>[];
  readonly keeps: readonly string[];
}

/** An attempt as it reached the server. */
export interface Sent {
  readonly atMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

export function expected({ attempts, ends, keeps = [] }: ScenarioRequest): RequestRecord {
  return {
    sentAtMs: attempts.map(({ atMs }) => atMs),
    decisions: attempts.map(({ decision }) => decision),
    ends,
    sends: attempts.map(({ sends = {} }) => sends),
    keeps,
  };
}

export function observed(
  request: ScenarioRequest,
  sent: readonly Sent[],
  history: History | undefined,
  ends: End,
): RequestRecord {
  return {
    sentAtMs: sent.map(({ atMs }) => atMs),
    decisions: inOrderOfSending(history ?? []).map(inWords),
    ends,
    sends: sent.map(({ headers }, index) => {
      const names = Object.keys(request.attempts[index]?.sends ?? {});
      return Object.fromEntries(names.map((name) => [name, headers[name] ?? null]));
    }),
    keeps: (request.keeps ?? []).filter((name) => isKept(sent.map(({ headers }) => headers[name]))),
  };
}

/** With a hedge, the attempt that ends last may have been sent first. */
function inOrderOfSending(history: History): Decision[] {
  return history.map(({ decision }) => decision).sort((one, other) => one.attempt - other.attempt);
}

function isKept(values: readonly (string | undefined)[]): boolean {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first);
}

function inWords(decision: Decision): DecisionInWords {
  if (decision.action === 'retry') {
    const { reason, delayMs, waitFrom } = decision;
    return { retry: reason, delayMs, waitFrom };
  }
  const { reason, delayMs, limit } = decision;
  return {
    stop: reason,
    ...(delayMs !== undefined && { delayMs }),
    ...(limit !== undefined && { limit }),
  };
}
