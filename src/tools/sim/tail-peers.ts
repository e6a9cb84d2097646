/**
 * Two simple ways to cut the slow tail, for comparison. Neither looks at what it does to the server.
 */

import { afterExpiry, afterRoundTrip, noRoundTrips, roundTripTimeoutMs, schemes } from '../../schemes.js';
import type { Peer, PeerHedges, PeerTimeouts } from './peers.js';

const plain: Pick<Peer, 'kind' | 'maxRetries' | 'afterTimeout' | 'statuses'> = {
  kind: 'peer',
  maxRetries: 3,
  afterTimeout: true,
  statuses: [429, 502, 503, 504],
};

/**
 * TCP's retransmission timer (RFC 6298; Jacobson 1988) as the time limit of attempts: the smoothed time of answers and
 * four times their mean deviation. A timeout doubles it until an answer to a first attempt comes (Karn's rule), and the
 * attempt is repeated at once.
 */
export const tcpTimeouts: Peer = { ...plain, wait: () => 0, timeouts: tcpTimer };

/** Answers within a data centre take far less than the second that RFC 6298 waits at least. */
const tcp = { ...schemes.roundTrips.rfc6298, minMs: 0 };

function tcpTimer(): PeerTimeouts {
  let trips = noRoundTrips;
  return {
    limitMs: () => roundTripTimeoutMs(tcp, trips),
    answered(ms, isRetry) {
      trips = afterRoundTrip(tcp, trips, ms, isRetry);
    },
    timedOut(limitMs) {
      trips = afterExpiry(tcp, trips, limitMs);
    },
  };
}

/** A second attempt after the 99th percentile of the last thousand answers that were used, however many there are. */
export const hedgingAtP99: Peer = {
  ...plain,
  wait: ({ retry }, dice) => dice() * 100 * 2 ** (retry - 1),
  hedges: lastThousand,
};

function lastThousand(): PeerHedges {
  const times = new Float64Array(1_000);
  let count = 0;
  let p99: number | undefined;
  return {
    afterMs: () => p99,
    answered(ms) {
      times[count % times.length] = ms;
      count += 1;
      if (count >= times.length && count % 100 === 0) p99 = times.toSorted()[990];
    },
  };
}
