/** What a realistic policy adds to an axios request that succeeds at once, from memory, beside the defaults. */

import { type PolicyOptions, presets } from '../src/index.js';
import { measuredApart } from './apart.js';
import { measureRounds, median, ratioTo } from './measure.js';
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
  const added = await measureRounds(
    names.map((name) => async () => (await measuredApart('./axios-variant.js', [name])).ns),
    rounds,
  );
  return added.map((values, index) => ({
    name: `undaunted, ${names[index]}, adds to a request`,
    value: median(values) / 1_000,
    unit: 'µs of CPU',
    ...(index > 0 && { ratio: ratioTo('what the defaults add', values, added[0] ?? []), atMost }),
  }));
}
