/**
 * What interceptors add to a request that succeeds at once, on a dispatcher that only answers: an empty one, undici's own
 * retry, ours as it is, and ours with what a realistic policy asks for. Needs `--expose-gc`.
 */

import { type Measured, measuredApart } from './apart.js';
import { measureRounds, median, perRound, ratioTo, type Series } from './measure.js';
import type { Row } from './row.js';
import type { policies } from './undici-contestants.js';
import { undiciVersion } from './undici-under-test.js';

export type Variant =
  | 'bare'
  | 'an interceptor that does nothing'
  | 'undaunted'
  | 'interceptors.retry()'
  | keyof typeof policies;

/** Enough that the request itself does not count. */
export const manyChunks = 1_000;
const rounds = 9;
/** Each takes longer. */
const roundsByAgent = 5;
const peer = 'interceptors.retry()';

interface Way {
  readonly chunks?: number;
  readonly isLate?: boolean;
  /** As through `request()` and an Agent, with what undici itself does to handlers on that way. */
  readonly byAgent?: boolean;
}

/** For each variant, the cost beyond the bare dispatcher in the same round. */
async function addedBy<V extends Variant>(
  variants: readonly V[],
  { chunks = 1, isLate = false, byAgent = false }: Way = {},
): Promise<(name: V, gauge: keyof Measured) => Series> {
  const [bare = [], ...others] = await measureRounds(
    (['bare', ...variants] as const).map(
      (variant) => () =>
        measuredApart('./undici-variant.js', [variant, ...[chunks, isLate, byAgent].map(String)]),
    ),
    byAgent ? roundsByAgent : rounds,
  );
  return (name, gauge) => {
    const costs = others[variants.indexOf(name)] ?? [];
    const values = (of: readonly Measured[]): Series => of.map((cost) => cost[gauge]);
    return perRound(values(costs), values(bare), (value, least) => value - least);
  };
}

const gauges = ['ns', 'bytes'] as const;

/** At most so much of what the peer adds. */
interface Bounds {
  readonly ns: number;
  readonly bytes: number;
}

function rowsBeside<V extends Variant>(
  to: V,
  bounds: Partial<Record<V, Bounds>>,
  variants: readonly V[],
  added: (name: V, gauge: keyof Measured) => Series,
  when = '',
): Row[] {
  return gauges.flatMap((gauge) =>
    variants.map((name) => {
      const values = added(name, gauge);
      const atMost = bounds[name]?.[gauge];
      return {
        name: `${name} adds to a request${when}`,
        value: median(values),
        unit: gauge,
        ...(name !== to && { ratio: ratioTo(`what ${to} adds`, values, added(to, gauge)) }),
        ...(atMost !== undefined && { atMost }),
      };
    }),
  );
}

export async function benchUndiciOverhead(): Promise<Row[]> {
  const variants = ['an interceptor that does nothing', 'undaunted', 'undaunted, service', peer] as const;
  const rows = rowsBeside(peer, boundsBesideRetry, variants, await addedBy(variants));
  const asByRequest = await addedBy(variants, { byAgent: true });
  const chunk = ['undaunted', peer] as const;
  const added = await addedBy(chunk, { chunks: manyChunks });
  const ofEach = (name: (typeof chunk)[number]): Series => added(name, 'ns').map((ns) => ns / manyChunks);
  return [
    ...rows,
    ...rowsBeside(peer, {}, variants, asByRequest, ' like those of request(), through an Agent'),
    ...chunk.map((name) => ({
      name: `${name} adds to each chunk`,
      value: median(ofEach(name)),
      unit: 'ns',
      ...(name !== peer && { ratio: ratioTo(`what ${peer} adds`, ofEach(name), ofEach(peer)) }),
    })),
  ];
}

export async function benchUndiciTail(): Promise<Row[]> {
  const variants = [
    'undaunted',
    'undaunted with a deadline',
    'undaunted with an attempt timeout',
    'undaunted with hedges',
    'undaunted with adaptive timeouts',
  ] as const;
  const atOnce = rowsBeside('undaunted', boundsBesideOurs, variants, await addedBy(variants));
  const late = await addedBy(variants, { isLate: true });
  return [...atOnce, ...rowsBeside('undaunted', {}, variants, late, ' that is answered a turn later')];
}

/** What `interceptors.retry()` of undici 8 adds is an eighth of what that of undici 7 does. */
const boundsBesideRetry =
  Number.parseInt(undiciVersion, 10) < 8
    ? { undaunted: { ns: 0.16, bytes: 0.35 }, 'undaunted, service': { ns: 0.6, bytes: 0.6 } }
    : { undaunted: { ns: 1, bytes: 0.5 }, 'undaunted, service': { ns: 3.5, bytes: 0.82 } };
const boundsBesideOurs = {
  'undaunted with a deadline': { ns: 1.9, bytes: 1.3 },
  'undaunted with an attempt timeout': { ns: 1.9, bytes: 1.3 },
  'undaunted with hedges': { ns: 1.9, bytes: 1.25 },
  'undaunted with adaptive timeouts': { ns: 2.5, bytes: 1.5 },
};
