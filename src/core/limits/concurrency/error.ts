/** The error of a request for which there was no room. */

/**
 * The request was not sent, because as many attempts as its scope may have are in flight, and the line of waiting requests
 * is too long. `cause` is the last real outcome of the request, if it was sent before.
 */
export class ConcurrencyError extends Error {
  override readonly name = 'ConcurrencyError';
  readonly code = 'ERR_UNDAUNTED_CONCURRENCY';
  readonly scope: string;
  /** How many attempts may be in flight. */
  readonly limit: number;

  constructor(scope: string, limit: number, options?: ErrorOptions) {
    const what = limit === 1 ? 'an attempt is' : `${limit} attempts are`;
    super(
      `Not sent: ${what} in flight to ${scope} (concurrency), and the line of waiting requests is too long`,
      options,
    );
    this.scope = scope;
    this.limit = limit;
  }
}
