/** OpenTelemetry for every client: `instrument()`. */

export type { NamedRetriers } from './gauges.js';
export type { InstrumentOptions } from './instrument.js';
export { instrument } from './instrument.js';
export { resendCount } from './resend-count.js';
