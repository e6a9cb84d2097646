/**
 * Answers after 20 ms, and one attempt in a hundred after two seconds. Which attempts are slow depends only on the number
 * in their path and on how often that path was asked for, so that all contestants meet the same slow answers. It tells
 * its parent process where it listens and, when asked, how many attempts it has served; it ends with its parent.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { drawOf } from '../src/tools/sim/dice.js';

const seed = 1;
const usualMs = 20;
const slowMs = 2_000;
const slowShare = 0.01;

/** How often each path has been asked for. */
const attempts: Map<string, number> = new Map();

const server = createServer((request, response) => {
  const path = request.url ?? '/';
  request.resume();
  const before = attempts.get(path) ?? 0;
  attempts.set(path, before + 1);
  const number = Number(path.slice(path.lastIndexOf('/') + 1));
  const isSlow = drawOf(seed, number, before) < slowShare;
  setTimeout(() => response.end('hello'), isSlow ? slowMs : usualMs);
});
server.keepAliveTimeout = 300_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('message', () => process.send?.(Object.fromEntries(attempts)));
process.once('disconnect', () => process.exit());
