/** The server of smira/exponential-backoff (2014) as a real one, which nobody reaches from outside. */

import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CrowdedServer } from '../../sim/index.js';
import { Failure } from '../failure.js';
import { CrowdedHost } from './crowded-host.js';

export interface ServerOptions {
  readonly model: CrowdedServer;
  /** 0: any that is free. */
  readonly port: number;
  /** How many connections the kernel accepts for it while it does not run. */
  readonly backlog: number;
}

export interface CrowdedHttpServer {
  readonly url: string;
  readonly host: CrowdedHost;
  close(): Promise<void>;
}

export const paths = { work: '/api', pid: '/pid' } as const;

export async function openServer({ model, port, backlog }: ServerOptions): Promise<CrowdedHttpServer> {
  const host = new CrowdedHost(model);
  // Who waits for long is what it is about: no time limit of Node's own.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 }, listenerOf(host));
  await listening(server, port, backlog);
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    host,
    url: `http://127.0.0.1:${actualPort}${paths.work}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function listenerOf(host: CrowdedHost): RequestListener {
  return (request, response) => {
    switch (pathOf(request)) {
      case paths.work:
        host.receive(() => response.end('OK'));
        break;
      case paths.pid:
        // Whoever stops it for a while has to know whom to send the signal to.
        response.end(String(process.pid));
        break;
      default:
        response.writeHead(404).end();
    }
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}

async function listening(server: Server, port: number, backlog: number): Promise<void> {
  server.listen({ host: '127.0.0.1', port, backlog });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new Failure(`port ${port} is in use. Take another one, or any: --port 0`);
    throw new Failure(`the server cannot listen on port ${port}: ${message}.`);
  }
}
