/** The override of a single request, which stands beside the client's own options: `retry: false`, or settings. */

import { PolicyError } from '../core/errors.js';
import type { OverrideOptions } from '../core/policy/options.js';

const off: OverrideOptions = /* @__PURE__ */ Object.freeze({ retry: false });

export function overrideFrom(given: OverrideOptions | false | undefined): OverrideOptions | undefined {
  return given === false ? off : given;
}

/**
 * An error from opening a session. Its problems are reported at the key by the name that callers know (`init.retry`).
 */
export function errorOfOpening(error: unknown, place: `${string}.retry`): unknown {
  if (!(error instanceof PolicyError)) return error;
  const problems = error.problems.map((problem) =>
    problem.path === '' ? { ...problem, allowed: `${problem.allowed} or false` } : problem,
  );
  return new PolicyError(problems, place);
}
