/**
 * CPU per POST without a key that succeeds at once, over loopback. It may be sent again only if its evidence counts, so
 * its hops are counted; with `unsafeMethods: 'never'`, none are.
 */

import { presets } from '../src/index.js';
import { rowsBesideBare } from './beside-bare.js';
import { type Asked, costsOfClients, type Layer } from './client-sockets.js';
import type { Row } from './row.js';

const asked: Asked = {
  method: 'POST',
  path: '/',
  body: '{"amount":1}',
  headers: { 'content-type': 'application/json' },
};

const layers: readonly Layer[] = [
  { name: 'bare' },
  { name: 'bare again (the noise)' },
  { name: 'undaunted', policy: {} },
  { name: 'undaunted, service', policy: presets.policies.service },
  { name: "undaunted, unsafeMethods: 'never'", policy: { unsafeMethods: 'never' } },
];

export async function benchPostSockets(): Promise<Row[]> {
  const found = await costsOfClients(asked, layers);
  return found.flatMap(({ client, costs }) => rowsBesideBare(`POST, ${client}`, costs));
}
