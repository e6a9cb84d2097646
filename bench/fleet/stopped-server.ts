/** A server that is a process of its own, so that it can be stopped: tells its parent where it listens. */

import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('fine'));
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
});
process.on('disconnect', () => process.exit());
