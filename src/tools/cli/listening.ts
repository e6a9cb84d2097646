/** Servers of commands listen on 127.0.0.1 only, where no other machine reaches them. */

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
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

/**
 * Whether the request asks for this machine by a name of its own. A page whose domain its owner points to 127.0.0.1 (DNS
 * rebinding) asks by that domain, and may read what it gets. The port may be that of a tunnel.
 */
export function isForUs({ headers }: IncomingMessage): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(headers.host ?? '');
}

/** 421, Misdirected Request (RFC 9110 15.5.20). */
export function turnAway(response: ServerResponse): void {
  response
    .writeHead(421, { 'content-type': 'text/plain' })
    .end('This server answers to 127.0.0.1 and localhost.\n');
}

function whyNot({ code, message }: NodeJS.ErrnoException, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is in use. Choose another one, or any free one: --port 0`;
  return `the server cannot listen on port ${port}: ${message}.`;
}
