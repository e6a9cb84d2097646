/**
 * How long to wait for an answer before sending again, as TCP has done since Jacobson's "Congestion Avoidance and Control"
 * (SIGCOMM 1988): the smoothed time of the answers and four times their mean deviation, doubled at each expiry. For
 * protocols where a lost message gets no answer. To a busy server, it sends again what would have been answered.
 */

/** A round-trip timer, as data: its numbers and the letters by which RFC 6298 calls them. */
export interface RoundTripScheme {
  /** The timeout in milliseconds as long as nothing has been measured. */
  readonly firstMs: number;
  /**
   * What the first answer does. `'replace'`: its time is the mean, and half of it the deviation (RFC 6298 2.2). `'smooth'`:
   * it counts like every other, after a mean of 0 and a deviation that gives `firstMs` (RFC 1122 4.2.3.1).
   */
  readonly firstAnswer: 'replace' | 'smooth';
  /** How much a new time moves the mean, from 0 to 1 (alpha). */
  readonly gain: number;
  /** How much it moves the deviation (beta). */
  readonly deviationGain: number;
  /** How many deviations are added to the mean (K). */
  readonly deviations: number;
  /** The least that is added to the mean, in milliseconds: the granularity of the clock (G). */
  readonly granularityMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** What is known of the round trips to one peer. */
export interface RoundTrips {
  /** Undefined: none was measured. */
  readonly meanMs: number | undefined;
  readonly deviationMs: number;
  /** The doubled timeout, until a round trip is measured again; 0: it was not doubled. */
  readonly doubledMs: number;
}

export const noRoundTrips: RoundTrips = /* @__PURE__ */ Object.freeze({
  meanMs: undefined,
  deviationMs: 0,
  doubledMs: 0,
});

/**
 * An answer has come after `ms`. The answer to a message that was sent more than once may belong to each of them, so it
 * measures nothing, and the doubled timeout stays (Karn's rule; RFC 6298 3).
 */
export function afterRoundTrip(
  scheme: RoundTripScheme,
  trips: RoundTrips,
  ms: number,
  isRepeated = false,
): RoundTrips {
  if (isRepeated) return trips;
  if (trips.meanMs === undefined && scheme.firstAnswer === 'replace') {
    return { meanMs: ms, deviationMs: ms / 2, doubledMs: 0 };
  }
  const meanMs = trips.meanMs ?? 0;
  const deviationMs = trips.meanMs === undefined ? scheme.firstMs / scheme.deviations : trips.deviationMs;
  return {
    meanMs: meanMs + scheme.gain * (ms - meanMs),
    deviationMs: deviationMs + scheme.deviationGain * (Math.abs(ms - meanMs) - deviationMs),
    doubledMs: 0,
  };
}

/**
 * No answer has come within `timeoutMs`. Messages that were sent with the same timeout double it once, however many they
 * are.
 */
export function afterExpiry(scheme: RoundTripScheme, trips: RoundTrips, timeoutMs: number): RoundTrips {
  const doubledMs = Math.min(scheme.maxMs, 2 * timeoutMs);
  return doubledMs <= trips.doubledMs ? trips : { ...trips, doubledMs };
}

/** How long to wait for the next answer, in milliseconds. */
export function roundTripTimeoutMs(scheme: RoundTripScheme, trips: RoundTrips): number {
  const { meanMs, deviationMs, doubledMs } = trips;
  const usualMs =
    meanMs === undefined
      ? scheme.firstMs
      : meanMs + Math.max(scheme.granularityMs, scheme.deviations * deviationMs);
  return Math.min(scheme.maxMs, Math.max(scheme.minMs, usualMs, doubledMs));
}
