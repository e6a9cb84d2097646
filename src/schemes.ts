/** The shelf of famous schemes, and what loops that are not HTTP need of them. Services start from `presets` of `undaunted`. */

export type { RoundTripScheme, RoundTrips } from './core/decide/round-trips.js';
export {
  afterExpiry,
  afterRoundTrip,
  noRoundTrips,
  roundTripTimeoutMs,
} from './core/decide/round-trips.js';
export { schemes } from './core/policy/schemes.js';
export type { AttemptsOptions } from './kernel/attempts.js';
export { attempts } from './kernel/attempts.js';
