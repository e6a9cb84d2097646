/** The error of a request that the gate refuses. */

/**
 * The request was not sent, because its server seems dead and the gate (circuit breaker) is shut. `cause` is the last
 * real failure: of this request, or as plain data (`status`, or `code` and `name`) of another one in its scope.
 */
export class GateShutError extends Error {
  override readonly name = 'GateShutError';
  readonly code = 'ERR_UNDAUNTED_GATE_SHUT';
  readonly scope: string;

  constructor(scope: string, options?: ErrorOptions) {
    super(`Not sent: the gate (circuit breaker) of ${scope} is shut after repeated failures`, options);
    this.scope = scope;
  }
}
