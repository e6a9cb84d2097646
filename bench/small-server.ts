/** Answers with a few bytes, with 503 or not at all, and tells its parent where it listens. Ends with it. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/silence') return;
  if (request.url === '/busy') response.statusCode = 503;
  response.end('hello');
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('disconnect', () => process.exit());
