/** The error of a request that its scope does not let through. */

import { GateShutError, HeldError } from '../core/errors.js';
import type { Finding, RefusalReason } from '../core/types.js';
import type { Session } from '../kernel/session.js';

/**
 * `own`: the last real outcome of this request as the `cause`, if there was one. Otherwise, the cause is what its scope has
 * found: plain data, so that an error which is kept holds no connection and no body.
 */
export function refusalError(
  session: Session,
  reason: RefusalReason,
  own: ErrorOptions = {},
): GateShutError | HeldError {
  if (typeof __UNDAUNTED_GATE_AND_HOLD__ === 'undefined' || __UNDAUNTED_GATE_AND_HOLD__) {
    return errorOf(session, reason, own);
  }
  // Never reached: without a gate and a hold, nothing is refused.
  throw new TypeError(reason);
}

function errorOf(
  { scope, limits }: Session,
  reason: RefusalReason,
  own: ErrorOptions,
): GateShutError | HeldError {
  if (reason !== 'held') return new GateShutError(scope.name, causeIn(own, limits.gate?.failure));
  const asked = limits.hold?.asked;
  if (asked === undefined) return new HeldError(scope.name, undefined, own);
  const { status, hint } = asked.finding;
  const agoMs = scope.ports.now() - asked.at;
  return new HeldError(
    scope.name,
    { status, delayMs: hint?.delayMs ?? null, agoMs },
    causeIn(own, asked.finding),
  );
}

function causeIn(own: ErrorOptions, found: Finding | undefined): ErrorOptions {
  return 'cause' in own || found === undefined ? own : { cause: found };
}
