/** Servers of commands listen on 127.0.0.1 only, where no other machine reaches them. */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { Failure } from './failure.js';

/** Port 0: any free one. Returns the origin. */
export async function listenHere(server: Server, options: ListenOptions & { port: number }): Promise<string> {
  server.listen({ ...options, host: '127.0.0.1' });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Failure(whyNot(error as NodeJS.ErrnoException, options.port));
  }
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function whyNot({ code, message }: NodeJS.ErrnoException, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is in use. Choose another one, or any free one: --port 0`;
  return `the server cannot listen on port ${port}: ${message}.`;
}
