/**
 * Answers with a few bytes, with a small JSON, with a megabyte, with 503 or not at all, and tells its parent process where it listens. It
 * ends with its parent.
 *
 * Three in ten requests under `/flaky/` get 503. How often a path gets it depends only on its number, in this run and in
 * the next, so that all contestants meet the same failures.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { drawOf } from '../src/tools/sim/dice.js';

const seed = 1;
const shareOfFailures = 0.3;
const megabyte = Buffer.alloc(2 ** 20, 'undaunted ');
/** How many requests hang at the moment. */
let silent = 0;
/** How often each path has been answered with 503. */
const refusals: Map<string, number> = new Map();

function isRefused(path: string): boolean {
  const refused = refusals.get(path) ?? 0;
  const number = Number(path.slice(path.lastIndexOf('/') + 1));
  const isBad = drawOf(seed, number, refused) < shareOfFailures;
  if (isBad) refusals.set(path, refused + 1);
  else refusals.delete(path);
  return isBad;
}

function bodyOf(path: string): Buffer | string {
  if (path === '/megabyte') return megabyte;
  if (path === '/json') return '{"ok":true}';
  return path === '/unanswered' ? String(silent) : 'hello';
}

const server = createServer((request, response) => {
  const path = request.url ?? '/';
  request.resume();
  if (path === '/silence') {
    silent += 1;
    response.once('close', () => {
      silent -= 1;
    });
    return;
  }
  if (path === '/busy' || (path.startsWith('/flaky/') && isRefused(path))) response.statusCode = 503;
  if (path === '/json') response.setHeader('content-type', 'application/json');
  response.end(bodyOf(path));
});
// A contestant keeps its connections while others have their turn.
server.keepAliveTimeout = 300_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('disconnect', () => process.exit());
