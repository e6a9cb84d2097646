/**
 * Two simple ways to cut the slow tail, for comparison. Neither looks at what it does to the server.
 */

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

function tcpTimer(): PeerTimeouts {
  let smoothedMs: number | undefined;
  let deviationMs = 0;
  let factor = 1;
  const usualMs = (): number => (smoothedMs === undefined ? 1_000 : smoothedMs + 4 * deviationMs);
  const longestMs = 60_000;
  return {
    limitMs: () => Math.min(longestMs, usualMs() * factor),
    answered(ms, isRetry) {
      if (isRetry) return;
      factor = 1;
      deviationMs =
        smoothedMs === undefined ? ms / 2 : deviationMs + (Math.abs(ms - smoothedMs) - deviationMs) / 4;
      smoothedMs = smoothedMs === undefined ? ms : smoothedMs + (ms - smoothedMs) / 8;
    },
    timedOut(limitMs) {
      // Attempts that were sent together time out together: that is one doubling.
      factor = Math.max(factor, Math.min(64, (2 * limitMs) / usualMs()));
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
