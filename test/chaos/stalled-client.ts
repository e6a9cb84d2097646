/**
 * A client whose own event loop stands still while its requests are out: a program whose argument is its `StalledOrders`.
 * It prints what became of them, and of as many requests afterwards.
 */

import { get } from 'node:http';
import { presets } from '../../src/core/policy/presets.js';
import { createRetrier } from '../../src/parts/all.js';
import { overFetch, overHttp, overPlainFetch, overUndici } from './clients.js';
import type { Stall, StalledOrders, StalledOutcome } from './stalled-process.js';

const kinds = { undici: overUndici, axios: overHttp, 'axios over fetch': overFetch, fetch: overPlainFetch };

/** The process does nothing else meanwhile, as in a long computation or a large `JSON.parse`. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Returns once the loop has stood still. */
function stall(where: Stall, origin: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const block = (): void => {
      standStill(ms);
      resolve();
    };
    if (where === 'right after sending') block();
    else if (where === 'in setImmediate') setImmediate(block);
    else if (where === 'in a timer') setTimeout(block, 10);
    else get(`${origin}/at-once`, (answer) => answer.once('data', block));
  });
}

function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function play({
  origin,
  client,
  where,
  stallMs,
  count,
  policy,
}: StalledOrders): Promise<StalledOutcome> {
  const retrier = createRetrier({ ...presets.policies.service, ...policy });
  const { send, close } = kinds[client].open(origin, retrier);
  const { signal } = new AbortController();
  const one = (): Promise<string> =>
    send({ method: 'GET', path: '/', headers: {}, body: null }, signal).then(
      ({ status }) => String(status),
      (error: Error) => error.name,
    );
  const round = async (): Promise<Record<string, number>> =>
    counted(await Promise.all(Array.from({ length: count }, one)));
  const sending = round();
  await stall(where, origin, stallMs);
  const during = await sending;
  const next = await round();
  const gates = retrier.snapshot().scopes.flatMap((scope) => scope.gates.map(({ state }) => state));
  await close();
  return { during, next, gates };
}

const [orders = ''] = process.argv.slice(2);
const outcome = await play(JSON.parse(orders) as StalledOrders);
process.stdout.write(JSON.stringify(outcome), () => process.exit());
