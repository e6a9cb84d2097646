/** The error of a request that its scope does not let through. */

import { GateShutError, HeldError } from '../core/errors.js';
import type { RefusalReason } from '../core/types.js';
import type { Session } from './session.js';

/** `cause`: the last real outcome of this request, if there was one. */
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
  { scope, settings }: Session,
  reason: RefusalReason,
  own: ErrorOptions,
): GateShutError | HeldError {
  if (reason !== 'held') return new GateShutError(scope.name, own);
  const asked = scope.askedOf(settings);
  if (asked === undefined) return new HeldError(scope.name, undefined, own);
  const { status, hint } = asked.finding;
  const agoMs = scope.ports.now() - asked.at;
  const cause = 'cause' in own ? own : { cause: asked.finding };
  return new HeldError(scope.name, { status, delayMs: hint?.delayMs ?? null, agoMs }, cause);
}
