/**
 * CPU per GET of a small JSON over loopback: bare, with retries, and with retries that wait until the answer is whole. In
 * fetch that reads each answer twice, which the platform's own copy does, too.
 */

import { presets } from '../src/index.js';
import { rowsBesideBare } from './beside-bare.js';
import { type Asked, costsOfClients, type Layer } from './client-sockets.js';
import { copying } from './fetch-contestants.js';
import { median, ratioTo, type Series } from './measure.js';
import type { Row } from './row.js';

const asked: Asked = { method: 'GET', path: '/json' };

const waiting = 'undaunted, wholeBodyBytes';

const layers: readonly Layer[] = [
  { name: 'bare' },
  { name: 'bare again (the noise)' },
  { name: 'undaunted', policy: {} },
  { name: 'undaunted, service', policy: presets.policies.service },
  { name: waiting, policy: { wholeBodyBytes: 262_144 } },
  {
    name: copying,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      await response.clone().arrayBuffer();
      return response;
    },
  },
];

/** What a request with retries costs at most if it waits for its answer to be whole. */
const besideOurs = { to: 'undaunted', atMost: 1.05 };
/** In fetch, what it costs at most beside the copy. */
const besideCopy = { to: copying, atMost: 1.1 };

export async function benchWholeSockets(): Promise<Row[]> {
  const found = await costsOfClients(asked, layers);
  return found.flatMap(({ client, costs }) => {
    const title = `small JSON, ${client}`;
    const cpuOf = (wanted: string): Series => costs.find(({ name }) => name === wanted)?.cpu ?? [];
    const { to, atMost } = client === 'fetch' ? besideCopy : besideOurs;
    return [
      ...rowsBesideBare(title, costs),
      {
        name: `${title}: ${waiting}, beside`,
        value: median(cpuOf(waiting)) / 1_000,
        unit: 'µs of CPU',
        ratio: ratioTo(to, cpuOf(waiting), cpuOf(to)),
        atMost,
      },
    ];
  });
}
