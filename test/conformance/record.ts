/** What a scenario expects, and what came of it, in the same words, so that the two can be compared as they are. */

import type { Decision, History } from '../../src/core/types.js';
import type { DecisionInWords, End, ScenarioRequest } from './scenario.js';

/** One request: what its server saw, what was decided, and what its caller got. */
export interface RequestRecord {
  readonly sentAtMs: readonly number[];
  readonly decisions: readonly DecisionInWords[];
  readonly ends: End;
  /** Of the headers that the scenario speaks of, what each attempt had. */
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
    decisions: (history ?? []).map(({ decision }) => inWords(decision)),
    ends,
    sends: sent.map(({ headers }, index) => {
      const names = Object.keys(request.attempts[index]?.sends ?? {});
      return Object.fromEntries(names.map((name) => [name, headers[name] ?? null]));
    }),
    keeps: (request.keeps ?? []).filter((name) => isKept(sent.map(({ headers }) => headers[name]))),
  };
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
