/** What a request costs with each of several layers, beside the client alone. */

import { type CpuCosts, median, ratioTo } from './measure.js';
import type { Row } from './row.js';

/** The first of them is the client alone. */
export function rowsBesideBare(what: string, costs: readonly CpuCosts[]): Row[] {
  const [bare] = costs;
  return costs.map(({ name, cpu }) => ({
    name: `${what}: ${name}`,
    value: median(cpu) / 1_000,
    unit: 'µs of CPU',
    ...(cpu !== bare?.cpu && { ratio: ratioTo('bare', cpu, bare?.cpu ?? []) }),
  }));
}
