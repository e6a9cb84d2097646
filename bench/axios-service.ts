/** What a realistic policy adds to an axios request that succeeds at once, from memory, beside the defaults. */

import { type PolicyOptions, presets } from '../src/index.js';
import { cpuApart } from './apart.js';
import { median, ratioTo } from './measure.js';
import type { Row } from './row.js';

const { service } = presets.policies;

export const policies: Readonly<Record<string, PolicyOptions>> = {
  'the defaults': {},
  'service without wholeBodyBytes': { ...service, wholeBodyBytes: 0 },
  service,
};

const rounds = 7;
/** Of what the defaults add. */
const atMost = 5.5;

export async function benchAxiosService(): Promise<Row[]> {
  const names = Object.keys(policies);
  const added = await cpuApart('./axios-variant.js', names, [], rounds);
  return added.map(({ name, cpu }, index) => ({
    name: `undaunted, ${name}, adds to a request`,
    value: median(cpu) / 1_000,
    unit: 'µs of CPU',
    ...(index > 0 && { ratio: ratioTo('what the defaults add', cpu, added[0]?.cpu ?? []), atMost }),
  }));
}
